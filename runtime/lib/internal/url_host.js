'use strict';
// Hosts of URLs: international names, and addresses of both kinds.

const {
  NumberIsNaN, arrayForEach, arrayJoin, arrayMap, arrayPop, arraySlice, arraySome, numberToString, over, regexpExec,
  regexpReplace, regexpTest, stringEndsWith, stringNormalize, stringSlice, stringSplit, stringStartsWith,
  stringToLowerCase,
} = intrinsics;
// --- international names ------------------------------------------------------------------------

// Characters that are ignored, and those that no name may have: unassigned, private or control
// characters.
const IGNORED = /[\u00ad\u034f\u180b-\u180d\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]/g;
const DISALLOWED = /[\p{Cn}\p{Co}\p{Cs}\u0080-\u009f\u2028\u2029\ufffc\ufffd]/u;
const STOPS = /[\u3002\uff0e\uff61]/g;

const normal = (text) => stringNormalize.call(text, 'NFKC');
const mapped = (text) =>
  regexpReplace(STOPS, normal(stringToLowerCase.call(normal(regexpReplace(IGNORED, text, '')))), '.');

// A label in its final form: the xn-- form and its decoded form must convert to each other.
function isLabel(label) {
  if (regexpTest(/^\p{M}/u, label) || regexpTest(DISALLOWED, label)) return false;
  if (!stringStartsWith.call(label, 'xn--')) return true;
  let meant;
  try {
    meant = require('vendor/punycode').decode(stringSlice.call(label, 4));
  } catch {
    return false;
  }
  return regexpTest(/[^\0-\x7f]/, meant) && mapped(meant) === meant && isLabel(meant);
}

// The name in ASCII, or null.
function toASCII(text) {
  // eslint-disable-next-line no-control-regex
  const isPlain = regexpTest(/^[\0-\x7f]*$/, text);
  const name = isPlain ? stringToLowerCase.call(text) : mapped(text);
  if (isPlain && !regexpTest(/(^|\.)xn--/, name)) return name;
  const labels = stringSplit.call(name, '.');
  for (const label of over(labels)) if (!isLabel(label)) return null;
  return arrayJoin.call(arrayMap.call(labels, (label) => regexpTest(/[^\0-\x7f]/, label) ? `xn--${require('vendor/punycode').encode(label)}` : label), '.');
}

// --- addresses -----------------------------------------------------------------------------------

function parseIpv4(text) {
  const parts = stringSplit.call(text, '.');
  if (parts[parts.length - 1] === '' && parts.length > 1) arrayPop.call(parts);
  const last = parts[parts.length - 1];
  if (!regexpTest(/^(\d+|0x[0-9a-f]*)$/i, last)) return undefined; // no number at the end, so it is a name
  if (parts.length > 4) return null;
  const numbers = arrayMap.call(parts, (part) => {
    if (part === '') return NaN;
    if (regexpTest(/^0x[0-9a-f]*$/i, part)) return part.length === 2 ? 0 : parseInt(part, 16);
    if (regexpTest(/^0[0-7]*$/, part)) return parseInt(part, 8);
    return regexpTest(/^[1-9]\d*$/, part) ? +part : NaN;
  });
  if (arraySome.call(numbers, NumberIsNaN) || arraySome.call(arraySlice.call(numbers, 0, -1), (number) => number > 255)) return null;
  if (numbers[numbers.length - 1] >= 256 ** (5 - numbers.length)) return null;
  let value = numbers[numbers.length - 1];
  arrayForEach.call(arraySlice.call(numbers, 0, -1), (number, index) => value += number * 256 ** (3 - index));
  return arrayJoin.call(arrayMap.call([24, 16, 8, 0], (shift) => Math.floor(value / 2 ** shift) % 256), '.');
}

function parseIpv6(text) {
  let tail = [];
  const four = regexpExec.call(/^(.*:)(\d+\.\d+\.\d+\.\d+)$/, text);
  if (four !== null) {
    const bytes = arrayMap.call(stringSplit.call(four[2], '.'), Number);
    if (arraySome.call(bytes, (byte) => byte > 255)) return null;
    tail = [bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]];
    text = stringEndsWith.call(four[1], '::') ? four[1] : stringSlice.call(four[1], 0, -1);
  }
  const halves = stringSplit.call(text, '::');
  if (halves.length > 2) return null;
  const read = (half) => half === '' ? [] : arrayMap.call(stringSplit.call(half, ':'), (piece) => regexpTest(/^[0-9a-f]{1,4}$/i, piece) ? parseInt(piece, 16) : NaN);
  const left = read(halves[0]);
  const right = halves.length === 2 ? [...over(read(halves[1])), ...over(tail)] : [];
  const pieces = halves.length === 2 ? [...over(left), ...over(new Array(Math.max(0, 8 - left.length - right.length)).fill(0)), ...over(right)] :
    [...over(left), ...over(tail)];
  if (pieces.length !== 8 || arraySome.call(pieces, NumberIsNaN)) return null;
  // The longest run of zeros, of at least two, becomes "::".
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (at + length < 8 && pieces[at + length] === 0) length++;
    if (length > best.length) best = { at, length };
  }
  const hex = (list) => arrayJoin.call(arrayMap.call(list, (piece) => numberToString.call(piece, 16)), ':');
  if (best.at < 0) return `[${hex(pieces)}]`;
  return `[${hex(arraySlice.call(pieces, 0, best.at))}::${hex(arraySlice.call(pieces, best.at + best.length))}]`;
}


// --- hosts -----------------------------------------------------------------------------------------

// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/;
// eslint-disable-next-line no-control-regex
const FORBIDDEN_IN_NAMES = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

// Returns null if it isn't a host. decode: percent signs; encode: characters outside ASCII
function parseHost(text, special, { decode, encode }) {
  if (stringStartsWith.call(text, '[')) return stringEndsWith.call(text, ']') ? parseIpv6(stringSlice.call(text, 1, -1)) : null;
  if (!special) return regexpTest(FORBIDDEN, text) ? null : encode(text);
  const name = toASCII(decode(text));
  if (name === null || name === '' || regexpTest(FORBIDDEN_IN_NAMES, name)) return null;
  const four = parseIpv4(name);
  return four === undefined ? name : four;
}

module.exports = { parseHost };
