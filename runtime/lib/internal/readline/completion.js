'use strict';
// The tab key: asks the program's completer, inserts what all its answers begin with, and lists the
// answers when tab is pressed twice.

const {
  arrayFilter, arrayMap, over, stringRepeat, stringSlice, stringStartsWith,
} = intrinsics;
const { inspect } = require('internal/inspect');
const { columnsOf } = require('internal/inspect_text');
const { memoryOf, insert } = require('internal/readline/editing');
const { commonStart } = require('internal/readline/words');
const { widthOf } = require('internal/readline/screen');

const GAP = 2; // columns between two answers
const END = '\r\n';

// Answers in columns; an empty one separates groups.
function listed(answers, width) {
  const widths = arrayMap.call(answers, (answer) => columnsOf(answer));
  const step = Math.max(...over(widths)) + GAP;
  const most = width === Infinity ? 1 : Math.floor(width / step) || 1;
  let text = END;
  let inRow = 0;
  let gap = 0;
  for (let i = 0; i < answers.length; i++) {
    if (answers[i] === '' || inRow === most) {
      text += END;
      inRow = 0;
      gap = 0;
    }
    if (answers[i] === '') {
      text += END;
      continue;
    }
    text += stringRepeat.call(' ', gap) + answers[i];
    gap = step - widths[i];
    inRow++;
  }
  return inRow === 0 ? text : text + END + END;
}

function apply(rl, isSecond, result) {
  const { 0: answers, 1: typed } = result;
  if (!answers || answers.length === 0) return;
  const start = commonStart(arrayFilter.call(answers, (answer) => answer !== ''));
  if (stringStartsWith.call(start, typed) && start.length > typed.length) {
    insert(rl, stringSlice.call(start, typed.length));
  } else if (!stringStartsWith.call(typed, start)) { // what was typed is spelled otherwise
    const head = stringSlice.call(rl.line, 0, rl.cursor - typed.length) + start;
    rl.line = head + stringSlice.call(rl.line, rl.cursor);
    rl.cursor = head.length;
    rl._refreshLine();
  } else if (isSecond) {
    memoryOf(rl).changes.note({ line: rl.line, cursor: rl.cursor });
    rl._writeToOutput(listed(answers, widthOf(rl)));
    rl._refreshLine();
  }
}

function fail(rl, error) {
  rl._writeToOutput(`Tab completion error: ${inspect(error)}`);
}

// A completer with a callback; the line is paused until it calls back.
function complete(rl, isSecond) {
  rl.pause();
  rl.completer(stringSlice.call(rl.line, 0, rl.cursor), (error, result) => {
    rl.resume();
    if (error) fail(rl, error);
    else apply(rl, isSecond, result);
  });
}

// A completer of readline/promises, which may return its answer or a promise for it.
async function completeLater(rl, isSecond) {
  let answer;
  rl.pause();
  try {
    answer = await rl.completer(stringSlice.call(rl.line, 0, rl.cursor));
  } catch (error) {
    fail(rl, error);
    return;
  } finally {
    rl.resume();
  }
  apply(rl, isSecond, answer);
}

module.exports = { complete, completeLater };
