'use strict';
// Stacks in Node's format. The engine writes "function@file:line:column"; here that becomes "at
// function (file:line:column)", without the runtime's own frames, and with the column corrected for
// the wrapper around a module's first line.

const {
  arrayFilter, arrayJoin, arrayMap, arrayPush, arrayShift, arraySlice, over, regexpExec, regexpTest, stringSplit,
  stringStartsWith,
} = intrinsics;
const tools = require('internal/tools');

const wrapperLength = (file) => tools.wrapperLength?.(file) ?? 0;

// The place, in the file's own columns.
function location({ file, line, column, ready }) {
  if (!ready && line === 1 && !stringStartsWith.call(file, 'node:')) column = Math.max(1, column - wrapperLength(file));
  return { file, line, column, text: `${file}:${line}:${column}` };
}

const atLine = /^ +at (?:(.*) \()?(.*?):(\d+):(\d+)\)?$/;
const engineLine = /^(?:(.*?)@)?(.*):(\d+):(\d+)$/;
const programs = new Set(['global code', 'module code', 'eval code']);

// The frames of a stack in either form: { name, file, line, column }.
function frames(stack) {
  const list = [];
  for (const text of over(stringSplit.call(stack, '\n'))) {
    const ready = regexpExec.call(atLine, text);
    const match = ready ?? regexpExec.call(engineLine, text);
    if (match === null) continue;
    const { 1: name = '', 2: file, 3: line, 4: column } = match;
    arrayPush.call(list, { name: programs.has(name) ? '' : name, file, line: +line, column: +column, ready: ready !== null });
  }
  return list;
}

// Agents of packages look into a stack for https, to know whose request they serve.
function isOurs(frame) {
  return stringStartsWith.call(frame.file, 'node:') && frame.file !== 'node:https';
}

// The frames that are shown to a program.
function shown(stack, error, limit) {
  const all = frames(stack);
  let list = arrayFilter.call(all, (frame) => !isOurs(frame));
  // The constructors of an error's classes aren't part of its stack.
  const classes = new Set();
  for (let at = error; at; at = Object.getPrototypeOf(at)) classes.add(at.constructor?.name);
  while (list.length > 1 && list[0].name !== '' && classes.has(list[0].name)) arrayShift.call(list);
  // An error from inside the runtime still shows its place, unless it comes from C with no
  // JavaScript around it.
  if (list.length === 0) list = arrayFilter.call(all, (frame) => frame.file !== 'node:internal/engine');
  return arraySlice.call(list, 0, typeof limit === 'number' ? Math.max(0, limit) : 10);
}

const format = (stack, error, limit) => arrayJoin.call(arrayMap.call(shown(stack, error, limit), lineOf), '');

// The call sites for Error.prepareStackTrace: the methods are V8's, and unknown facts are answered
// as V8 does for a plain function.
class CallSite {
  #name;
  #place;

  constructor(frame) {
    this.#name = frame.name;
    this.#place = location(frame);
  }

  getFileName() { return this.#place.file; }
  getScriptNameOrSourceURL() { return this.#place.file; }
  getLineNumber() { return this.#place.line; }
  getColumnNumber() { return this.#place.column; }
  getEnclosingLineNumber() { return this.#place.line; }
  getEnclosingColumnNumber() { return this.#place.column; }
  getFunctionName() { return this.#name === '' ? null : this.#name; }
  getMethodName() { return null; }
  getTypeName() { return 'Object'; }
  getThis() { return undefined; }
  getFunction() { return undefined; }
  getEvalOrigin() { return undefined; }
  getPosition() { return 0; }
  getPromiseIndex() { return null; }
  getScriptHash() { return ''; }
  isAsync() { return false; }
  isConstructor() { return false; }
  isEval() { return false; }
  isNative() { return this.#place.file === '[native code]'; }
  isPromiseAll() { return false; }
  isToplevel() { return this.#name === ''; }
  toString() { return this.#name === '' ? this.#place.text : `${this.#name} (${this.#place.text})`; }
}

const callSites = (error, raw, limit) => arrayMap.call(shown(raw, error, limit), (frame) => new CallSite(frame));

function lineOf(frame) {
  const { text } = location(frame);
  return frame.name === '' ? `\n    at ${text}` : `\n    at ${frame.name} (${text})`;
}

// The first line, as in Node: "TypeError [CODE]: message".
function header(error) {
  let name = error.name === undefined ? 'Error' : String(error.name);
  if (error[tools.kOurs]) name = `${name} [${error.code}]`;
  const message = error.message === undefined ? '' : String(error.message);
  return message === '' ? name : `${name}: ${message}`;
}

const ofSites = (error, sites) => header(error) + arrayJoin.call(arrayMap.call(sites, (site) => `\n    at ${site}`), '');

// Turns the engine's stack of an error into Node's.
const from = (error, raw, limit = 10) => header(error) + format(raw, error, limit);

// error.stack in Node's form, whatever it contains.
function full(error) {
  const { stack } = error;
  if (typeof stack !== 'string') return stack ? String(stack) : header(error);
  if (regexpTest(/^\s+at /m, stack)) return stack; // it has Node's form already
  if (stack !== '' && !regexpTest(/(^|\n)[^\n]*(@|:\d+:\d+$)/, stack)) return stack;
  require('internal/words').reword(error);
  return from(error, stack);
}

function trace(error) {
  const lines = arrayFilter.call(frames(require('internal/engine').rawStack(trace)), (frame) => !isOurs(frame));
  return header(error) + arrayJoin.call(arrayMap.call(lines, lineOf), '');
}

module.exports = { callSites, frames, from, full, header, isOurs, location, ofSites, trace };
