'use strict';
// A program started by odd paths: what it is told about its name, and what it finds.
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'main-')));
const program = `
const names = [process.argv[1], require.main.filename, __filename, __dirname, module.id, module.filename, module.path,
  module.paths[0], Object.keys(require.cache)[0], require.resolve('../plain/program'), process.argv[2]];
console.log(names.map((name) => String(name).replaceAll(${JSON.stringify(root)}, 'ROOT')).join(' '));
console.log(require.main === module, process.mainModule === module, module.parent, module.children.length);
process.on('warning', (warning) => console.log(warning.code, warning.message.replaceAll(${JSON.stringify(root)}, 'ROOT')));
`;
const files = {
  'plain/program.js': program,
  'plain/no-extension': program,
  'plain/odd.extension': program,
  'plain/two words.js': program,
  'package/package.json': '{ "main": "lib/../lib/main" }',
  'package/lib/main.js': program.replace('../plain', '../../plain'),
  'package/plain/program.js': '',
  'index/index.js': program,
  'falls-back/package.json': '{ "main": "gone.js" }',
  'falls-back/index.js': program,
  'lost/package.json': '{ "main": "gone.js" }',
  'exports/package.json': '{ "main": "main", "exports": "./other.js" }',
  'exports/main.js': program,
  'both/same.js': program,
  'both/same/index.js': program,
};
for (const [name, text] of Object.entries(files)) {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
}
fs.symlinkSync('../plain/program.js', path.join(root, 'package/link.js'));
fs.symlinkSync('plain', path.join(root, 'folder-link'));

function start(name, cwd = '.') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [name, 'argument'], { cwd: path.join(root, cwd) });
  const [error] = /^Error: .*/m.exec(stderr) ?? [];
  console.log(`--- ${name.replaceAll(root, 'ROOT')} ${cwd}: ${status}`);
  console.log(`${stdout}${status === 0 || error === undefined ? '' : error.replaceAll(root, 'ROOT')}`);
}
for (const name of ['./package/../plain/program.js', 'package/../plain/program', 'plain//program.js', 'plain/./program',
  'package/link.js', 'package/link', 'folder-link/program.js', 'folder-link/program', 'folder-link', 'package', 'package/',
  './package/.', 'index', 'index/', 'falls-back', 'lost', 'exports', 'both/same', 'both/same/', 'plain/two words.js',
  'plain/no-extension', 'plain/odd.extension', 'plain/odd', 'plain/program.js/', 'plain/program.js/.', 'nowhere',
  './nowhere/../neither', 'plain']) start(name);
for (const name of ['package/../plain/program', '/plain//program.js', './package/link.js', 'package/./']) start(`${root}/${name}`);
start('.', 'index');
start('..', 'package/lib');
start('..', 'index');
fs.rmSync(root, { recursive: true });
