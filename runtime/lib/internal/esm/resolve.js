'use strict';
// From a specifier to a file: by Node's rules for ES modules, which guess nothing but what a
// package says of itself.

const stdio = native('stdio');
const path = require('path');
const { coded, notImplemented } = require('internal/errors');

const FILE = 0;
const DIRECTORY = 1;

function toPath(url) {
  return require('url').fileURLToPath(url);
}

const missing = (what, file, from) => coded(Error, 'ERR_MODULE_NOT_FOUND',
  `Cannot find ${what} '${file}'${from === undefined ? '' : ` imported from ${from}`}`);

function existing(file, from) {
  const kind = stdio.stat(file);
  if (kind === DIRECTORY)
    throw coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT',
      `Directory import '${file}' is not supported resolving ES modules imported from ${from}`);
  if (kind !== FILE) throw missing('module', file, from);
  return stdio.realpath(file) ?? file;
}

// A package without "exports": its main, or index.js.
function legacyMain(folder, main, from) {
  const tries = typeof main === 'string' ?
    ['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node'].map((end) => path.join(folder, main) + end) : [];
  for (const file of [...tries, path.join(folder, 'index.js'), path.join(folder, 'index.json')])
    if (stdio.stat(file) === FILE) return file;
  throw missing('package', folder, from);
}

function fromPackages(specifier, from) {
  const { packages } = require('internal/loader');
  const directory = path.dirname(from);
  const own = packages.fromScope(specifier, directory, from);
  if (own !== undefined) return own;
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  if (name === undefined || name.startsWith('.') || /[\\%]/.test(name))
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
      `Invalid module "${specifier}" is not a valid package name imported from ${from}`);
  for (const modules of packages.nodeModulePaths(directory)) {
    const folder = path.join(modules, name);
    if (stdio.stat(folder) !== DIRECTORY) continue;
    const found = packages.readPackage(folder);
    if (found?.exports !== undefined && found.exports !== null)
      return packages.fromExports(folder, found.exports, `.${rest}`, from);
    return rest === '' ? legacyMain(folder, found?.main, from) : path.join(folder, rest);
  }
  packages.refuseAbsent(specifier);
  throw missing('package', name, from);
}

// → { url, file, format }; a builtin has no file. What is only asked for by name need not exist.
function resolve(specifier, from, isNameOnly = false) {
  const { Module, packages } = require('internal/loader');
  if (specifier.startsWith('node:') || Module.isBuiltin(specifier)) {
    const name = specifier.replace(/^node:/, '');
    return { url: `node:${name}`, name, format: 'builtin' };
  }
  let file;
  if (/^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..')
    file = toPath(new URL(specifier, require('url').pathToFileURL(from)));
  else if (specifier.startsWith('file:')) file = toPath(specifier);
  else if (/^[a-z][a-z\d+.-]*:/i.test(specifier)) throw notImplemented(`Importing ${specifier.split(':')[0]}: addresses`);
  else file = packages.withImport(() => fromPackages(specifier, from));
  if (isNameOnly && stdio.stat(file) !== FILE) return { url: require('url').pathToFileURL(file).href };
  file = existing(file, from);
  return { url: require('url').pathToFileURL(file).href, file, format: formatOf(file) };
}

function formatOf(file) {
  const extension = path.extname(file);
  if (extension === '.mjs') return 'module';
  if (extension === '.cjs') return 'commonjs';
  if (extension === '.json') return 'json';
  if (extension === '.node' || extension === '.wasm') throw notImplemented(`Importing ${extension} files`);
  const { packages } = require('internal/loader');
  const isModule = packages.scopeOf(path.dirname(file))?.found.type === 'module';
  if (extension !== '.js' && extension !== '')
    throw coded(TypeError, 'ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${extension}" for ${file}`);
  return isModule ? 'module' : 'commonjs';
}

module.exports = { formatOf, resolve };
