'use strict';
// import() in text that a program evaluates: eval(text) in a file that was read here, and the
// constructors of functions. The engine has no module loader, so import() in such a text is
// replaced by a call of a function here, as in files. Only eval under another name isn't covered.

const { AsyncFunction, AsyncGeneratorFunction, GeneratorFunction, arraySlice, over, regexpTest, stringIncludes } = intrinsics;

const HAS_IMPORT = /\bimport\s*\(/;
const hasImport = (text) => typeof text === 'string' && stringIncludes.call(text, 'import') && regexpTest(HAS_IMPORT, text);

// Syntax errors in a text are left to the engine.
function rewritten(text) {
  if (!hasImport(text)) return text;
  try {
    return require('internal/esm/source').rewriteScript(text);
  } catch {
    return text;
  }
}

// The function that replaces import() in a file, with .text for eval.
function importFor(file) {
  const call = (specifier, options) => require('internal/esm/modules').importFrom(specifier, file, options);
  call.text = rewritten;
  return call;
}

// The file of the program whose code is running.
function caller() {
  const { frames, isOurs } = require('internal/stack');
  for (const frame of over(frames(require('internal/engine').rawStack(caller))))
    if (!isOurs(frame) && frame.file !== '[native code]') {
      const { file } = frame;
      return regexpTest(/^file:/, file) ? require('url').fileURLToPath(file) : file;
    }
  return `${process.cwd()}/[eval]`;
}

// new Function(text) and the like. The function gets import() as a parameter of a function around
// it, which knows the file that asked for it.
function hook(Native) {
  const { name, prototype } = Native;
  const Class = {
    [name]: function (...args) {
      const text = args[args.length - 1];
      if (!hasImport(text)) return Reflect.construct(Native, args, new.target ?? Class);
      Reflect.construct(Native, args); // throws if it isn't a function body
      const make = Reflect.construct(Native, [...over(arraySlice.call(args, 0, -1)), rewritten(text)]);
      const outer = Reflect.construct(Function, ['$import$', `return ${make}`]);
      return Object.setPrototypeOf(outer(importFor(caller())), new.target?.prototype ?? prototype);
    },
  }[name];
  Object.defineProperty(Class, 'prototype', { __proto__: null, value: prototype, writable: false });
  Object.defineProperty(Class, 'length', { __proto__: null, value: 1, configurable: true });
  Object.defineProperty(prototype, 'constructor', { __proto__: null, value: Class, writable: name === 'Function', configurable: true });
  if (name !== 'Function') Object.setPrototypeOf(Class, Object.getPrototypeOf(Native));
  return Class;
}

// Returns the constructor that replaces Function.
function install() {
  const value = hook(Function);
  for (const Native of over([AsyncFunction, AsyncGeneratorFunction, GeneratorFunction])) Object.setPrototypeOf(hook(Native), value);
  return value;
}

module.exports = { importFor, install };
