'use strict';
// How util.inspect writes single values: strings in quotes, numbers, colours.

// --- colours ----------------------------------------------------------------------------

const colors = Object.assign(Object.create(null), {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27],
  strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39],
  magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39],
});
const styles = Object.assign(Object.create(null), {
  special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold',
  string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline',
});
const withoutColors = (text) => text.replace(/\u001b\[\d\d?m/g, '');

function colored(text, kind) {
  const color = styles[kind] === undefined ? undefined : colors[styles[kind]];
  return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
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
  if (Object.is(value, -0)) return '-0';
  const text = `${value}`;
  if (!options?.numericSeparator || !Number.isFinite(value) || text.includes('e')) return text;
  const [whole, fraction] = text.split('.');
  return fraction === undefined ? separated(whole) : `${separated(whole)}.${fraction.replace(/(\d{3})(?=\d)/g, '$1_')}`;
}

function bigintText(value, options) {
  return `${options?.numericSeparator ? separated(`${value}`) : value}n`;
}

function primitive(ctx, value, style = ctx.style) {
  switch (typeof value) {
    case 'string': {
      let rest = '';
      if (value.length > ctx.maxStringLength) {
        const more = value.length - ctx.maxStringLength;
        value = value.slice(0, ctx.maxStringLength);
        rest = `... ${more} more character${more > 1 ? 's' : ''}`;
      }
      if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indent - 4)
        return value.split(/(?<=\n)/).map((line) => style(quote(line), 'string'))
          .join(` +\n${' '.repeat(ctx.indent + 2)}`) + rest;
      return style(quote(value), 'string') + rest;
    }
    case 'number': return style(numberText(value, ctx), 'number');
    case 'bigint': return style(bigintText(value, ctx), 'bigint');
    case 'symbol': return style(Symbol.prototype.toString.call(value), 'symbol');
    default: return style(`${value}`, typeof value);
  }
}

module.exports = {
  bigintText, colored, colors, escapable, escapeCharacter, numberText, primitive, quote, styles, withoutColors,
};
