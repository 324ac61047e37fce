'use strict';
// Stacks as people know them from Node. The engine writes "function@file:line:column";
// here that becomes "    at function (file:line:column)", without the frames that are
// ours, and with the column corrected for the wrapper around a module's first line.

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

function isOurs(frame) {
  return stringStartsWith.call(frame.file, 'node:');
}

function format(stack, error) {
  const all = frames(stack);
  let list = arrayFilter.call(all, (frame) => !isOurs(frame));
  // The classes an error is made through are no places it came from.
  const classes = new Set();
  for (let at = error; at; at = Object.getPrototypeOf(at)) classes.add(at.constructor?.name);
  while (list.length > 1 && list[0].name !== '' && classes.has(list[0].name)) arrayShift.call(list);
  // An error from inside us alone still says where, unless it came from C with none of our
  // code around: there only the making of it is to be seen.
  if (list.length === 0) list = arrayFilter.call(all, (frame) => frame.file !== 'node:internal/engine');
  const limit = typeof Error.stackTraceLimit === 'number' ? Error.stackTraceLimit : 10;
  list = arraySlice.call(list, 0, Math.min(10, limit));
  return arrayJoin.call(arrayMap.call(list, lineOf), '');
}

function lineOf(frame) {
  const { text } = location(frame);
  return frame.name === '' ? `\n    at ${text}` : `\n    at ${frame.name} (${text})`;
}

// The first line, as Node has it: "TypeError [CODE]: message".
function header(error) {
  let name = error.name === undefined ? 'Error' : String(error.name);
  if (error[tools.kOurs]) name = `${name} [${error.code}]`;
  const message = error.message === undefined ? '' : String(error.message);
  return message === '' ? name : `${name}: ${message}`;
}

// Node's stack of an error that has the engine's.
const from = (error, raw) => header(error) + format(raw, error);

// error.stack in Node's form, whatever is in it.
function full(error) {
  const { stack } = error;
  if (typeof stack !== 'string') return header(error);
  if (regexpTest(/^\s+at /m, stack)) return stack; // somebody made it that way already
  if (stack !== '' && !regexpTest(/(^|\n)[^\n]*(@|:\d+:\d+$)/, stack)) return stack;
  require('internal/words').reword(error);
  return from(error, stack);
}

function trace(error) {
  const lines = arrayFilter.call(frames(new Error().stack), (frame) => !isOurs(frame));
  return header(error) + arrayJoin.call(arrayMap.call(lines, lineOf), '');
}

module.exports = { frames, from, full, header, isOurs, location, trace };
