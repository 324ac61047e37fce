'use strict';
// The contents of package.json: entry points ("exports"), internal names ("imports"), and which
// package a file belongs to. A target never leads out of its package.

const {
  ArrayIsArray, arraySome, over, regexpReplace, regexpSplit, stringEndsWith, stringIncludes, stringIndexOf, stringReplaceAll,
  stringSlice, stringStartsWith, stringToLowerCase,
} = intrinsics;
const stdio = native('stdio');
const path = require('path');
const { coded } = require('internal/errors');

const FILE = 0;
const read = new Map(); // file → the parsed package

// Own fields only: a program may change Object.prototype.
function fieldsOf(parsed) {
  const fields = { __proto__: null };
  if (typeof parsed === 'object' && parsed !== null)
    for (const name of over(['name', 'main', 'exports', 'imports', 'type'])) if (Object.hasOwn(parsed, name)) fields[name] = parsed[name];
  return fields;
}

function readPackage(directory) {
  const file = path.join(directory, 'package.json');
  if (read.has(file)) return read.get(file);
  let result;
  if (stdio.stat(file) === FILE) {
    try {
      result = fieldsOf(JSON.parse(stdio.readText(file)));
    } catch (error) {
      error.message = `Error parsing ${file}: ${error.message}`;
      error.path = file;
      throw error;
    }
  }
  read.set(file, result);
  return result;
}

// The package that a module belongs to, for "imports", "type" and its own name.
function scopeOf(directory) {
  for (directory = path.resolve(directory); ; directory = path.dirname(directory)) {
    const found = readPackage(directory);
    if (found !== undefined) return { directory, found };
    if (directory === '/' || path.basename(directory) === 'node_modules') return undefined;
  }
}

// --- targets -----------------------------------------------------------------------------------

const conditions = new Set(['node', 'require', 'default', 'module-sync', 'node-addons']);

// For imports, the condition "import" counts instead of "require".
// --conditions
function addConditions(list) {
  for (const name of over(list)) conditions.add(name);
}

function withImport(look) {
  conditions.delete('require');
  conditions.add('import');
  try {
    return look();
  } finally {
    conditions.delete('import');
    conditions.add('require');
  }
}

// Whether a part of a path leaves the package: . and .., also percent-encoded, and node_modules.
function leaves(text) {
  return arraySome.call(regexpSplit(/[\\/]/, text), (part) => {
    const plain = stringToLowerCase.call(regexpReplace(/%(2e|5f|[46][1-9a-f]|[57][0-9a])/gi, part, (code) => decodeURIComponent(code)));
    return plain === '.' || plain === '..' || plain === 'node_modules';
  });
}

const importedFrom = (file) => file ? ` imported from ${file}` : '';

// ask: { directory, key, request, from, field: 'exports' or 'imports' }
function invalidTarget(value, { directory, key, from, field }) {
  const what = field === 'exports' && key === '.' ? 'for the package main' : `for '${key}'`;
  const isRelative = typeof value !== 'string' || field === 'imports' || value === '' || stringStartsWith.call(value, './');
  return coded(Error, 'ERR_INVALID_PACKAGE_TARGET', `Invalid "${field}" ${field === 'exports' && key === '.' ? 'main ' : ''}target ` +
    `${JSON.stringify(value)} defined ${field === 'exports' && key === '.' ? '' : `${what} `}in the package config ` +
    `${path.join(directory, 'package.json')}${importedFrom(from)}${isRelative ? '' : '; targets must start with "./"'}`);
}

// A string in "exports" or "imports": a file of the package or, in "imports", another package.
function place(value, star, ask) {
  const filled = () => star === undefined ? value : stringReplaceAll.call(value, '*', () => star);
  if (!stringStartsWith.call(value, './')) {
    const isPackage = ask.field === 'imports' && !stringStartsWith.call(value, '../') && !stringStartsWith.call(value, '/');
    if (!isPackage) throw invalidTarget(value, ask);
    return { name: filled() };
  }
  if (leaves(stringSlice.call(value, 2))) throw invalidTarget(value, ask);
  if (star !== undefined && leaves(star))
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${ask.request}" request is not a valid match in pattern ` +
      `"${ask.key}" for the "${ask.field}" resolution of ${path.join(ask.directory, 'package.json')}${importedFrom(ask.from)}`);
  return { file: path.join(ask.directory, filled()) };
}

