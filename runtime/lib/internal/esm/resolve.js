'use strict';
// From a specifier to a file, by Node's rules for ES modules, which guess nothing except from
// package.json.

const {
  arrayMap, over, regexpExec, regexpReplace, regexpTest, stringIncludes, stringSplit, stringStartsWith,
} = intrinsics;
const stdio = native('stdio');
const path = require('path');
const { coded, invalidArgValue, notImplemented } = require('internal/errors');

const FILE = 0;
const DIRECTORY = 1;

function toPath(url) {
  const file = require('url').fileURLToPath(url);
  if (stringIncludes.call(file, '\0')) throw invalidArgValue('path', file, 'must be a string, Uint8Array, or URL without null bytes');
  return file;
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
    arrayMap.call(['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node'], (end) => path.join(folder, main) + end) : [];
  for (const file of over([...over(tries), path.join(folder, 'index.js'), path.join(folder, 'index.json')]))
    if (stdio.stat(file) === FILE) return file;
  throw missing('package', folder, from);
}

function fromPackages(specifier, from) {
  const { packages } = require('internal/loader');
  const directory = path.dirname(from);
  const own = packages.fromScope(specifier, directory, from);
  if (own !== undefined) return own;
  const { 1: name, 2: rest } = regexpExec.call(/^((?:@[^/]+\/)?[^/]+)(.*)$/, specifier) ?? [];
  if (name === undefined || stringStartsWith.call(name, '.') || regexpTest(/[\\%]/, name))
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
      `Invalid module "${specifier}" is not a valid package name imported from ${from}`);
  for (const modules of over(packages.nodeModulePaths(directory))) {
    const folder = path.join(modules, name);
    if (stdio.stat(folder) !== DIRECTORY) continue;
    const found = packages.readPackage(folder);
    if (found?.exports !== undefined && found.exports !== null)
      return packages.fromExports(folder, found.exports, `.${rest}`, from);
    return rest === '' ? legacyMain(folder, found?.main, from) : path.join(folder, rest);
  }
  packages.refuseAbsent(specifier, from);
  throw missing('package', name, from);
}

// → { url, file, format }; a builtin has no file. With isNameOnly the file need not exist.
function resolve(specifier, from, isNameOnly = false) {
  const { Module, packages } = require('internal/loader');
  if (stringStartsWith.call(specifier, 'node:') || Module.isBuiltin(specifier)) {
    const name = regexpReplace(/^node:/, specifier, '');
    if (!Module.isBuiltin(name)) packages.refuseAbsent(name, from, true);
    return { url: `node:${name}`, name, format: 'builtin' };
  }
  const { URL, pathToFileURL } = require('url');
  let file;
  let rest = ''; // with another query it is another module
  if (regexpTest(/^\.{0,2}\//, specifier) || specifier === '.' || specifier === '..' || regexpTest(/^file:/i, specifier)) {
    const url = new URL(specifier, pathToFileURL(from));
    file = toPath(url);
    rest = url.search + url.hash;
  }
  else if (regexpTest(/^[a-z][a-z\d+.-]*:/i, specifier)) throw notImplemented(`Importing ${stringSplit.call(specifier, ':')[0]}: addresses`);
  else file = packages.withImport(() => fromPackages(specifier, from));
  if (isNameOnly && stdio.stat(file) !== FILE) return { url: pathToFileURL(file).href + rest };
  file = existing(file, from);
  return { url: pathToFileURL(file).href + rest, file, format: formatOf(file) };
}

function formatOf(file) {
  const extension = path.extname(file);
  if (extension === '.mjs' || extension === '.mts') return 'module';
  if (extension === '.cjs' || extension === '.cts') return 'commonjs';
  if (extension === '.ts') return require('internal/loader').isModuleFile(file) ? 'module' : 'commonjs';
  if (extension === '.json') return 'json';
  if (extension === '.node' || extension === '.wasm') throw notImplemented(`Importing ${extension} files`);
  const { packages } = require('internal/loader');
  const isModule = packages.scopeOf(path.dirname(file))?.found.type === 'module';
  if (extension !== '.js' && extension !== '')
    throw coded(TypeError, 'ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${extension}" for ${file}`);
  return isModule ? 'module' : 'commonjs';
}

module.exports = { formatOf, resolve };
