'use strict';
// The messages of failed assertions: two values side by side, and the call in the source.

const {
  ArrayFrom, arrayFind, arrayJoin, arrayMap, arrayPop, arrayPush, arrayReduce, arraySlice, over, regexpExec,
  stringEndsWith, stringIncludes, stringRepeat, stringSlice, stringSplit,
} = intrinsics;
const { inspect } = require('internal/inspect');

// What was expected, by operator; for objects the message differs if they are the same one.
const valuesToBe = (what) => `Expected values to be ${what}:`;
const actualIs = (what) => `Expected "actual" ${what}:`;
const headlines = {
  strictEqual: valuesToBe('strictly equal'),
  deepEqual: valuesToBe('loosely deep-equal'),
  deepStrictEqual: valuesToBe('strictly deep-equal'),
  notStrictEqual: actualIs('to be strictly unequal to'),
  notDeepEqual: actualIs('not to be loosely deep-equal to'),
  notDeepStrictEqual: actualIs('not to be strictly deep-equal to'),
};
const ofObjects = {
  strictEqual: actualIs('to be reference-equal to "expected"'),
  notStrictEqual: actualIs('not to be reference-equal to "expected"'),
};
const headlineOf = (operator, objects) => objects && ofObjects[operator] || headlines[operator];

const SHORT = 12; // characters of both values that fit into "a !== b"
const WIDE = 80;

const show = (value) => inspect(value instanceof Error ? withoutStack(value) : value, {
  compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, sorted: true,
  getters: true, breakLength: Infinity,
});
// The stack of an error isn't compared.
function withoutStack(error) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  Object.defineProperty(copy, 'message', { __proto__: null, value: error.message });
  if (Object.hasOwn(error, 'cause')) Object.defineProperty(copy, 'cause', { __proto__: null, value: error.cause });
  return copy;
}

const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

// --- differences --------------------------------------------------------------------------------

// A comma at the end of a line makes no difference.
const bare = (line) => stringEndsWith.call(line, ',') ? stringSlice.call(line, 0, -1) : line;

// Pairs of a sign and a line, by the longest common subsequence.
function compared(a, b) {
  const table = ArrayFrom({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const same = (i, j) => bare(a[i]) === bare(b[j]);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = same(i, j) ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && same(i, j)) {
      arrayPush.call(lines, [' ', stringEndsWith.call(a[i], ',') ? a[i] : b[j]]);
      i++;
      j++;
    } else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) {
      arrayPush.call(lines, ['+', a[i++]]);
    } else {
      arrayPush.call(lines, ['-', b[j++]]);
    }
  }
  return lines;
}

// Of many equal lines only the first, the last and those next to a difference are shown.
function shortened(lines) {
  const result = [];
  let skipped = false;
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && lines[end][0] === ' ') end++;
    const { 0: most, 1: before, 2: after } = end === lines.length ? [4, 1, 3] : [5, 2, 2];
    const cut = end - at > most;
    skipped ||= cut;
    for (let i = at; i < end; i++) {
      if (cut && i === at + before) {
        arrayPush.call(result, '...');
        i = end - after;
      }
      arrayPush.call(result, `  ${lines[i][1]}`);
    }
    if (end < lines.length) arrayPush.call(result, `${lines[end][0]} ${lines[end][1]}`);
    at = end + 1;
  }
  return { text: arrayJoin.call(result, '\n'), skipped };
}

function difference(left, right) {
  const { 0: a, 1: b } = [stringSplit.call(left, '\n'), stringSplit.call(right, '\n')];
  const lines = a.length * b.length > 1e6 ? [...over(arrayMap.call(a, (line) => ['+', line])), ...over(arrayMap.call(b, (line) => ['-', line]))] : compared(a, b);
  return shortened(lines);
}

// Points at the first character that differs, unless that is obvious.
function pointer(left, right) {
  const length = left.length + right.length;
  if (length <= SHORT || length >= WIDE) return '';
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at > 2 ? `\n${stringRepeat.call(' ', at + 2)}^` : '';
}

