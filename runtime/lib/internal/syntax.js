'use strict';
// The parser (acorn, bundled, loaded when it is first asked for) for what needs one: the prompt, places of
// syntax errors, types to be taken out.

const { regexpExec, regexpReplace, regexpTest, stringEndsWith, stringIncludes, stringSlice, stringStartsWith, stringTrim } = intrinsics;

const { script } = require('internal/tools');
const { coded } = require('internal/errors');

const ABSENT = "This build of rondo has no prompt, no TypeScript and no places of syntax errors (cure: install Debian's node-acorn, build again)";

let parser;
function acorn() {
  if (!script.hasEmbedded('vendor/acorn')) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE', ABSENT);
  return parser ??= require('acorn');
}

// --- errors in V8's words ---------------------------------------------------------------------------------

const TOKEN = /(?:[\p{ID_Start}$_][\p{ID_Continue}$_]*|\d[\w.]*|=>|\.\.\.|[=!]==?|\*\*=?|&&=?|\|\|=?|\?\?=?|\?\.|<<=?|>>>?=?|[-+*/%&|^<>]=|\+\+|--|[^])/uy;
const WORDS = [
  [/^Unterminated (?:string constant|regular expression)/, (all) => stringIncludes.call(all, 'regular') ? 'Invalid regular expression: missing /' : 'Invalid or unexpected token'],
  [/^Unterminated template/, () => 'Unterminated template literal'],
  [/^Unterminated comment/, () => 'Invalid or unexpected token'],
  [/^Unexpected character/, () => 'Invalid or unexpected token'],
  [/^Identifier '(.+)' has already been declared/, (all, name) => `Identifier '${name}' has already been declared`],
  [/^'return' outside of function/, () => 'Illegal return statement'],
  [/^Unsyntactic break/, () => 'Illegal break statement'],
  [/^Unsyntactic continue/, () => 'Illegal continue statement: no surrounding iteration statement'],
  [/^Assigning to rvalue/, () => 'Invalid left-hand side in assignment'],
  [/^(?:Cannot use keyword 'await'|Cannot use 'await')/, () => 'await is only valid in async functions and the top level bodies of modules'],
  [/^'import' and 'export' may appear only/, (all, token) => token === 'export' ? "Unexpected token 'export'" : 'Cannot use import statement outside a module'],
  [/^The keyword '(.+)' is reserved/, () => 'Unexpected strict mode reserved word'],
  [/^Deleting local variable/, () => 'Delete of an unqualified identifier in strict mode.'],
  [/^Octal literal in strict mode/, () => 'Octal literals are not allowed in strict mode.'],
  [/^(?:Invalid number|Identifier directly after number)/, () => 'Invalid or unexpected token'],
  [/^Missing initializer in (.+)/, (all, what) => `Missing initializer in ${stringStartsWith.call(what, 'const') ? 'const' : 'destructuring'} declaration`],
  [/^Missing catch or finally/, () => 'Missing catch or finally after try'],
  [/^Label '(.+)' is already declared/, (all, name) => `Label '${name}' has already been declared`],
  [/^'new\.target' can only/, () => 'new.target expression is not allowed here'],
  [/^Code point out of bounds/, () => 'Undefined Unicode code-point'],
  [/^Duplicate export '(.+)'/, (all, name) => `Duplicate export of '${name}'`],
];

const NO_VALUE = /\bconst\s+[\p{ID_Start}$_][\p{ID_Continue}$_]*\s*$/u;

function tokenAt(text, at) {
  if (text[at] === '"' || text[at] === "'") return 'string';
  TOKEN.lastIndex = at;
  return regexpExec.call(TOKEN, text)?.[0] ?? '';
}

