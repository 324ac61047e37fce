'use strict';
// The work of a terminal's keys on the line that is edited: `rl.line` and `rl.cursor`, which are a
// program's to read and write, too.

const { arrayIndexOf, arrayPop, arraySplice, arrayUnshift, stringSlice, stringStartsWith, stringTrim } = intrinsics;
const screen = require('internal/readline/screen');
const { Changes, Cuts } = require('internal/readline/memory');
const { lengthLeft, lengthRight, wordDeleted, wordLeft, wordRight } = require('internal/readline/words');

const memories = new WeakMap(); // of interfaces on a terminal
function memoryOf(rl) {
  let memory = memories.get(rl);
  if (memory === undefined) memories.set(rl, memory = { changes: new Changes(), cuts: new Cuts(), isYanking: false, search: null, pastedFrom: undefined });
  return memory;
}

const stateOf = ({ line, cursor }) => ({ line, cursor });

function change(rl, line, cursor) {
  memoryOf(rl).changes.note(stateOf(rl));
  rl.line = line;
  rl.cursor = cursor;
  rl._refreshLine();
}

// --- inserting and deleting ----------------------------------------------------------------------------

function insert(rl, text) {
  const { line, cursor } = rl;
  const memory = memoryOf(rl);
  memory.changes.note(stateOf(rl));
  const isAtEnd = cursor >= line.length;
  // Of a text that was pasted, each character but the last arrives with no completion: they are only
  // written, and the last one sees whether the line goes on in another row.
  const isPasted = isAtEnd && !rl.isCompletionEnabled;
  const rows = isPasted ? 0 : memory.pastedFrom ?? (isAtEnd ? screen.cursorPlace(rl).rows : 0);
  if (isPasted) memory.pastedFrom ??= screen.cursorPlace(rl).rows;
  else memory.pastedFrom = undefined;
  rl.line = stringSlice.call(line, 0, cursor) + text + stringSlice.call(line, cursor);
  rl.cursor = cursor + text.length;
  // Text typed at the end needs no drawing of the rest, unless it goes on in another row.
  if (isPasted || (isAtEnd && rows >= screen.cursorPlace(rl).rows)) rl._writeToOutput(text);
  else rl._refreshLine();
}

// Takes out the text between two places; returns it.
function cutOut(rl, from, to) {
  const { line } = rl;
  if (from >= to) return '';
  const text = stringSlice.call(line, from, to);
  change(rl, stringSlice.call(line, 0, from) + stringSlice.call(line, to), from);
  return text;
}

const deleteLeft = (rl) => cutOut(rl, rl.cursor - lengthLeft(rl.line, rl.cursor), rl.cursor);
function deleteRight(rl) {
  if (rl.cursor < rl.line.length) cutOut(rl, rl.cursor, rl.cursor + lengthRight(rl.line, rl.cursor));
}
const deleteWordLeft = (rl) => cutOut(rl, wordLeft(rl.line, rl.cursor), rl.cursor);
const deleteWordRight = (rl) => cutOut(rl, rl.cursor, wordDeleted(rl.line, rl.cursor));

// To the beginning or the end of the line: kept, to be inserted again.
function cutLine(rl, from, to) {
  if (from < to) memoryOf(rl).cuts.add(cutOut(rl, from, to));
  else change(rl, rl.line, rl.cursor);
}
const cutLineLeft = (rl) => cutLine(rl, 0, rl.cursor);
const cutLineRight = (rl) => cutLine(rl, rl.cursor, rl.line.length);

function yank(rl) {
  const memory = memoryOf(rl);
  const text = memory.cuts.current;
  if (text === undefined) return;
  memory.isYanking = true;
  insert(rl, text);
}

// Replaces what was just inserted by what was cut before it.
function yankOlder(rl) {
  const { cuts, isYanking } = memoryOf(rl);
  const last = cuts.current;
  if (!isYanking || !cuts.turn()) return;
  const { line, cursor } = rl;
  const head = stringSlice.call(line, 0, cursor - last.length) + cuts.current;
  rl.line = head + stringSlice.call(line, cursor);
  rl.cursor = head.length;
  rl._refreshLine();
}

