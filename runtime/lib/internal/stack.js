'use strict';
// Stacks as people know them from Node. The engine writes "function@file:line:column";
// here that becomes "    at function (file:line:column)", without the frames that are
// ours, and with the column corrected for the wrapper around a module's first line.

const { wrapperLength } = require('internal/tools');

function location(file, lineNumber, column) {
  if (lineNumber === 1 && !file.startsWith('node:')) column = Math.max(1, column - wrapperLength(file));
  return `${file}:${lineNumber}:${column}`;
}

// The frames of an engine's stack: { name, file, line, column }.
function frames(stack) {
  const list = [];
  for (const text of stack.split('\n')) {
    const at = text.indexOf('@');
    let name = at < 0 ? '' : text.slice(0, at);
    const where = text.slice(at + 1);
    const match = /^(.*):(\d+):(\d+)$/.exec(where);
    if (name === 'global code' || name === 'module code' || name === 'eval code') name = '';
    if (match !== null) list.push({ name, file: match[1], line: +match[2], column: +match[3] });
    else if (where !== '' && !where.startsWith('[native')) list.push({ name: name || where, file: '' });
  }
  return list;
}

function isOurs(frame) {
  return frame.file.startsWith('node:') || frame.file === '';
}

function format(stack) {
  const all = frames(stack);
  let list = all.filter((frame) => !isOurs(frame));
  // An error from inside us alone still says where.
  if (list.length === 0) list = all.filter((frame) => frame.file !== '');
  const limit = typeof Error.stackTraceLimit === 'number' ? Error.stackTraceLimit : 10;
  list = list.slice(0, Math.min(10, limit));
  return list.map(({ name, file, line, column }) => {
    const where = location(file, line, column);
    return name === '' ? `\n    at ${where}` : `\n    at ${name} (${where})`;
  }).join('');
}

// The first line, as Node has it: "TypeError [CODE]: message".
function header(error) {
  let name = error.name === undefined ? 'Error' : String(error.name);
  if (typeof error.code === 'string' && error.code.startsWith('ERR_') && !name.includes('['))
    name = `${name} [${error.code}]`;
  const message = error.message === undefined ? '' : String(error.message);
  return message === '' ? name : `${name}: ${message}`;
}

// error.stack in Node's form, whatever is in it.
function full(error) {
  const { stack } = error;
  if (typeof stack !== 'string') return header(error);
  if (/^\s+at /m.test(stack)) return stack; // somebody made it that way already
  if (stack !== '' && !/(^|\n)[^\n]*(@|:\d+:\d+$)/.test(stack)) return stack;
  return header(error) + format(stack);
}

function trace(error) {
  const lines = frames(new Error().stack).filter((frame) => !isOurs(frame));
  return header(error) + lines.map(({ name, file, line, column }) => {
    const where = location(file, line, column);
    return name === '' ? `\n    at ${where}` : `\n    at ${name} (${where})`;
  }).join('');
}

module.exports = { frames, full, header, isOurs, location, trace };
