'use strict';
// Query strings: lists of pairs, as forms send them.

const unescapeBuffer = (text) => Buffer.from(unescape(text), 'latin1');
const escape = (text) => {
  try {
    return encodeURIComponent(typeof text === 'object' ? String(text) : `${text}`);
  } catch {
    throw require('internal/errors').coded(URIError, 'ERR_INVALID_URI', 'URI malformed');
  }
};
function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  }
}

function primitiveText(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : '';
  return typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : '';
}

function stringify(object, separator, equals, options) {
  separator ||= '&';
  equals ||= '=';
  if (object === null || typeof object !== 'object') return '';
  const encode = options?.encodeURIComponent ?? module.exports.escape;
  const pairs = [];
  for (const key of Object.keys(object)) {
    const name = encode(primitiveText(key)) + equals;
    const value = object[key];
    if (Array.isArray(value)) for (const item of value) pairs.push(name + encode(primitiveText(item)));
    else pairs.push(name + encode(primitiveText(value)));
  }
  return pairs.join(separator);
}

function parse(text, separator, equals, options) {
  separator ||= '&';
  equals ||= '=';
  const result = Object.create(null);
  if (typeof text !== 'string' || text === '') return result;
  const decode = options?.decodeURIComponent ?? module.exports.unescape;
  let limit = options?.maxKeys === undefined ? 1000 : options.maxKeys;
  if (!(limit > 0)) limit = Infinity;
  let count = 0;
  for (const part of text.split(separator)) {
    if (part === '') continue;
    if (count++ >= limit) break;
    const at = part.indexOf(equals);
    const read = (piece) => decode(piece.replace(/\+/g, ' '));
    const key = read(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : read(part.slice(at + equals.length));
    if (!(key in result)) result[key] = value;
    else if (Array.isArray(result[key])) result[key].push(value);
    else result[key] = [result[key], value];
  }
  return result;
}

module.exports = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
