'use strict';
// Packages and modules that can't be had: which error, in which words.
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'modules-')));
function write(name, text) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
write('node_modules/lost/package.json', '{ "main": "gone.js" }');
write('node_modules/index/package.json', '{ "main": "gone.js" }');
write('node_modules/index/index.js', 'module.exports = "index after all"');
write('node_modules/exports/package.json', JSON.stringify({
  exports: { '.': './main.js', './gone': './gone.js', './out': '../out.js', './no/*': null },
}));
write('node_modules/exports/main.js', 'module.exports = "main"');
write('package.json', '{ "name": "app", "exports": { "./self": "./self.js" }, "imports": { "#in": "./self.js" } }');
write('self.js', 'module.exports = "self"');
write('plain.cjs', 'module.exports = "plain"');
write('throws.js', 'throw new Error("at first sight")');
write('start.js', `
  const attempt = (name) => {
    try {
      console.log(name, require(name));
    } catch (error) {
      console.log(name, error.name, error.code, error.message.replaceAll(__dirname, '.').replaceAll(require.main.filename, 'this program'));
    }
  };
  for (const name of ['lost', 'index', 'exports', 'exports/gone', 'exports/out', 'exports/no/x', 'exports/other', 'app/self',
    'app/other', '#in', '#other', './plain', './plain.cjs', './throws', './throws', './nowhere', 'nowhere']) attempt(name);
  console.log(module.children.length, module.parent === undefined, require.resolve.paths('./x').length);
`);
require(path.join(folder, 'start.js'));
fs.rmSync(folder, { recursive: true });
