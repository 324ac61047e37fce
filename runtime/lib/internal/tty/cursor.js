'use strict';
// Moving the cursor of a terminal and clearing what is on it, by control sequences. Each function
// writes to a stream and returns the result of that write; an argument that isn't a number is an
// error; a callback is called after the write.

const { NumberIsNaN } = intrinsics;
const { coded, invalidArgValue, validateFunction } = require('internal/errors');

const CSI = '\x1b[';

function write(stream, text, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (stream !== null && stream !== undefined && text !== '') return stream.write(text, callback);
  if (typeof callback === 'function') process.nextTick(callback, null);
  return true;
}

function cursorTo(stream, x, y, callback) {
  if (typeof y === 'function') ({ 0: y, 1: callback } = [undefined, y]);
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (NumberIsNaN(x)) throw invalidArgValue('x', x);
  if (NumberIsNaN(y)) throw invalidArgValue('y', y);
  if (stream === null || stream === undefined || (typeof x !== 'number' && typeof y !== 'number')) return write(null, '', callback);
  if (typeof x !== 'number')
    throw coded(TypeError, 'ERR_INVALID_CURSOR_POS', 'Cannot set cursor row without setting its column');
  return write(stream, typeof y === 'number' ? `${CSI}${y + 1};${x + 1}H` : `${CSI}${x + 1}G`, callback);
}

function moveCursor(stream, dx, dy, callback) {
  let text = '';
  if (dx !== 0 && dx) text += dx < 0 ? `${CSI}${-dx}D` : `${CSI}${dx}C`;
  if (dy !== 0 && dy) text += dy < 0 ? `${CSI}${-dy}A` : `${CSI}${dy}B`;
  return write(stream, text, callback);
}

// To the left of the cursor for a negative direction, to the right for a positive one, else all.
const clearLine = (stream, direction, callback) =>
  write(stream, direction < 0 ? `${CSI}1K` : direction > 0 ? `${CSI}0K` : `${CSI}2K`, callback);

const clearScreenDown = (stream, callback) => write(stream, `${CSI}0J`, callback);

module.exports = { clearLine, clearScreenDown, cursorTo, moveCursor };
