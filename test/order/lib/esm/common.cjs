exports.named = 'named'; exports.other = 2; exports.default = 'its default'; console.log('common.cjs runs', typeof require, module.id === __filename);
