'use strict';
// TypeScript to JavaScript by taking types out: what isn't JavaScript becomes spaces, so that lines and columns stay. What would
// need code to be made (enum, namespaces with values, parameter properties) is refused.

const { arraySort, over, regexpReplace, regexpTest, stringSlice, stringStartsWith } = intrinsics;
const { coded } = require('internal/errors');
const tools = require('internal/tools');
const { acorn, errorOf } = require('internal/syntax');
const { typed } = require('internal/typescript/grammar');

const sources = new Map(); // file → { text, code, isModule }
tools.originalOf = (file) => sources.get(stringStartsWith.call(file, 'file:') ? require('url').fileURLToPath(file) : file)?.text;

let Parser;
function parse(text) {
  const { Parser: Base, tokTypes } = acorn();
  Parser ??= Base.extend((Each) => typed(Each, tokTypes));
  const parser = new Parser({
    ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true,
    allowSuperOutsideMethod: true,
  }, text);
  parser.parse();
  return parser;
}

function blanked(text, taken) {
  let result = '';
  let from = 0;
  for (const { 0: start, 1: end, 2: sign } of over(arraySort.call(taken, (a, b) => a[0] - b[0] || b[1] - a[1]))) {
    if (end <= from) continue; // inside of one that is gone
    const begin = Math.max(start, from);
    const blank = regexpReplace(/[^\n\r\u2028\u2029]/g, stringSlice.call(text, begin, end), ' ');
    result += stringSlice.call(text, from, begin) + (begin === start && sign !== ' ' ? sign + stringSlice.call(blank, 1) : blank);
    from = end;
  }
  return result + stringSlice.call(text, from);
}

// The text as JavaScript, and whether it is an ES module by its syntax.
function strip(text, file) {
  const known = sources.get(file);
  if (known !== undefined && known.text === text) return known;
  if (regexpTest(/\/node_modules\//, file))
    throw coded(Error, 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
      `Stripping types is currently unsupported for files under node_modules, for "${file}"`);
  let parser;
  try {
    parser = parse(text);
  } catch (error) {
    if (typeof error?.pos !== 'number') throw error;
    tools.addSource(file, text, 0);
    const { line, column, message, length } = errorOf(error, text);
    const made = coded(SyntaxError, error.isUnsupported ? 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' : 'ERR_INVALID_TYPESCRIPT_SYNTAX', message);
    const place = { sourceURL: file, line, column, place: { column, length } };
    for (const name of over(Object.keys(place)))
      Object.defineProperty(made, name, { __proto__: null, value: place[name], writable: true, configurable: true, enumerable: false });
    throw made;
  }
  const found = { text, code: blanked(text, parser.taken), isModule: parser.hasModuleSyntax };
  sources.set(file, found);
  return found;
}

module.exports = { strip };