function unequal(operator, actual, expected, message) {
  const { 0: left, 1: right } = [show(actual), show(expected)];
  if (left === right) return `Values have same structure but are not reference-equal:\n\n${left}\n`;
  const objects = isObject(actual) && isObject(expected);
  const headline = message ?? headlineOf(operator, objects);
  const single = !stringIncludes.call(left, '\n') && !stringIncludes.call(right, '\n');
  if (single && !objects && left.length + right.length <= SHORT && (actual !== 0 || expected !== 0))
    return `${headline}\n\n${left} !== ${right}\n`;
  if (single) return `${headline}\n+ actual - expected\n\n+ ${left}\n- ${right}${pointer(left, right)}`;
  const { text, skipped } = difference(left, right);
  return `${headline}\n+ actual - expected${skipped ? ' ... Lines skipped' : ''}\n\n${text}`;
}

// --- messages -------------------------------------------------------------------------------------

// As in Node, a message from the caller replaces the headline of the strict operators.
function messageFor(operator, actual, expected, message) {
  if (operator === 'deepStrictEqual' || operator === 'strictEqual') return unequal(operator, actual, expected, message);
  if (message !== undefined) return message;
  if (operator === 'notDeepEqual' && !Object.is(actual, expected) && show(actual) !== show(expected))
    return `Expected values not to be loosely deep-equal:\n\n${show(actual)}\n\nshould not loosely deep-equal\n\n${show(expected)}`;
  if (operator === 'notDeepStrictEqual' || operator === 'notDeepEqual' || operator === 'notStrictEqual') {
    const text = show(actual);
    const headline = headlineOf(operator, isObject(actual));
    if (!stringIncludes.call(text, '\n')) return `${headline} ${text}`;
    return `${headline}\n\n${text}${operator === 'notDeepEqual' ? '' : '\n'}`;
  }
  if (operator === 'deepEqual')
    return `${headlines.deepEqual}\n\n${show(actual)}\n\nshould loosely deep-equal\n\n${show(expected)}`;
  return `${show(actual)} ${operator} ${show(expected)}`;
}

// --- the call in the source -----------------------------------------------------------------------

const closing = { '(': ')', '[': ']', '{': '}' };

// The index where the bracket that opens at `from` is closed, or -1.
function closed(source, from) {
  const open = [];
  for (let at = from; at < source.length; at++) {
    const character = source[at];
    if (character === '"' || character === "'" || character === '`') {
      for (at++; at < source.length && source[at] !== character; at++) if (source[at] === '\\') at++;
    } else if (closing[character] !== undefined) {
      arrayPush.call(open, closing[character]);
    } else if (character === open[open.length - 1]) {
      arrayPop.call(open);
      if (open.length === 0) return at;
    }
  }
  return -1;
}

// The text of the current call, found by the first frame of the program; undefined where the source
// isn't available.
function callText(stack) {
  const { frames, isOurs, location } = require('internal/stack');
  const frame = arrayFind.call(frames(stack), (each) => !isOurs(each));
  if (frame === undefined) return undefined;
  const { file, line, column } = location(frame);
  const source = require('internal/tools').sourceOf(file);
  if (source === undefined) return undefined;
  const lines = stringSplit.call(source, '\n');
  let at = arrayReduce.call(arraySlice.call(lines, 0, line - 1), (sum, each) => sum + each.length + 1, 0) + column - 1;
  // The engine points into the call, at its name or its parenthesis.
  if (source[at] !== '(') at += regexpExec.call(/^[\w$.\s]*/, stringSlice.call(source, at))[0].length;
  if (source[at] !== '(') return undefined;
  const end = closed(source, at);
  const { 0: name } = regexpExec.call(/(?:[\w$]+\s*\.\s*)*[\w$]+\s*$/, stringSlice.call(source, 0, at)) ?? [''];
  return end < 0 || name === '' ? undefined : stringSlice.call(source, at - name.length, end + 1);
}

module.exports = { callText, isObject, messageFor, show };
