'use strict';
// import() in text that a program evaluates: eval(text) in a file that was read here, and the
// constructors of functions. The engine has no module loader, so that import() in such a text
// has to become a call of ours, as it does in files. What isn't reached is eval under another
// name.

const { AsyncFunction, AsyncGeneratorFunction, GeneratorFunction, arraySlice, over, regexpTest, stringIncludes } = intrinsics;

const HAS_IMPORT = /\bimport\s*\(/;
const hasImport = (text) => typeof text === 'string' && stringIncludes.call(text, 'import') && regexpTest(HAS_IMPORT, text);

// What is wrong in a text the engine has to say.
function rewritten(text) {
  if (!hasImport(text)) return text;
  try {
    return require('internal/esm/source').rewriteScript(text);
  } catch {
    return text;
  }
}

// The function that import() calls in a file, with .text for eval.
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

// new Function(text) and its kin. The function finds import() through a parameter of a function
// around it, where the file is known that asked for it.
function hook(Native) {
  const { name, prototype } = Native;
  const Class = {
    [name]: function (...args) {
      const text = args[args.length - 1];
      if (!hasImport(text)) return Reflect.construct(Native, args, new.target ?? Class);
      Reflect.construct(Native, args); // throws for what is no function body
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

// Answers the constructor that takes the place of Function.
function install() {
  const value = hook(Function);
  for (const Native of over([AsyncFunction, AsyncGeneratorFunction, GeneratorFunction])) Object.setPrototypeOf(hook(Native), value);
  return value;
}

module.exports = { importFor, install };
