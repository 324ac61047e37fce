'use strict';
// The line that is edited, on the terminal: where the cursor is and how the line is drawn. A line that
// is longer than the terminal is wide goes on in the rows below.

const { over, stringSlice } = intrinsics;
const cursor = require('internal/tty/cursor');
const { columnsOf } = require('internal/inspect_text');
const { stripVTControlCharacters } = require('util');

const widthOf = (rl) => rl.output?.columns || Infinity; // a terminal may not know its width: 0

// Where the cursor stands behind a text that begins in the first column.
function placeBehind(rl, text) {
  const width = widthOf(rl);
  let column = 0; // from the beginning of the row in which the text's last line begins
  let rows = 0;
  for (const character of over(stripVTControlCharacters(text))) {
    if (character === '\n') {
      rows += Math.ceil(column / width) || 1;
      column = 0;
    } else if (character === '\t') {
      column += rl.tabSize - column % rl.tabSize;
    } else {
      const columns = character >= ' ' && character <= '~' ? 1 : columnsOf(character, false);
      // A wide character that doesn't fit into a row begins the next one.
      if (columns === 2 && (column + 1) % width === 0) column++;
      column += columns;
    }
  }
  if (width === Infinity) return { cols: column, rows };
  const cols = column % width;
  return { cols, rows: rows + (column - cols) / width };
}

const cursorPlace = (rl, at = rl.cursor) => placeBehind(rl, rl._prompt + stringSlice.call(rl.line, 0, at));

// Draws prompt and line again, over what was drawn before.
function redraw(rl) {
  const { output } = rl;
  const text = rl._prompt + rl.line;
  const end = placeBehind(rl, text);
  const place = cursorPlace(rl);
  if (rl.prevRows > 0) cursor.moveCursor(output, 0, -rl.prevRows);
  cursor.cursorTo(output, 0);
  cursor.clearScreenDown(output);
  rl._writeToOutput(text);
  if (end.cols === 0) rl._writeToOutput(' '); // makes the terminal begin the next row
  cursor.cursorTo(output, place.cols);
  if (end.rows > place.rows) cursor.moveCursor(output, 0, place.rows - end.rows);
  rl.prevRows = place.rows;
}

// Moves the cursor by a number of characters of the line.
function moveBy(rl, count) {
  if (count === 0) return;
  const before = cursorPlace(rl);
  rl.cursor = Math.min(Math.max(rl.cursor + count, 0), rl.line.length);
  const after = cursorPlace(rl);
  if (before.rows === after.rows) cursor.moveCursor(rl.output, after.cols - before.cols, 0);
  else rl._refreshLine();
}

function clearScreen(rl) {
  cursor.cursorTo(rl.output, 0, 0);
  cursor.clearScreenDown(rl.output);
  rl._refreshLine();
}

module.exports = { clearScreen, cursorPlace, moveBy, placeBehind, redraw, widthOf };
