'use strict';
// path: POSIX rules from the package, Windows rules in internal/path_win32. Arguments of both are
// checked here, with Node's errors.

const { arrayForEach, arraySlice, over } = intrinsics;
const posix = require('vendor/path');
const { notImplemented, validateObject, validateString } = require('internal/errors');

// The names of each function's arguments.
const CALLS = {
  normalize: ['path'], isAbsolute: ['path'], relative: ['from', 'to'], dirname: ['path'], extname: ['path'], parse: ['path'],
};

function checked(rules) {
  const made = {
    join(...paths) {
      for (const each of over(paths)) validateString(each, 'path');
      return Reflect.apply(rules.join, rules, paths);
    },
    basename(name, suffix) {
      if (typeof suffix !== 'string' && suffix !== undefined) validateString(suffix, 'suffix');
      validateString(name, 'path');
      return rules.basename(name, suffix);
    },
    format(object) {
      validateObject(object, 'pathObject');
      const { ext } = object;
      return rules.format(ext && ext[0] !== '.' ? { ...object, ext: `.${ext}` } : object);
    },
    matchesGlob() {
      throw notImplemented('path.matchesGlob');
    },
  };
  for (const { 0: name, 1: names } of over(Object.entries(CALLS))) {
    const call = (...args) => {
      arrayForEach.call(names, (each, index) => validateString(args[index], each));
      return Reflect.apply(rules[name], rules, args);
    };
    made[name] = Object.defineProperty(call, 'name', { __proto__: null, value: name, configurable: true });
  }
  return made;
}

const path = checked(posix);
// Arguments before an absolute path don't matter, whatever they are.
path.resolve = function resolve(...paths) {
  let first = paths.length;
  while (first > 0) {
    validateString(paths[--first], `paths[${first}]`);
    if (paths[first][0] === '/') break;
  }
  return Reflect.apply(posix.resolve, posix, arraySlice.call(paths, first));
};
path.toNamespacedPath = (name) => name;
Object.assign(path, { sep: '/', delimiter: ':', posix: path, _makeLong: path.toNamespacedPath });

function win32() {
  const rules = require('internal/path_win32');
  const made = checked(rules);
  const { resolve, toNamespacedPath } = rules;
  return Object.assign(made, {
    resolve, toNamespacedPath, sep: '\\', delimiter: ';', posix: path, win32: made, _makeLong: toNamespacedPath,
  });
}

// Made on first use.
const setWin32 = (value) => Object.defineProperty(path, 'win32', { __proto__: null, value, writable: true, enumerable: true, configurable: true });
Object.defineProperty(path, 'win32', { __proto__: null, get: () => setWin32(win32()).win32, set: setWin32, enumerable: true, configurable: true });

module.exports = path;
