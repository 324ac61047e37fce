'use strict';
// Finding modules: files, folders, package.json with main and exports, node_modules.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-modules-'));
const files = {
  'plain.js': 'exports.name = "plain"; exports.file = __filename.split("/").pop(); exports.dir = typeof __dirname;',
  'data.json': '{ "name": "json" }',
  'folder/index.js': 'module.exports = "folder index";',
  'withmain/package.json': '{ "main": "lib/start" }',
  'withmain/lib/start.js': 'module.exports = "package main";',
  'node_modules/dep/package.json': '{ "name": "dep", "exports": { ".": { "import": "./no.mjs", "require": "./main.js" },' +
    ' "./sub/*": "./inner/*.js", "./closed": null } }',
  'node_modules/dep/main.js': 'module.exports = "dep main " + require("dep/sub/a");',
  'node_modules/dep/inner/a.js': 'module.exports = "inner a";',
  'node_modules/@scope/pkg/index.js': 'module.exports = "scoped";',
  'node_modules/old/package.json': '{ "main": "missing.js" }',
  'node_modules/old/index.js': 'module.exports = "falls back to index";',
  'deep/er/file.js': 'module.exports = [require("dep"), require("@scope/pkg"), require("old"), require("../../plain").name];',
  'cycle/a.js': 'exports.early = 1; const b = require("./b"); exports.late = b.sawEarly;',
  'cycle/b.js': 'const a = require("./a"); exports.sawEarly = a.early; exports.sawLate = a.late;',
  'throws.js': 'globalThis.loads = (globalThis.loads ?? 0) + 1; throw new Error("while loading");',
  'shebang.js': '#!/usr/bin/env node\nmodule.exports = "shebang";',
  'bad.json': '{ not json',
};
for (const [name, text] of Object.entries(files)) {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
}
const from = (name) => require(path.join(root, name));
console.log(from('plain'), from('plain.js') === from('./plain'), from('data'), from('folder'), from('withmain'), from('shebang'));
console.log(from('deep/er/file'), from('cycle/a'), from('cycle/b'));
for (const name of ['throws', 'throws', 'nothing', 'bad.json', 'node_modules/dep/closed'])
  try {
    from(name);
  } catch (error) {
    console.log(error.constructor.name, error.code, error.message.split('\n')[0].replaceAll(root, 'ROOT').slice(0, 60).replace(/(bad.json:).*/, '$1'));
  }
console.log('loads', globalThis.loads);
const inside = require('module').createRequire(path.join(root, 'x.js'));
for (const name of ['dep/closed', 'dep/other', 'nodep', ''])
  try {
    inside(name);
  } catch (error) {
    console.log(error.code);
  }
console.log(inside.resolve('dep').replace(root, 'ROOT'), inside.resolve('fs'), require('node:path') === path);
console.log(require.main === module, module.children.length > 0, module.loaded, typeof module.paths[0], module.id);
fs.rmSync(root, { recursive: true });
