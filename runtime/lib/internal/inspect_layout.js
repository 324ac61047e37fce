'use strict';
// Where util.inspect puts the entries of an object: on one line if they fit, many short
// elements in columns, everything else on lines of their own.

const {
  arrayJoin, arrayMap, arrayPush, arraySlice, over, stringIncludes, stringPadEnd, stringPadStart,
  stringRepeat, stringSlice,
} = intrinsics;
const { columnsOf, withoutColors } = require('internal/inspect_text');

const width = (ctx, text) => (ctx.colors ? withoutColors(text) : text).length;

function fits(ctx, output, start, base) {
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (const entry of over(output)) if ((total += width(ctx, entry)) > ctx.breakLength) return false;
  return base === '' || !stringIncludes.call(base, '\n');
}

// Concatenation instead of join(): the engine assembles the pieces of all levels once, at the end,
// where join() would copy the inner levels again at each outer one.
function concatenated(output, separator) {
  let text = output[0] ?? '';
  for (let i = 1; i < output.length; i++) text += separator + output[i];
  return text;
}

function layout(ctx, output, base, open, close, array, depth, value) {
  const front = base === '' ? '' : `${base} `;
  if (ctx.compact === true) {
    if (fits(ctx, output, 0, base)) return `${open}${base === '' ? '' : ` ${base}`} ${arrayJoin.call(output, ', ')} ${close}`;
    const pad = stringRepeat.call(' ', ctx.indent);
    const first = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}\n${pad}  `;
    return `${open}${first}${concatenated(output, `,\n${pad}  `)} ${close}`;
  }
  if (ctx.compact >= 1) {
    const entries = output.length;
    if (array && entries > 6) output = columns(ctx, output, value);
    // The innermost levels go on one line if there is room.
    if (ctx.deepest - depth < ctx.compact && entries === output.length) {
      const start = output.length + ctx.indent + open.length + base.length + 10;
      if (fits(ctx, output, start, base)) {
        const joined = arrayJoin.call(output, ', ');
        if (!stringIncludes.call(joined, '\n')) return `${front}${open} ${joined} ${close}`;
      }
    }
  }
  const line = `\n${stringRepeat.call(' ', ctx.indent)}`;
  return `${front}${open}${line}  ${concatenated(output, `,${line}  `)}${line}${close}`;
}

// Many short elements are put in columns, roughly as a square.
function columns(ctx, output, value) {
  const last = ctx.maxArrayLength < output.length ? output.length - 1 : output.length;
  const widths = arrayMap.call(arraySlice.call(output, 0, last), (entry) => columnsOf(entry, ctx.colors));
  let total = 0;
  let longest = -Infinity;
  for (let i = 0; i < widths.length; i++) {
    total += widths[i] + 2;
    longest = Math.max(longest, widths[i]);
  }
  const cell = longest + 2;
  if (cell * 3 + ctx.indent >= ctx.breakLength || !(total / cell > 5 || longest <= 6)) return output;
  const bias = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
  const count = Math.min(Math.round(Math.sqrt(2.5 * bias * last) / bias), Math.floor((ctx.breakLength - ctx.indent) / cell),
    ctx.compact * 4, 15);
  if (count <= 1) return output;
  const columnWidths = [];
  for (let column = 0; column < count; column++) {
    let widest = 0;
    for (let at = column; at < last; at += count) widest = Math.max(widest, widths[at]);
    arrayPush.call(columnWidths, widest + 2);
  }
  let right = true;
  if (value !== undefined)
    for (let at = 0; at < output.length; at++)
      if (typeof value[at] !== 'number' && typeof value[at] !== 'bigint') {
        right = false;
        break;
      }
  const lines = [];
  for (let at = 0; at < last; at += count) {
    const end = Math.min(at + count, last);
    let line = '';
    for (let cellAt = at; cellAt < end; cellAt++) {
      const isLast = cellAt === end - 1;
      const text = isLast ? output[cellAt] : `${output[cellAt]}, `;
      const room = columnWidths[cellAt - at] + output[cellAt].length - widths[cellAt] - (isLast ? 2 : 0);
      if (right) line += stringPadStart.call(text, room);
      else line += isLast ? text : stringPadEnd.call(text, room);
    }
    arrayPush.call(lines, line);
  }
  if (last < output.length) arrayPush.call(lines, output[last]);
  return lines;
}

module.exports = { layout };
