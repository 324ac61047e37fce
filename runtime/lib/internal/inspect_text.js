'use strict';
// How util.inspect writes single values: strings in quotes, numbers, colours.

// --- colours ----------------------------------------------------------------------------

// Each effect's number that switches it on and off (ECMA-48, SGR).
const EFFECTS = 'reset 0 0, bold 1 22, dim 2 22, italic 3 23, underline 4 24, blink 5 25, inverse 7 27, hidden 8 28, ' +
  'strikethrough 9 29, doubleunderline 21 24';
const RARE = 'framed 51 54, overlined 53 55';
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const brights = NAMES.map((name) => name === 'black' ? 'gray' : `${name}Bright`);
const colors = Object.create(null);
function addEffects(list) {
  for (const effect of list.split(', ')) {
    const [name, on, off] = effect.split(' ');
    colors[name] = [Number(on), Number(off)];
  }
}
function addColors(names, front, back) {
  names.forEach((name, index) => { colors[name] = [front + index, 39]; });
  names.forEach((name, index) => { colors[`bg${name[0].toUpperCase()}${name.slice(1)}`] = [back + index, 49]; });
}
addEffects(EFFECTS);
addColors(NAMES, 30, 40);
addEffects(RARE);
addColors(brights, 90, 100);
for (const [alias, name] of [['grey', 'gray'], ['blackBright', 'gray'], ['bgGrey', 'bgGray'], ['bgBlackBright', 'bgGray'],
  ['faint', 'dim'], ['crossedout', 'strikethrough'], ['strikeThrough', 'strikethrough'], ['crossedOut', 'strikethrough'],
  ['conceal', 'hidden'], ['swapColors', 'inverse'], ['swapcolors', 'inverse'], ['doubleUnderline', 'doubleunderline']])
  Object.defineProperty(colors, alias, { value: colors[name], writable: true, configurable: true, enumerable: false });
const styles = Object.create(null);
for (const pair of ('special cyan, number yellow, bigint yellow, boolean yellow, undefined grey, null bold, ' +
  'string green, symbol green, date magenta, regexp red, module underline').split(', ')) {
  const [kind, color] = pair.split(' ');
  styles[kind] = color;
}
const withoutColors = (text) => text.replace(/\u001b\[\d\d?m/g, '');

// How many columns of a terminal a text takes: none for marks, two for wide characters.
const noColumn = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const twoColumns = new RegExp('[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\ua4cf' +
  '\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6' +
  '\\u{17000}-\\u{18cff}\\u{1b000}-\\u{1b2ff}\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]', 'u');
function columnsOf(text, withColors = true) {
  if (withColors) text = withoutColors(text);
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text.normalize('NFC'))
    width += twoColumns.test(character) ? 2 : noColumn.test(character) ? 0 : 1;
  return width;
}

function colored(text, kind) {
  const color = styles[kind] === undefined ? undefined : colors[styles[kind]];
  if (color === undefined) return text;
  const [before, after] = color.map((number) => `\u001b[${number}m`);
  return before + text + after;
}

// --- primitives -----------------------------------------------------------------------------

const named = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };
function escapeCharacter(character) {
  const code = character.charCodeAt(0);
  if (named[code] !== undefined) return named[code];
  return code > 0xff ? `\\u${code.toString(16)}` : `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
const loneSurrogate = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
const escapable = new RegExp(`[\\x00-\\x1f\\x27\\x5c\\x7f-\\x9f]|${loneSurrogate}`, 'g');
const escapableButQuote = new RegExp(`[\\x00-\\x1f\\x5c\\x7f-\\x9f]|${loneSurrogate}`, 'g');

// Single quotes, unless the text has some and another kind of quote does without escapes.
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
  }
  return mark + text.replace(mark === "'" ? escapable : escapableButQuote, escapeCharacter) + mark;
}

function separated(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, '_');
}

function numberText(value, options) {
  if (Object.is(value, -0) && !options?.numericSeparator) return '-0';
  const text = `${value}`;
  if (!options?.numericSeparator || !Number.isFinite(value) || text.includes('e')) return text;
  const [whole, fraction] = text.split('.');
  return fraction === undefined ? separated(whole) : `${separated(whole)}.${fraction.replace(/(\d{3})(?=\d)/g, '$1_')}`;
}

function bigintText(value, options) {
  return `${options?.numericSeparator ? separated(`${value}`) : value}n`;
}

// A string that doesn't fit a line is broken after its newlines, one that is too long is cut.
function stringText(ctx, text, style) {
  const cut = text.length - ctx.maxStringLength;
  const shown = cut > 0 ? text.slice(0, ctx.maxStringLength) : text;
  const written = ctx.compact !== true && shown.length > Math.max(16, ctx.breakLength - ctx.indent - 4) ?
    shown.split(/(?<=\n)/).map((piece) => style(quote(piece), 'string')).join(` +\n${' '.repeat(ctx.indent + 2)}`) :
    style(quote(shown), 'string');
  return cut > 0 ? `${written}... ${cut} more character${cut === 1 ? '' : 's'}` : written;
}

function primitive(ctx, value, style = ctx.style) {
  switch (typeof value) {
    case 'string': return stringText(ctx, value, style);
    case 'number': return style(numberText(value, ctx), 'number');
    case 'bigint': return style(bigintText(value, ctx), 'bigint');
    case 'symbol': return style(Symbol.prototype.toString.call(value), 'symbol');
    default: return style(`${value}`, typeof value);
  }
}

module.exports = {
  bigintText, colored, colors, columnsOf, escapable, escapeCharacter, numberText, primitive, quote, styles, withoutColors,
};
