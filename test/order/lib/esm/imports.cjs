exports.load = () => import('./counter.mjs');
exports.required = require('./star_one.mjs');
exports.text = 'import("./not-a-call.mjs")'; // import('./nor-this.mjs')
