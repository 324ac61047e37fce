'use strict';
// fs, in its three forms.
const fs = require('fs');
const { all, add, bytes, cb, fd, methods } = require('./table.js');

const forms = [
  ['access', ['file', 4]], ['appendFile', ['out', 'data', 'utf8']], ['chmod', ['file', 0o644]], ['chown', ['file', 0, 0], [0]],
  ['copyFile', ['file', 'copy', 0]], ['cp', ['file', 'copy2', {}]], ['link', ['file', 'folder/link']], ['lchown', ['file', 0, 0], [0]],
  ['lstat', ['file', {}]], ['lutimes', ['file', 1, 1]], ['mkdir', ['folder/new', 0o777]], ['mkdtemp', ['folder/t-', 'utf8']],
  ['open', ['file', 'r', 0o666]], ['opendir', ['folder', {}]], ['readdir', ['folder', 'utf8']], ['readFile', ['file', 'utf8']], ['readlink', ['file', 'utf8']],
  ['realpath', ['file', 'utf8']], ['rename', ['none', 'none2']], ['rm', ['none', {}]], ['rmdir', ['none', {}]], ['stat', ['file', {}]],
  ['statfs', ['folder', {}]], ['symlink', ['file', 'folder/sym', 'file']], ['truncate', ['folder/none', 0]], ['unlink', ['none']],
  ['utimes', ['file', 1, 1]], ['writeFile', ['out', 'data', 'utf8']],
];
const descriptors = [
  ['close', [9999]], ['fchmod', [fd, 0o644]], ['fchown', [fd, 0, 0], [0]], ['fdatasync', [fd]], ['fstat', [fd, {}]], ['fsync', [fd]], ['ftruncate', [fd, 4]],
  ['futimes', [fd, 1, 1]], ['read', [fd, bytes, 0, 4, 0]], ['readv', [fd, [bytes], 0]], ['write', [fd, bytes, 0, 4, 0]], ['writev', [fd, [bytes], 0]],
];
all('fs', fs, [...forms, ...descriptors].map(([name, args, only]) => [`${name}Sync`, args, only]));
all('fs', fs, [...forms, ...descriptors].map(([name, args, only]) => [name, [...args, cb], only]));
all('fs', fs, [['existsSync', ['file']], ['exists', ['file', cb]], ['createReadStream', ['file', {}]], ['createWriteStream', ['out', {}]], ['unwatchFile', ['file', cb]],
  ['writeSync', [fd, 'text', 0, 'utf8']], ['openAsBlob', ['file', {}]]]);
all('fs.promises', fs.promises, forms);
for (const option of ['encoding', 'flags', 'mode', 'fd', 'autoClose', 'start', 'end', 'highWaterMark', 'fs', 'signal', 'flush', 'emitClose'])
  for (const name of ['createReadStream', 'createWriteStream']) add('fs', `${name}.${option}`, () => (value) => fs[name]('out', { [option]: value }).on('error', cb), ['x'], [0]);
for (const [name, options] of Object.entries({
  readFile: ['encoding', 'flag', 'signal'], writeFile: ['encoding', 'flag', 'mode', 'flush', 'signal'], readdir: ['encoding', 'withFileTypes', 'recursive'],
  mkdir: ['recursive', 'mode'], rm: ['force', 'recursive', 'maxRetries', 'retryDelay'], rmdir: ['recursive', 'maxRetries', 'retryDelay'], opendir: ['encoding', 'bufferSize', 'recursive'],
  stat: ['bigint', 'throwIfNoEntry'], cp: ['dereference', 'errorOnExist', 'filter', 'force', 'mode', 'preserveTimestamps', 'recursive', 'verbatimSymlinks'], mkdtemp: ['encoding'], readlink: ['encoding'], realpath: ['encoding'],
}))
  for (const option of options) {
    const first = name === 'writeFile' ? ['out', 'data'] : name === 'cp' ? ['file', 'copy'] : name === 'readdir' || name === 'opendir' ? ['folder'] : name === 'mkdtemp' ? ['folder/t-'] : ['file'];
    add('fs', `${name}Sync.${option}`, () => (value) => fs[`${name}Sync`](...first, { [option]: value }), ['x'], [0]);
    add('fs.promises', `${name}.${option}`, () => (value) => fs.promises[name](...first, { [option]: value }), ['x'], [0]);
  }
for (const [name, fields] of [['readSync', ['offset', 'length', 'position']], ['writeSync', ['offset', 'length', 'position']]])
  for (const field of fields) add('fs', `${name}.${field}`, () => (value) => fs[name](fd, bytes, { [field]: value }), [0], [0]);
for (const field of ['persistent', 'recursive', 'encoding', 'signal', 'interval', 'bigint'])
  for (const name of ['watch', 'watchFile'])
    add('fs', `${name}.${field}`, () => (value) => {
      const watcher = fs[name]('file', { [field]: value }, cb);
      if (name === 'watch') watcher.close(); else fs.unwatchFile('file');
    }, [true], [0]);
add('fs', 'watch', () => (...given) => fs.watch(...given).close(), ['file', {}, cb]);
add('fs', 'watchFile', () => (...given) => { fs.watchFile(...given); fs.unwatchFile('file'); }, ['file', {}, cb], [1, 2]);
