'use strict';
// Where modules are looked for: NODE_PATH and the home's folders, long extensions, names that no
// file has, createRequire.

const fs = require('fs');
const path = require('path');
const Module = require('module');
const { spawnSync } = require('child_process');

const base = fs.mkdtempSync('/tmp/rondo-lookup-');
const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
  fs.writeFileSync(path.join(base, name), text);
};
write('by_path/one.js', "module.exports = 'NODE_PATH';");
write('by_path/packed/package.json', '{ "exports": "./in.js" }');
write('by_path/packed/in.js', "module.exports = 'exports';");
write('home/.node_modules/two.js', "module.exports = 'home';");
write('home/.node_libraries/three.js', "module.exports = 'libraries';");
write('app/main.js', "for (const name of ['one', 'packed', 'two', 'three', 'four']) try { console.log(require(name)) } catch (error) { console.log(error.code) }");
const env = { ...process.env, NODE_PATH: `${base}/by_path::/nonexistent`, HOME: `${base}/home` };
console.log(String(spawnSync(process.execPath, [`${base}/app/main.js`], { env }).stdout));
console.log(String(spawnSync(process.execPath, ['-e', "console.log(require('one'), require('module').globalPaths.length)"], { env }).stdout));

const plain = (text) => text.replaceAll(base, 'BASE');
function tried(call) {
  try {
    console.log(call());
  } catch (error) {
    console.log(error.code, plain(error.message.split('\n')[0]));
  }
}
for (const name of ['\0ab', './a\0b', '/tmp/\0x', 'a\0/b']) tried(() => require(name));
for (const from of ['../', 'https://example.org/', {}, undefined, null, 5, '/tmp/x.js', 'file:///tmp/x.js', new URL('file:///tmp/x.js'), new URL('http://x/')])
  tried(() => typeof Module.createRequire(from));

write('long.foo.bar', 'text');
write('.bar', 'text');
require.extensions['.bar'] = (module) => { module.exports = '.bar'; };
require.extensions['.foo.bar'] = (module) => { module.exports = '.foo.bar'; };
tried(() => require(`${base}/long`));
tried(() => require(`${base}/long.foo.bar`));
delete require.extensions['.foo.bar'];
tried(() => require(`${base}/long.foo`));
console.log(require.resolve.paths('fs'), require.resolve.paths('./x').length, Module._resolveLookupPaths('./x', module).length);

Object.defineProperty(Object.prototype, 'exports', { configurable: true, set() { console.log('set'); } });
write('own.js', 'module.exports = 5;');
tried(() => require(`${base}/own.js`));
delete Object.prototype.exports;
fs.rmSync(base, { recursive: true });
