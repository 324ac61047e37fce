module.exports = function named() { return this; }; module.exports.part = 'part';
