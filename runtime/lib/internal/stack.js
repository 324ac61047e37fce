'use strict';
// Stacks as people know them from Node. The engine writes "function@file:line:column";
// here that becomes "    at function (file:line:column)", without the frames that are
// ours, and with the column corrected for the wrapper around a module's first line.

const tools = require('internal/tools');

const wrapperLength = (file) => tools.wrapperLength?.(file) ?? 0;

// The place, in the file's own columns.
function location({ file, line, column, ready }) {
  if (!ready && line === 1 && !file.startsWith('node:')) column = Math.max(1, column - wrapperLength(file));
  return { file, line, column, text: `${file}:${line}:${column}` };
}

const atLine = /^ +at (?:(.*) \()?(.*?):(\d+):(\d+)\)?$/;
const engineLine = /^(?:(.*?)@)?(.*):(\d+):(\d+)$/;
const programs = new Set(['global code', 'module code', 'eval code']);

// The frames of a stack in either form: { name, file, line, column }.
function frames(stack) {
  const list = [];
  for (const text of stack.split('\n')) {
    const ready = atLine.exec(text);
    const match = ready ?? engineLine.exec(text);
    if (match === null) continue;
    const [, name = '', file, line, column] = match;
    list.push({ name: programs.has(name) ? '' : name, file, line: +line, column: +column, ready: ready !== null });
  }
  return list;
}

function isOurs(frame) {
  return frame.file.startsWith('node:');
}

function format(stack, error) {
  const all = frames(stack);
  let list = all.filter((frame) => !isOurs(frame));
  // The classes an error is made through are no places it came from.
  const classes = new Set();
  for (let at = error; at; at = Object.getPrototypeOf(at)) classes.add(at.constructor?.name);
  while (list.length > 1 && list[0].name !== '' && classes.has(list[0].name)) list.shift();
  // An error from inside us alone still says where, unless it came from C with none of our
  // code around: there only the making of it is to be seen.
  if (list.length === 0) list = all.filter((frame) => frame.file !== 'node:internal/engine');
  const limit = typeof Error.stackTraceLimit === 'number' ? Error.stackTraceLimit : 10;
  list = list.slice(0, Math.min(10, limit));
  return list.map(lineOf).join('');
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
  if (/^\s+at /m.test(stack)) return stack; // somebody made it that way already
  if (stack !== '' && !/(^|\n)[^\n]*(@|:\d+:\d+$)/.test(stack)) return stack;
  require('internal/words').reword(error);
  return from(error, stack);
}

function trace(error) {
  const lines = frames(new Error().stack).filter((frame) => !isOurs(frame));
  return header(error) + lines.map(lineOf).join('');
}

module.exports = { frames, from, full, header, isOurs, location, trace };