function restore(rl, direction) {
  const state = memoryOf(rl).changes[direction](stateOf(rl));
  if (state === undefined) return;
  rl.line = state.line;
  rl.cursor = state.cursor;
  rl._refreshLine();
}
const undo = (rl) => restore(rl, 'back');
const redo = (rl) => restore(rl, 'forward');

// --- moving ---------------------------------------------------------------------------------------------

const toLeft = (rl) => screen.moveBy(rl, -lengthLeft(rl.line, rl.cursor));
const toRight = (rl) => screen.moveBy(rl, lengthRight(rl.line, rl.cursor));
const toBegin = (rl) => screen.moveBy(rl, -Infinity);
const toEnd = (rl) => screen.moveBy(rl, Infinity);
const toWordLeft = (rl) => screen.moveBy(rl, wordLeft(rl.line, rl.cursor) - rl.cursor);
const toWordRight = (rl) => screen.moveBy(rl, wordRight(rl.line, rl.cursor) - rl.cursor);

// --- history ----------------------------------------------------------------------------------------------

// Up and down look only at lines that begin with what stood before the cursor when the first of them
// was pressed. Called before every other key, too, which ends that.
function noteSearch(rl, isVertical) {
  const memory = memoryOf(rl);
  if (isVertical) {
    memory.search ??= stringSlice.call(rl.line, 0, rl.cursor);
  } else if (memory.search !== null) {
    memory.search = null;
    if (rl.historyIndex === rl.history.length) rl.historyIndex = -1;
  }
}

function showEntry(rl, index, text) {
  rl.historyIndex = index;
  rl.line = text;
  rl.cursor = text.length;
  rl._refreshLine();
}

// step: 1 to older lines, -1 to newer ones
function recall(rl, step) {
  const { history, historyIndex } = rl;
  if (history.length === 0) return;
  if (step > 0 ? historyIndex >= history.length : historyIndex < 0) return;
  const memory = memoryOf(rl);
  const search = memory.search ?? '';
  memory.changes.note(stateOf(rl));
  let index = historyIndex + step;
  while (index >= 0 && index < history.length && (!stringStartsWith.call(history[index], search) || history[index] === rl.line)) index += step;
  showEntry(rl, index, index >= 0 && index < history.length ? history[index] : search);
}
const older = (rl) => recall(rl, 1);
const newer = (rl) => recall(rl, -1);

// Puts the line into the history. Returns the line that is then to be emitted: a listener of
// "history" may have changed it.
function keep(rl) {
  const { line } = rl;
  if (line.length === 0) return '';
  if (!rl.history || rl.historySize === 0 || stringTrim.call(line) === '') return line;
  const { history } = rl;
  if (history.length === 0 || history[0] !== line) {
    const at = rl.removeHistoryDuplicates ? arrayIndexOf.call(history, line) : -1;
    if (at !== -1) arraySplice.call(history, at, 1);
    arrayUnshift.call(history, line);
    if (history.length > rl.historySize) arrayPop.call(history);
  }
  rl.historyIndex = -1;
  const { 0: kept } = rl.history;
  rl.emit('history', rl.history);
  return rl.history.length === 0 ? kept : rl.history[0];
}

// --- the end of a line ---------------------------------------------------------------------------------

function clear(rl) {
  toEnd(rl);
  rl._writeToOutput('\r\n');
  rl.line = '';
  rl.cursor = 0;
  rl.prevRows = 0;
}

function finish(rl) {
  const line = rl._addHistory();
  const memory = memoryOf(rl);
  memory.changes.forget();
  memory.pastedFrom = undefined;
  rl.clearLine();
  rl._onLine(line);
}

module.exports = {
  clear, cutLineLeft, cutLineRight, deleteLeft, deleteRight, deleteWordLeft, deleteWordRight, finish, insert, keep, memoryOf,
  newer, noteSearch, older, redo, toBegin, toEnd, toLeft, toRight, toWordLeft, toWordRight, undo, yank, yankOlder,
};
