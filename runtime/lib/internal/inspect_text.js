'use strict';
// How util.inspect writes single values: strings in quotes, numbers, colours.

const {
  NumberIsFinite, arrayForEach, arrayJoin, arrayMap, arrayPush, numberToString, over, regexpReplace, regexpTest,
  stringCharCodeAt, stringIncludes, stringIndexOf, stringNormalize, stringPadStart, stringRepeat, stringSlice, stringSplit,
  stringToUpperCase, symbolToString,
} = intrinsics;
// --- colours ----------------------------------------------------------------------------

// For each effect, the numbers that switch it on and off (ECMA-48, SGR).
const EFFECTS = 'reset 0 0, bold 1 22, dim 2 22, italic 3 23, underline 4 24, blink 5 25, inverse 7 27, hidden 8 28, ' +
  'strikethrough 9 29, doubleunderline 21 24';
const RARE = 'framed 51 54, overlined 53 55';
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const brights = arrayMap.call(NAMES, (name) => name === 'black' ? 'gray' : `${name}Bright`);
const colors = Object.create(null);
function addEffects(list) {
  for (const effect of over(stringSplit.call(list, ', '))) {
    const { 0: name, 1: on, 2: off } = stringSplit.call(effect, ' ');
    colors[name] = [Number(on), Number(off)];
  }
}
function addColors(names, front, back) {
  arrayForEach.call(names, (name, index) => { colors[name] = [front + index, 39]; });
  arrayForEach.call(names, (name, index) => { colors[`bg${stringToUpperCase.call(name[0])}${stringSlice.call(name, 1)}`] = [back + index, 49]; });
}
addEffects(EFFECTS);
addColors(NAMES, 30, 40);
addEffects(RARE);
addColors(brights, 90, 100);
for (const { 0: alias, 1: name } of over([['grey', 'gray'], ['blackBright', 'gray'], ['bgGrey', 'bgGray'], ['bgBlackBright', 'bgGray'],
  ['faint', 'dim'], ['crossedout', 'strikethrough'], ['strikeThrough', 'strikethrough'], ['crossedOut', 'strikethrough'],
  ['conceal', 'hidden'], ['swapColors', 'inverse'], ['swapcolors', 'inverse'], ['doubleUnderline', 'doubleunderline']]))
  Object.defineProperty(colors, alias, { __proto__: null, value: colors[name], writable: true, configurable: true, enumerable: false });
const styles = Object.create(null);
for (const pair of over(stringSplit.call('special cyan, number yellow, bigint yellow, boolean yellow, undefined grey, null bold, ' +
  'string green, symbol green, date magenta, regexp red, module underline', ', '))) {
  const { 0: kind, 1: color } = stringSplit.call(pair, ' ');
  styles[kind] = color;
}
const withoutColors = (text) => regexpReplace(/\u001b\[\d\d?m/g, text, '');

// How many columns of a terminal a text takes: none for marks, two for wide characters.
const noColumn = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const twoColumns = new RegExp('[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\ua4cf' +
  '\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6' +
  '\\u{17000}-\\u{18cff}\\u{1b000}-\\u{1b2ff}\\u{1f200}-\\u{1f265}\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]', 'u');
function columnsOf(text, withColors = true) {
  if (withColors) text = withoutColors(text);
  if (regexpTest(/^[ -~]*$/, text)) return text.length;
  let width = 0;
  for (const character of over(stringNormalize.call(text, 'NFC')))
    width += regexpTest(twoColumns, character) ? 2 : regexpTest(noColumn, character) ? 0 : 1;
  return width;
}

function colored(text, kind) {
  const color = styles[kind] === undefined ? undefined : colors[styles[kind]];
  if (color === undefined) return text;
  const { 0: before, 1: after } = arrayMap.call(color, (number) => `\u001b[${number}m`);
  return before + text + after;
}

// --- primitives -----------------------------------------------------------------------------

const SINGLE = 39;
const named = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };
const escapes = { __proto__: null }; // by code, made on demand
function escapeOf(code) {
  return escapes[code] ??= named[code] ?? (code > 0xff ? `\\u${numberToString.call(code, 16)}` :
    `\\x${stringPadStart.call(stringToUpperCase.call(numberToString.call(code, 16)), 2, '0')}`);
}

