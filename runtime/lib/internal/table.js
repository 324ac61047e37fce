'use strict';
// console.table: rows in a box.

const { GenuineMap, GenuineSet } = intrinsics;
const { inspect } = require('internal/inspect');
const { columnsOf } = require('internal/inspect_text');
const kinds = require('internal/kinds');

const cell = (value) => inspect(value, {
  maxArrayLength: 3, breakLength: Infinity,
  depth: value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value) && Object.keys(value).length > 2 ? -1 : 0,
});

function draw(head, columns) {
  const widths = head.map((name, index) =>
    Math.max(columnsOf(name), ...columns[index].map((text) => columnsOf(text))) + 2);
  const padded = (text, width) => ` ${text}${' '.repeat(Math.max(0, width - 1 - columnsOf(text)))}`;
  const rows = Math.max(0, ...columns.map((column) => column.length));
  const line = (cells) =>
    `\u2502${cells.map((text, index) => padded(text ?? '', widths[index])).join('\u2502')}\u2502\n`;
  const rule = (left, middle, right) => left + widths.map((width) => '\u2500'.repeat(width)).join(middle) + right;
  let text = `${rule('\u250c', '\u252c', '\u2510')}\n${line(head)}${rule('\u251c', '\u253c', '\u2524')}\n`;
  for (let row = 0; row < rows; row++) text += line(columns.map((column) => column[row]));
  return text + rule('\u2514', '\u2534', '\u2518');
}

// An iterator of pairs is shown as a map, any other as a set.
function collectionOf(iterator) {
  const found = require('internal/inspect').iteratorItems(iterator);
  if (found === undefined) return iterator;
  return found.pairs ? new GenuineMap(found.items) : new GenuineSet(found.items);
}

// The text, or undefined for what is no table.
function table(data, wanted) {
  if (data === null || typeof data !== 'object') return undefined;
  if (wanted !== undefined && !Array.isArray(wanted))
    throw require('internal/errors').invalidArgType('properties', 'an instance of Array', wanted);
  if (kinds.isMapIterator(data) || kinds.isSetIterator(data)) data = collectionOf(data);
  const isMap = kinds.isMap(data);
  const isSet = kinds.isSet(data);
  const entries = isMap ? [...data].map(([key, value], index) => [`${index}`, value, key]) :
    isSet ? [...data].map((value, index) => [`${index}`, value]) : Object.keys(data).map((key) => [key, data[key]]);
  const columnNames = Object.create(null); // in the order of an object's keys: numbers first
  for (const name of wanted ?? []) columnNames[name] = true;
  const index = [];
  const cells = [];
  const values = [];
  const keys = [];
  let anyValue = isMap || isSet;
  entries.forEach(([key, value, mapKey], row) => {
    index.push(key);
    if (isMap) keys.push(cell(mapKey));
    const isRow = value !== null && (typeof value === 'object' || typeof value === 'function') && !isMap && !isSet;
    if (!isRow) {
      anyValue = true;
      values[row] = cell(value);
      return;
    }
    for (const name of wanted ?? Object.keys(value)) {
      columnNames[name] = true;
      if (Object.hasOwn(value, name)) (cells[row] ??= {})[name] = cell(value[name]);
    }
  });
  const names = Object.keys(columnNames);
  const first = isMap || isSet ? '(iteration index)' : '(index)';
  const head = [first, ...(isMap ? ['Key'] : []), ...names, ...(anyValue ? ['Values'] : [])];
  const fill = (column) => Array.from({ length: index.length }, (unused, row) => column[row] ?? '');
  const columns = [index, ...(isMap ? [keys] : []),
    ...names.map((name) => fill(index.map((unused, row) => cells[row]?.[name]))), ...(anyValue ? [fill(values)] : [])];
  return draw(head, columns);
}

module.exports = { table };
