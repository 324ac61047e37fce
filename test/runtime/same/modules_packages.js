'use strict';
// What package.json may say of a package and what it may not: targets stay inside the package.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-packages-')));
process.chdir(root);
const put = (name, text) => {
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.writeFileSync(name, typeof text === 'string' ? text : JSON.stringify(text));
};
const packages = {
  escapes: { './n/*': './sub/*.js', './d/*': './sub/*/a.js' },
  main: './node_modules/../../../secret.js',
  dots: './sub/../i.js',
  encoded: './sub/%2e%2e/i.js',
  modules: './node_modules/x.js',
  upwards: '../secret.js',
  bare: 'secret.js',
  list: ['../secret.js', './i.js'],
  badlist: ['../secret.js', 'other'],
  number: { '.': 5, './closed': null },
  conditions: { '.': { import: './sub/a.js', require: { nobody: './no.js', default: './i.js' } } },
  patterns: { './*': './sub/*.js', './a*': './sub/a*.js', './ab*': null, './*/x': './sub/*.js' },
  twice: { './*': './sub/*/../*.js', './t/*': './sub/*$&.js' },
};
put('secret.js', 'module.exports = "SECRET"');
for (const [name, exports] of Object.entries(packages)) {
  put(`node_modules/${name}/package.json`, { name, exports });
  put(`node_modules/${name}/i.js`, 'module.exports = "inside"');
  put(`node_modules/${name}/sub/a.js`, 'module.exports = "sub a"');
  put(`node_modules/${name}/sub/ax.js`, 'module.exports = "sub ax"');
}
put('own/package.json', { name: 'own', exports: { '.': './main.js' }, imports: {
  '#in': './main.js', '#out': '../secret.js', '#abs': '/etc/passwd', '#pkg': 'list', '#p/*': './lib/*.js', '#none': null } });
put('own/main.js', 'module.exports = "own main"');
put('own/lib/x.js', 'module.exports = "own x"');
put('own/ask.js', 'module.exports = (name) => require(name)');

const show = (text) => String(text).replaceAll(root, 'ROOT').split('\n')[0];
const attempt = (name, ask = require) => {
  try {
    console.log(name, '=>', ask(name));
  } catch (error) {
    console.log(name, error.name, error.code, show(error.message));
  }
};
for (const name of ['escapes/n/a', 'escapes/n/../../../secret', 'escapes/n/%2e%2e/i', 'escapes/d/.', 'escapes/n/node_modules/a',
  'escapes/n/NODE_modules/a', 'main', 'dots', 'encoded', 'modules', 'upwards', 'bare', 'list', 'badlist', 'number', 'number/closed',
  'number/open', 'conditions', 'patterns/a', 'patterns/ax', 'patterns/abc', 'patterns/a/x', 'twice/a', 'twice/t/a'])
  attempt(name);
for (const name of ['#in', '#out', '#abs', '#pkg', '#p/x', '#p/../main', '#none', '#other', '#', '#/x', 'own', 'own/lib/x.js'])
  attempt(name, require('./own/ask.js'.replace('.', root)));

// Fields that a polluted prototype has aren't the package's.
put('node_modules/plain/package.json', { name: 'plain' });
put('node_modules/plain/index.js', 'module.exports = "plain index"');
put('node_modules/plain/other.js', 'module.exports = "plain other"');
Object.prototype.main = './other.js';
Object.prototype.exports = './other.js';
attempt('plain');
delete Object.prototype.main;
delete Object.prototype.exports;

// Looking from elsewhere.
const resolved = (name, options) => {
  try {
    console.log(name, '=>', show(require.resolve(name, options)));
  } catch (error) {
    console.log(name, error.code, show(error.message));
  }
};
resolved('x', { paths: ['./y'] });
resolved('./main.js', { paths: ['./own'] });
resolved('plain', { paths: ['own'] });
resolved('plain', { paths: 'own' });
resolved(5);
try {
  require(`${root}/secret.js\0x`);
} catch (error) {
  console.log(error.code, show(error.message));
}

// A program may put its own in the place of a module.
require.cache.dns = { exports: { fake: true } };
console.log(require('dns').fake, require('node:dns').fake);
delete require.cache.dns;
console.log(require('dns').fake, require('sys') === require('util'), require('constants').O_CREAT, require('cluster').isPrimary,
  typeof require('v8').getHeapStatistics().used_heap_size, require('punycode').toASCII('ma\u00f1ana.com'));
fs.rmSync(root, { recursive: true });
