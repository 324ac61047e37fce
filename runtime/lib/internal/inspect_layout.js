'use strict';
// Where util.inspect puts the entries of an object: on one line if they fit, many short
// elements in columns, everything else on lines of their own.

const { columnsOf, withoutColors } = require('internal/inspect_text');

const width = (ctx, text) => (ctx.colors ? withoutColors(text) : text).length;

function fits(ctx, output, start, base) {
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (const entry of output) if ((total += width(ctx, entry)) > ctx.breakLength) return false;
  return base === '' || !base.includes('\n');
}

function layout(ctx, output, base, open, close, array, depth, value) {
  const front = base === '' ? '' : `${base} `;
  if (ctx.compact === true) {
    if (fits(ctx, output, 0, base)) return `${open}${base === '' ? '' : ` ${base}`} ${output.join(', ')} ${close}`;
    const pad = ' '.repeat(ctx.indent);
    const first = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}\n${pad}  `;
    return `${open}${first}${output.join(`,\n${pad}  `)} ${close}`;
  }
  if (ctx.compact >= 1) {
    const entries = output.length;
    if (array && entries > 6) output = columns(ctx, output, value);
    // The innermost levels go on one line if there is room.
    if (ctx.deepest - depth < ctx.compact && entries === output.length) {
      const start = output.length + ctx.indent + open.length + base.length + 10;
      if (fits(ctx, output, start, base)) {
        const joined = output.join(', ');
        if (!joined.includes('\n')) return `${front}${open} ${joined} ${close}`;
      }
    }
  }
  const line = `\n${' '.repeat(ctx.indent)}`;
  return `${front}${open}${line}  ${output.join(`,${line}  `)}${line}${close}`;
}

// Many short elements stand in columns, roughly as a square.
function columns(ctx, output, value) {
  const last = ctx.maxArrayLength < output.length ? output.length - 1 : output.length;
  const widths = output.slice(0, last).map((entry) => columnsOf(entry, ctx.colors));
  const total = widths.reduce((sum, each) => sum + each + 2, 0);
  const longest = Math.max(...widths);
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
    columnWidths.push(widest + 2);
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
      if (right) line += text.padStart(room);
      else line += isLast ? text : text.padEnd(room);
    }
    lines.push(line);
  }
  if (last < output.length) lines.push(output[last]);
  return lines;
}

module.exports = { layout };