// Resolves under the current conditions: { file } or { name }, null if it is blocked, undefined if
// nothing matches.
function target(value, star, ask) {
  if (typeof value === 'string') return place(value, star, ask);
  if (ArrayIsArray(value)) return firstOf(value, star, ask);
  if (value === null) return null;
  if (typeof value !== 'object') throw invalidTarget(value, ask);
  for (const key of over(Object.keys(value))) {
    if (!conditions.has(key)) continue;
    const found = target(value[key], star, ask);
    if (found !== undefined) return found;
  }
  return undefined;
}

// The first valid target; an invalid one counts only if there is no other.
function firstOf(list, star, ask) {
  let last = list.length === 0 ? null : undefined;
  let error;
  for (const item of over(list)) {
    try {
      const found = target(item, star, ask);
      if (found === undefined) continue;
      if (found !== null) return found;
      last = null;
      error = undefined;
    } catch (invalid) {
      if (invalid.code !== 'ERR_INVALID_PACKAGE_TARGET') throw invalid;
      error = invalid;
    }
  }
  if (error !== undefined) throw error;
  return last;
}

// The matching pattern with the longest part before its *.
function match(map, name, ask) {
  if (Object.hasOwn(map, name) && !stringIncludes.call(name, '*')) return target(map[name], undefined, { ...ask, key: name });
  let best;
  let star;
  for (const key of over(Object.keys(map))) {
    const at = stringIndexOf.call(key, '*');
    if (at < 0) continue;
    const before = stringSlice.call(key, 0, at);
    const after = stringSlice.call(key, at + 1);
    if (!stringStartsWith.call(name, before) || !stringEndsWith.call(name, after) || name.length < key.length) continue;
    if (best === undefined || at > stringIndexOf.call(best, '*')) {
      best = key;
      star = stringSlice.call(name, at, name.length - after.length);
    }
  }
  return best === undefined ? undefined : target(map[best], star, { ...ask, key: best });
}

// from: the module that requires it, if known
function fromExports(directory, exports, subpath, from) {
  const isMain = typeof exports === 'string' || ArrayIsArray(exports) || exports === null ||
    !arraySome.call(Object.keys(exports), (key) => stringStartsWith.call(key, '.'));
  const found = match(isMain ? { __proto__: null, '.': exports } : exports, subpath, { directory, request: subpath, from, field: 'exports' });
  const file = path.join(directory, 'package.json');
  if (found) {
    if (stdio.stat(found.file) === FILE) return found.file;
    throw Object.assign(new Error(`Cannot find module '${found.file}'`), { code: 'MODULE_NOT_FOUND' });
  }
  if (subpath === '.') throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `No "exports" main defined in ${file}${importedFrom(from)}`);
  throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    `Package subpath '${subpath}' is not defined by "exports" in ${file}${importedFrom(from)}`);
}

// { file } or { name } for a specifier that begins with #.
function fromImports(request, scope, from) {
  const { directory, found } = scope ?? {};
  if (request === '#' || stringStartsWith.call(request, '#/'))
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
      `Invalid module "${request}" is not a valid internal imports specifier name${importedFrom(from)}`);
  const { imports } = found ?? {};
  const result = typeof imports === 'object' && imports !== null ?
    match(imports, request, { directory, request, from, field: 'imports' }) : undefined;
  if (result) return result;
  throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${request}" is not defined` +
    `${scope === undefined ? '' : ` in package ${path.join(directory, 'package.json')}`}${importedFrom(from)}`);
}

module.exports = { addConditions, fromExports, fromImports, readPackage, scopeOf, withImport };
