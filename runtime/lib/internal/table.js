'use strict';
// console.table: rows in a box.

const {
  ArrayBufferIsView, ArrayFrom, ArrayIsArray, arrayForEach, arrayJoin, arrayMap, arrayPush,
  mapItems, over, setItems, stringRepeat,
} = intrinsics;
const { inspect } = require('internal/inspect');
const { columnsOf } = require('internal/inspect_text');
const kinds = require('internal/kinds');

const cell = (value) => inspect(value, {
  maxArrayLength: 3, breakLength: Infinity,
  depth: value !== null && typeof value === 'object' && !ArrayIsArray(value) && !ArrayBufferIsView(value) && Object.keys(value).length > 2 ? -1 : 0,
});

function draw(head, columns) {
  const widths = arrayMap.call(head, (name, index) =>
    Math.max(columnsOf(name), ...over(arrayMap.call(columns[index], (text) => columnsOf(text)))) + 2);
  const padded = (text, width) => ` ${text}${stringRepeat.call(' ', Math.max(0, width - 1 - columnsOf(text)))}`;
  const rows = Math.max(0, ...over(arrayMap.call(columns, (column) => column.length)));
  const line = (cells) =>
    `\u2502${arrayJoin.call(arrayMap.call(cells, (text, index) => padded(text ?? '', widths[index])), '\u2502')}\u2502\n`;
  const rule = (left, middle, right) => left + arrayJoin.call(arrayMap.call(widths, (width) => stringRepeat.call('\u2500', width)), middle) + right;
  let text = `${rule('\u250c', '\u252c', '\u2510')}\n${line(head)}${rule('\u251c', '\u253c', '\u2524')}\n`;
  for (let row = 0; row < rows; row++) text += line(arrayMap.call(columns, (column) => column[row]));
  return text + rule('\u2514', '\u2534', '\u2518');
}

// The contents of a collection or of an iterator over one: { items, pairs }. For pairs of a map the
// items are [key, value]; those of a set's entries count one by one. Undefined for other values.
function collectionOf(data) {
  if (kinds.isMap(data)) return { items: [...mapItems(data)], pairs: true };
  if (kinds.isSet(data)) return { items: [...setItems(data)], pairs: false };
  if (!kinds.isMapIterator(data) && !kinds.isSetIterator(data)) return undefined;
  const found = require('internal/inspect').iteratorItems(data);
  if (found === undefined || !found.pairs || kinds.isMapIterator(data)) return found;
  const items = [];
  arrayForEach.call(found.items, ({ 0: first, 1: second }) => arrayPush.call(items, first, second));
  return { items, pairs: false };
}

// The text, or undefined for a value that isn't tabular. If columns are given, only those are
// shown, except for a collection, which always has the same columns.
function table(data, wanted) {
  if (wanted !== undefined) require('internal/errors').validateArray(wanted, 'properties');
  if (data === null || typeof data !== 'object') return undefined;
  const collection = collectionOf(data);
  const isMap = collection?.pairs === true;
  const entries = collection === undefined ? arrayMap.call(Object.keys(data), (key) => [key, data[key]]) :
    arrayMap.call(collection.items, (item, index) => isMap ? [`${index}`, item[1], item[0]] : [`${index}`, item]);
  const columnNames = Object.create(null); // in the order of an object's keys: numbers first
  const index = [];
  const cells = [];
  const values = [];
  const keys = [];
  let anyValue = collection !== undefined;
  arrayForEach.call(entries, ({ 0: key, 1: value, 2: mapKey }, row) => {
    arrayPush.call(index, key);
    if (isMap) arrayPush.call(keys, cell(mapKey));
    const isRow = value !== null && (typeof value === 'object' || typeof value === 'function');
    if (collection !== undefined || !isRow && wanted === undefined) {
      anyValue = true;
      values[row] = cell(value);
      return;
    }
    for (const name of over(wanted ?? Object.keys(value))) {
      columnNames[name] = true;
      if (isRow && Object.hasOwn(value, name)) (cells[row] ??= {})[name] = cell(value[name]);
    }
  });
  const names = Object.keys(columnNames);
  const first = collection !== undefined ? '(iteration index)' : '(index)';
  const head = [first, ...(over(isMap ? ['Key'] : [])), ...over(names), ...(over(anyValue ? ['Values'] : []))];
  const fill = (column) => ArrayFrom({ length: index.length }, (unused, row) => column[row] ?? '');
  const columns = [index, ...(over(isMap ? [keys] : [])),
    ...over(arrayMap.call(names, (name) => fill(arrayMap.call(index, (unused, row) => cells[row]?.[name])))), ...(over(anyValue ? [fill(values)] : []))];
  return draw(head, columns);
}

module.exports = { table };