function wordsFor(message, text, at) {
  const token = tokenAt(text, at);
  for (let i = 0; i < WORDS.length; i++) {
    const { 0: pattern, 1: words } = WORDS[i];
    const match = regexpExec.call(pattern, message);
    if (match !== null) return words(message, match[1] ?? token);
  }
  if (!regexpTest(/^Unexpected token/, message)) return message;
  if (regexpTest(NO_VALUE, stringSlice.call(text, 0, at))) return 'Missing initializer in const declaration';
  if (stringTrim.call(stringSlice.call(text, at)) === '') return 'Unexpected end of input';
  if (token === 'string') return 'Unexpected string';
  if (text[at] === '`') return 'Unexpected template string';
  if (regexpTest(/^\d/, token)) return 'Unexpected number';
  if (regexpTest(/^[\p{ID_Start}$_]/u, token) && !regexpTest(KEYWORD, token)) return `Unexpected identifier '${token}'`;
  return `Unexpected token '${token}'`;
}
const KEYWORD = new RegExp('^(?:break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|' +
  'if|import|in|instanceof|new|null|return|super|switch|this|throw|true|try|typeof|var|void|while|with)$');

// --- parsing -------------------------------------------------------------------------------------------------

const MODES = {
  __proto__: null,
  script: { sourceType: 'script', allowReturnOutsideFunction: false },
  commonjs: { sourceType: 'script', allowReturnOutsideFunction: true },
  module: { sourceType: 'module', allowAwaitOutsideFunction: true },
  prompt: { sourceType: 'script', allowAwaitOutsideFunction: true, allowReturnOutsideFunction: false },
  // As it is, with await as a name.
  plain: { sourceType: 'script', allowAwaitOutsideFunction: false },
};

// { tree }, or { error: { message, line, column (from 1), at, isUnfinished } } for a text that isn't right.
function parse(text, mode) {
  try {
    return { tree: acorn().parse(text, { ecmaVersion: 'latest', allowHashBang: true, ...MODES[mode] }) };
  } catch (error) {
    if (typeof error?.raisedAt !== 'number') throw error;
    return { error: errorOf(error, text) };
  }
}

// An error of the parser, in V8's words: { message, line, column (from 1), at, length, isUnfinished }.
function errorOf(error, text) {
  const message = regexpReplace(/ \(\d+:\d+\)$/, error.message, '');
  const words = wordsFor(message, text, error.pos);
  const isUnclosed = isUnfinished(message, text, error);
  if (words === 'Missing initializer in const declaration') { // the name is shown, not what comes after it
    const name = regexpExec.call(NO_VALUE, stringSlice.call(text, 0, error.pos));
    if (name !== null) Object.assign(error, { pos: name.index + regexpExec.call(/^const\s+/, name[0])[0].length });
    error.loc = acorn().getLineInfo(text, error.pos);
  }
  // V8 points to where the number or the expression begins.
  const isNumber = stringStartsWith.call(message, 'Identifier directly');
  const before = isNumber ? regexpExec.call(/[\w.]*$/, stringSlice.call(text, 0, error.pos))[0].length :
    stringStartsWith.call(message, 'Unterminated regular') ? 1 : 0;
  if (before > 0) {
    error.pos -= before;
    error.loc = acorn().getLineInfo(text, error.pos);
  }
  const isText = words === 'Invalid or unexpected token' && regexpTest(/^Unterminated string/, message);
  const length = isText ? regexpExec.call(/^[^\n]*/, stringSlice.call(text, error.pos))[0].length :
    isNumber ? before : tokenAt(text, error.pos).length;
  return { message: words, line: error.loc.line, column: error.loc.column + 1, at: error.pos, length: Math.max(length, 1), isUnfinished: isUnclosed };
}

// Whether more text could make it right.
function isUnfinished(message, text, { pos, raisedAt }) {
  if (stringStartsWith.call(message, 'Unterminated template') || stringStartsWith.call(message, 'Unterminated comment')) return true;
  if (stringStartsWith.call(message, 'Unterminated string')) return regexpTest(/\\(?:\r\n?|\n|\u2028|\u2029)$/, stringSlice.call(text, pos)) || regexpTest(/\\\n$/, text);
  if (stringTrim.call(stringSlice.call(text, pos)) !== '' || regexpTest(NO_VALUE, text)) return false;
  return raisedAt >= stringTrimmed(text) || stringEndsWith.call(text, '\n');
}
const stringTrimmed = (text) => regexpReplace(/\s+$/, text, '').length;

module.exports = { acorn, errorOf, parse };
