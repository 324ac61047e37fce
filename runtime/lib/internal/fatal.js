'use strict';
// The report of an uncaught error: the place, the source line with a caret, and the stack.

const { arrayFind, regexpExec, regexpReplace, regexpTest, stringSlice, stringRepeat, stringSplit, stringStartsWith } = intrinsics;
const { frames, isOurs, location } = require('internal/stack');
const { sourceOf } = require('internal/tools');

// Errors of linking, and those that a program makes itself, have words of their own.
const isCompiled = (error) => (error.constructor === SyntaxError || error.place !== undefined) && !regexpTest(/^(?:The requested module|Named export)/, error.message);

// The place of a syntax error, from the parser: the engine knows only the line. The error gets V8's words.
function misplaced(error) {
  const { sourceURL, place } = error;
  if (place !== undefined) return { file: sourceURL, line: error.line, ...place };
  try {
    const { error: found } = require('internal/syntax').parse(sourceOf(sourceURL), stringStartsWith.call(sourceURL, 'file:') ? 'module' : 'commonjs');
    if (found === undefined) return undefined;
    Object.defineProperty(error, 'message', { __proto__: null, value: found.message, writable: true, configurable: true });
    return { file: sourceURL, line: found.line, column: found.column, length: found.length };
  } catch {
    return undefined;
  }
}

function position(error) {
  if (error.name === 'SyntaxError' && typeof error.sourceURL === 'string' && typeof error.line === 'number' &&
      sourceOf(error.sourceURL) !== undefined)
    return (isCompiled(error) ? misplaced(error) : undefined) ?? { file: error.sourceURL, line: error.line, column: 0 };
  const frame = typeof error.stack === 'string' ? arrayFind.call(frames(error.stack), (each) => !isOurs(each)) : undefined;
  if (frame !== undefined) return location(frame);
  // The program has removed or changed the stack; the engine still knows where the error was made.
  if (typeof error.sourceURL !== 'string' || stringStartsWith.call(error.sourceURL, 'node:')) return undefined;
  return location({ file: error.sourceURL, line: error.line, column: error.column });
}

function excerpt(error) {
  const where = position(error);
  if (where === undefined) return '';
  const source = sourceOf(where.file);
  const text = source === undefined ? undefined : stringSplit.call(source, '\n')[where.line - 1];
  if (text === undefined) return `${where.file}:${where.line}\n`;
  if (text.length > 1000) return `${where.file}:${where.line}\n`;
  const column = Math.min(Math.max(where.column - 1, 0), text.length);
  const caret = where.column === 0 ? '' : `${regexpReplace(/[^\t]/g, stringSlice.call(text, 0, column), ' ')}${stringRepeat.call('^', Math.max(1, Math.min(where.length ?? 1, text.length - column)))}\n`;
  return `${where.file}:${where.line}\n${text}\n${caret}`;
}

// The text of a value, without running any code of the program.
function plain(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return '#<' + (value.constructor?.name ?? 'Object') + '>';
  return String(value);
}

// Globals of Node that aren't here.
const ABSENT = /^(fetch|Headers|FormData|WebSocket|EventSource|MessageChannel|MessagePort|MessageEvent|BroadcastChannel|CompressionStream|DecompressionStream|TextEncoderStream|TextDecoderStream|navigator) is not defined$/;

function absence(error) {
  const name = error instanceof ReferenceError && typeof error.message === 'string' ? regexpExec.call(ABSENT, error.message)?.[1] : undefined;
  return name === undefined ? '' : `\nrondo doesn't have the global ${name} (docs/runtime.md, "What differs from Node")\n`;
}

function describe(error) {
  const isError = typeof error === 'object' && error !== null &&
    (typeof error.stack === 'string' || error instanceof Error);
  if (!isError) {
    const text = typeof error === 'string' ? error : require('internal/inspect').inspect(error);
    return `Uncaught:\n${text}\n(thrown as a plain value: it carries no stack)\n\nrondo v${process.versions.rondo}\n`;
  }
  const place = excerpt(error); // first: it may put the message into other words
  let text;
  try {
    text = require('internal/inspect').inspect(error, { customInspect: false });
  } catch {
    text = require('internal/stack').full(error);
  }
  return `${place}\n${text}\n${absence(error)}\nrondo v${process.versions.rondo}\n`;
}

module.exports = { describe, plain };
