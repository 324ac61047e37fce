'use strict';
// Query strings: lists of pairs, as sent by forms.

const {
  ArrayIsArray, NumberIsFinite, StringFromCharCode, StringFromCodePoint, arrayJoin, arrayPush, over, regexpReplace,
  stringCharCodeAt, stringIndexOf,
  stringSlice, stringSplit,
} = intrinsics;
const unescapeBuffer = (text) => require('buffer').Buffer.from(unescape(text), 'latin1');
// A lone surrogate is taken together with the character behind it, whatever that is.
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])[^]|(?<![\ud800-\udbff])[\udc00-\udfff][^]/g;
const paired = (both) => StringFromCodePoint(0x10000 + ((stringCharCodeAt.call(both, 0) & 0x3ff) << 10 | stringCharCodeAt.call(both, 1) & 0x3ff));
const escape = (text) => {
  text = typeof text === 'object' ? String(text) : `${text}`;
  try {
    return encodeURIComponent(regexpReplace(LONE, text, paired));
  } catch {
    throw require('internal/errors').coded(URIError, 'ERR_INVALID_URI', 'URI malformed');
  }
};
function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return regexpReplace(/%[0-9a-f]{2}/gi, text, (code) => StringFromCharCode(parseInt(stringSlice.call(code, 1), 16)));
  }
}

function primitiveText(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return NumberIsFinite(value) ? `${value}` : '';
  return typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : '';
}

function stringify(object, separator, equals, options) {
  separator ||= '&';
  equals ||= '=';
  if (object === null || typeof object !== 'object') return '';
  const encode = options?.encodeURIComponent ?? module.exports.escape;
  const pairs = [];
  for (const key of over(Object.keys(object))) {
    const name = encode(primitiveText(key)) + equals;
    const value = object[key];
    if (ArrayIsArray(value)) for (const item of over(value)) arrayPush.call(pairs, name + encode(primitiveText(item)));
    else arrayPush.call(pairs, name + encode(primitiveText(value)));
  }
  return arrayJoin.call(pairs, separator);
}

function parse(text, separator, equals, options) {
  separator ||= '&';
  equals ||= '=';
  const result = Object.create(null);
  if (typeof text !== 'string' || text === '') return result;
  const decode = options?.decodeURIComponent ?? module.exports.unescape;
  let limit = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
  if (!(limit > 0)) limit = Infinity;
  let count = 0;
  for (const part of over(stringSplit.call(text, separator))) {
    if (part === '') continue;
    if (count++ >= limit) break;
    const at = stringIndexOf.call(part, equals);
    const read = (piece) => decode(regexpReplace(/\+/g, piece, ' '));
    const key = read(at < 0 ? part : stringSlice.call(part, 0, at));
    const value = at < 0 ? '' : read(stringSlice.call(part, at + equals.length));
    if (!(key in result)) result[key] = value;
    else if (ArrayIsArray(result[key])) arrayPush.call(result[key], value);
    else result[key] = [result[key], value];
  }
  return result;
}

module.exports = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
