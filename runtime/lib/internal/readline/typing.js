'use strict';
// Which key does what.

const { DateNow, regexpSplit, stringCodePointAt } = intrinsics;
const editing = require('internal/readline/editing');
const { clearScreen } = require('internal/readline/screen');
const { ENDS } = require('internal/readline/lines');

const KEYS = {
  __proto__: null,
  backspace: editing.deleteLeft, delete: editing.deleteRight,
  left: editing.toLeft, right: editing.toRight, home: editing.toBegin, end: editing.toEnd,
  up: (rl) => rl._historyPrev(), down: (rl) => rl._historyNext(),
};
const WITH_CTRL = {
  __proto__: null,
  a: editing.toBegin, b: editing.toLeft, c: (rl) => interrupted(rl), d: (rl) => endOrDelete(rl), e: editing.toEnd, f: editing.toRight,
  h: editing.deleteLeft, k: editing.cutLineRight, l: clearScreen, n: (rl) => rl._historyNext(), p: (rl) => rl._historyPrev(),
  u: editing.cutLineLeft, w: editing.deleteWordLeft, y: editing.yank, z: (rl) => stop(rl),
  backspace: editing.deleteWordLeft, delete: editing.deleteWordRight, left: editing.toWordLeft, right: editing.toWordRight,
};
const WITH_CTRL_SHIFT = { __proto__: null, backspace: editing.cutLineLeft, delete: editing.cutLineRight };
const WITH_META = {
  __proto__: null,
  b: editing.toWordLeft, d: editing.deleteWordRight, f: editing.toWordRight, y: editing.yankOlder,
  backspace: editing.deleteWordLeft, delete: editing.deleteWordRight,
};
const REDO = 0x1e; // Ctrl-6
const UNDO = 0x1f; // Ctrl--

function interrupted(rl) {
  if (rl.listenerCount('SIGINT') > 0) rl.emit('SIGINT');
  else rl.close();
}

function endOrDelete(rl) {
  if (rl.cursor === 0 && rl.line.length === 0) rl.close();
  else editing.deleteRight(rl);
}

// Stops the program, as a shell's job; when it goes on, the line is drawn again.
function stop(rl) {
  if (rl.listenerCount('SIGTSTP') > 0) {
    rl.emit('SIGTSTP');
    return;
  }
  process.once('SIGCONT', () => {
    if (!rl.paused) { // what the program printed meanwhile is left to a listener
      rl.pause();
      rl.emit('SIGCONT');
    }
    rl._setRawMode(true);
    rl._refreshLine();
  });
  rl._setRawMode(false);
  process.kill(process.pid, 'SIGTSTP');
}

// A return, and the newline that some terminals send behind it.
function ended(rl, name) {
  const { returnAt } = rl._ends;
  rl._ends.returnAt = name === 'return' ? DateNow() : 0;
  if (name === 'return' || returnAt === 0 || DateNow() - returnAt > rl.crlfDelay) rl._line();
}

// A text may have been pasted: each end of a line in it counts as return.
function inserted(rl, text) {
  const parts = regexpSplit(ENDS, text);
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) rl._line();
    if (parts[i] !== '' || parts.length === 1) rl._insertString(parts[i]);
  }
}

function plain(rl, text, name, previous) {
  if (name === 'return' || name === 'enter') {
    ended(rl, name);
  } else if (name === 'tab' && typeof rl.completer === 'function' && rl.isCompletionEnabled) {
    rl._tabComplete(previous !== undefined && previous.name === 'tab');
  } else if (name in KEYS) {
    KEYS[name](rl);
  } else if (typeof text === 'string' && text !== '') {
    inserted(rl, text);
  }
}

function type(rl, text, key = {}) {
  const previous = rl._previousKey;
  rl._previousKey = key;
  const { name, ctrl, meta, shift, sequence } = key;
  if (!meta || name !== 'y') editing.memoryOf(rl).isYanking = false;
  editing.noteSearch(rl, (name === 'up' || name === 'down') && !ctrl && !meta && !shift);
  if (typeof sequence === 'string') {
    const code = stringCodePointAt.call(sequence, 0);
    if (code === UNDO || code === REDO) {
      (code === UNDO ? editing.undo : editing.redo)(rl);
      return;
    }
  }
  if (name === 'escape') return;
  if (ctrl) (shift ? WITH_CTRL_SHIFT : WITH_CTRL)[name]?.(rl);
  else if (meta) WITH_META[name]?.(rl);
  else plain(rl, text, name ?? '', previous);
}

module.exports = { type };