// Escapes control characters, backslashes and lone surrogates, and single quotes if the text is in
// single quotes. A text may have millions of these, so pieces are joined when there are many.
const PIECES = 4096;
function escaped(text, mark = "'") {
  const { length } = text;
  const spared = mark === "'" ? -1 : SINGLE;
  let result = '';
  let pieces = [];
  let start = 0;
  for (let i = 0; i < length; i++) {
    const code = stringCharCodeAt.call(text, i);
    if (code < 0x7f ? code >= 0x20 && code !== SINGLE && code !== 0x5c || code === spared : code > 0x9f && (code & 0xf800) !== 0xd800) continue;
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < length && (stringCharCodeAt.call(text, i + 1) & 0xfc00) === 0xdc00) {
      i++;
      continue;
    }
    arrayPush.call(pieces, stringSlice.call(text, start, i), escapeOf(code));
    start = i + 1;
    if (pieces.length < PIECES) continue;
    result += arrayJoin.call(pieces, '');
    pieces = [];
  }
  if (start === 0) return text;
  arrayPush.call(pieces, stringSlice.call(text, start));
  return result + arrayJoin.call(pieces, '');
}

// Single quotes, unless the text contains some and another kind of quote needs no escapes.
function quote(text) {
  let mark = "'";
  if (stringIncludes.call(text, "'")) {
    if (!stringIncludes.call(text, '"')) mark = '"';
    else if (!stringIncludes.call(text, '`') && !stringIncludes.call(text, '${')) mark = '`';
  }
  return mark + escaped(text, mark) + mark;
}

function separated(digits) {
  return regexpReplace(/\B(?=(\d{3})+(?!\d))/g, digits, '_');
}

function numberText(value, options) {
  if (Object.is(value, -0) && !options?.numericSeparator) return '-0';
  const text = `${value}`;
  if (!options?.numericSeparator || !NumberIsFinite(value) || stringIncludes.call(text, 'e')) return text;
  const { 0: whole, 1: fraction } = stringSplit.call(text, '.');
  return fraction === undefined ? separated(whole) : `${separated(whole)}.${regexpReplace(/(\d{3})(?=\d)/g, fraction, '$1_')}`;
}

function bigintText(value, options) {
  return `${options?.numericSeparator ? separated(`${value}`) : value}n`;
}

// Puts each line of a text in quotes of its own.
function quotedLines(text, separator, style) {
  let result = '';
  let pieces = [];
  let start = 0;
  while (start < text.length) {
    const end = stringIndexOf.call(text, '\n', start) + 1 || text.length;
    arrayPush.call(pieces, (start === 0 ? '' : separator) + style(quote(stringSlice.call(text, start, end)), 'string'));
    start = end;
    if (pieces.length < PIECES) continue;
    result += arrayJoin.call(pieces, '');
    pieces = [];
  }
  return result + arrayJoin.call(pieces, '');
}

// A string that doesn't fit on a line is split after its newlines; one that is too long is cut.
function stringText(ctx, text, style) {
  const cut = text.length - ctx.maxStringLength;
  const shown = cut > 0 ? stringSlice.call(text, 0, ctx.maxStringLength) : text;
  const written = ctx.compact !== true && shown.length > Math.max(16, ctx.breakLength - ctx.indent - 4) ?
    quotedLines(shown, ` +\n${stringRepeat.call(' ', ctx.indent + 2)}`, style) : style(quote(shown), 'string');
  return cut > 0 ? `${written}... ${cut} more character${cut === 1 ? '' : 's'}` : written;
}

function primitive(ctx, value, style = ctx.style) {
  switch (typeof value) {
    case 'string': return stringText(ctx, value, style);
    case 'number': return style(numberText(value, ctx), 'number');
    case 'bigint': return style(bigintText(value, ctx), 'bigint');
    case 'symbol': return style(symbolToString.call(value), 'symbol');
    default: return style(`${value}`, typeof value);
  }
}

module.exports = {
  bigintText, colored, colors, columnsOf, escaped, numberText, primitive, quote, styles, withoutColors,
};
