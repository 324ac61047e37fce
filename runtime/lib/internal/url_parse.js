'use strict';
// The parser of the URL Standard: from a text, and maybe a base, to the parts of a URL. Fragment
// and query are cut off at the end, scheme and authority at the front; the rest is the path.

const {
  StringFromCharCode, arrayJoin, arrayPop, arrayPush, numberToString, over, regexpExec, regexpReplace, regexpSplit,
  regexpTest, stringCodePointAt, stringIncludes, stringIndexOf, stringLastIndexOf, stringPadStart, stringSlice,
  stringSplit, stringStartsWith, stringToLowerCase, stringToUpperCase,
} = intrinsics;
const hosts = require('internal/url_host');

const defaultPorts = { __proto__: null, 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const isSpecial = (protocol) => protocol in defaultPorts;

// --- percent encoding ----------------------------------------------------------------------

const sets = {
  control: '',
  fragment: ' "<>`',
  query: ' "#<>',
  specialQuery: ' "#<>\'',
  path: ' "#<>?`{}',
  userinfo: ' "#<>?`{}/:;=@[\\]^|',
};

function encode(text, set) {
  let result = '';
  for (const character of over(text)) {
    const code = stringCodePointAt.call(character, 0);
    if (code > 0x1f && code < 0x7f && !stringIncludes.call(set, character)) result += character;
    else for (const byte of over(native('encoding').utf8(character)))
      result += `%${stringPadStart.call(stringToUpperCase.call(numberToString.call(byte, 16)), 2, '0')}`;
  }
  return result;
}

function decodeBytes(text) {
  const bytes = native('encoding').utf8(text);
  const result = [];
  for (let at = 0; at < bytes.length; at++) {
    const hex = bytes[at] === 37 ? StringFromCharCode(bytes[at + 1], bytes[at + 2]) : '';
    if (regexpTest(/^[0-9a-f]{2}$/i, hex)) {
      arrayPush.call(result, parseInt(hex, 16));
      at += 2;
    } else {
      arrayPush.call(result, bytes[at]);
    }
  }
  return native('encoding').utf8Text(new Uint8Array(result));
}

const parseHost = (text, special) => hosts.parseHost(text, special, { decode: decodeBytes, encode: (each) => encode(each, sets.control) });

// --- paths ---------------------------------------------------------------------------------------

const isDrive = (segment) => regexpTest(/^[a-zA-Z][:|]$/, segment);
const startsWithDrive = (text) => regexpTest(/^[a-zA-Z][:|]([/\\]|$)/, text);

function shorten(segments, protocol) {
  if (protocol === 'file:' && segments.length === 1 && regexpTest(/^[a-zA-Z]:$/, segments[0])) return;
  arrayPop.call(segments);
}

// Appends the segments of a text to those of a path.
function addPath(base, text, protocol) {
  const segments = [...over(base)];
  const parts = isSpecial(protocol) ? regexpSplit(/[/\\]/, text) : stringSplit.call(text, '/');
  for (let index = 0; index < parts.length; index++) {
    const isLast = index === parts.length - 1;
    const plain = regexpReplace(/%2e/gi, parts[index], '.');
    if (plain === '..') shorten(segments, protocol);
    if (plain === '..' || plain === '.') {
      if (isLast) arrayPush.call(segments, '');
    } else if (protocol === 'file:' && segments.length === 0 && isDrive(parts[index])) {
      arrayPush.call(segments, `${parts[index][0]}:`);
    } else {
      arrayPush.call(segments, encode(parts[index], sets.path));
    }
  }
  return segments;
}

// The path after an authority: from its slash on, or nothing.
function startPath(url, text) {
  if (isSpecial(url.protocol)) url.path = addPath([], regexpReplace(/^[/\\]/, text, ''), url.protocol);
  else if (text !== '') url.path = addPath([], regexpReplace(/^\//, text, ''), url.protocol);
  return url;
}

// --- authorities -----------------------------------------------------------------------------------

// A port in its shortest form, '' for the usual one, null for none at all.
function parsePort(text, protocol) {
  if (!regexpTest(/^\d*$/, text) || +text > 65535) return null;
  const port = text === '' ? '' : `${+text}`;
  return port === defaultPorts[protocol] ? '' : port;
}

function authority(url, text) {
  const special = isSpecial(url.protocol);
  const end = regexpExec.call(special ? /[/\\]/ : /\//, text)?.index ?? text.length;
  let name = stringSlice.call(text, 0, end);
  const at = stringLastIndexOf.call(name, '@');
  if (at >= 0) {
    const { 1: user, 2: password } = regexpExec.call(/^([^:]*):?(.*)$/s, stringSlice.call(name, 0, at));
    url.username = encode(user, sets.userinfo);
    url.password = encode(password, sets.userinfo);
    name = stringSlice.call(name, at + 1);
    if (name === '') return undefined;
  }
  const { 1: host, 2: port } = regexpExec.call(/^((?:\[[^\]]*\]|[^:])*)(?::(.*))?$/s, name) ?? [];
  if (host === undefined || (host === '' && (special || port !== undefined))) return undefined;
  url.host = host === '' ? '' : parseHost(host, special);
  url.port = parsePort(port ?? '', url.protocol);
  return url.host === null || url.port === null ? undefined : startPath(url, stringSlice.call(text, end));
}

const ignoringSlashes = (url, text) => authority(url, regexpReplace(/^[/\\]+/, text, ''));

// --- the kinds of URLs --------------------------------------------------------------------------------

function fileHost(url, text) {
  const end = regexpExec.call(/[/\\]/, text)?.index ?? text.length;
  const name = stringSlice.call(text, 0, end);
  if (isDrive(name)) {
    url.path = addPath([], text, url.protocol);
    return url;
  }
  url.host = name === '' ? '' : parseHost(name, true);
  if (url.host === null) return undefined;
  if (url.host === 'localhost') url.host = '';
  return startPath(url, stringSlice.call(text, end));
}

function file(url, text, base) {
  url.host = '';
  if (regexpTest(/^[/\\]{2}/, text)) return fileHost(url, stringSlice.call(text, 2));
  if (regexpTest(/^[/\\]/, text)) {
    const rest = stringSlice.call(text, 1);
    let before = [];
    if (base !== undefined) {
      url.host = base.host;
      if (!startsWithDrive(rest) && base.path.length > 0 && regexpTest(/^[a-zA-Z]:$/, base.path[0])) before = [base.path[0]];
    }
    url.path = addPath(before, rest, url.protocol);
    return url;
  }
  if (base === undefined) {
    url.path = addPath([], text, url.protocol);
    return url;
  }
  url.host = base.host;
  return under(url, text, base, startsWithDrive(text));
}

// A URL relative to the base's folder, or the base itself with another query.
function under(url, text, base, fromRoot = false) {
  if (text === '') {
    url.path = [...over(base.path)];
    url.search ??= url.hasQuery ? null : base.search;
    return url;
  }
  const before = fromRoot ? [] : [...over(base.path)];
  if (!fromRoot) shorten(before, url.protocol);
  url.path = addPath(before, text, url.protocol);
  return url;
}

function relative(url, text, base) {
  const special = isSpecial(url.protocol);
  if (special ? regexpTest(/^[/\\]{2}/, text) : stringStartsWith.call(text, '//'))
    return special ? ignoringSlashes(url, text) : authority(url, stringSlice.call(text, 2));
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
  if (special ? regexpTest(/^[/\\]/, text) : stringStartsWith.call(text, '/')) {
    url.path = addPath([], stringSlice.call(text, 1), url.protocol);
    return url;
  }
  return under(url, text, base);
}

function withScheme(url, text, base) {
  const { protocol } = url;
  if (protocol === 'file:') return file(url, text, base?.protocol === 'file:' ? base : undefined);
  if (isSpecial(protocol))
    return base?.protocol === protocol && !stringStartsWith.call(text, '//') ? relative(url, text, base) : ignoringSlashes(url, text);
  if (stringStartsWith.call(text, '//')) return authority(url, stringSlice.call(text, 2));
  if (stringStartsWith.call(text, '/')) url.path = addPath([], stringSlice.call(text, 1), protocol);
  else url.opaque = encode(text, sets.control);
  return url;
}

// The parts of a URL, or undefined if it isn't one.
function parse(input, base) {
  // eslint-disable-next-line no-control-regex
  let text = regexpReplace(/[\t\n\r]/g, regexpReplace(/^[\0-\x20]+|[\0-\x20]+$/g, input, ''), '');
  const url = {
    protocol: '', username: '', password: '', host: null, port: '', path: [], opaque: null, search: null, hash: null, hasQuery: false,
  };
  const hashAt = stringIndexOf.call(text, '#');
  if (hashAt >= 0) {
    url.hash = encode(stringSlice.call(text, hashAt + 1), sets.fragment);
    text = stringSlice.call(text, 0, hashAt);
  }
  const scheme = regexpExec.call(/^([a-zA-Z][a-zA-Z0-9+.-]*):/, text);
  if (scheme === null && base === undefined) return undefined;
  url.protocol = scheme === null ? base.protocol : `${stringToLowerCase.call(scheme[1])}:`;
  if (scheme !== null) text = stringSlice.call(text, scheme[0].length);
  else if (base.opaque !== null) return text === '' && hashAt >= 0 ? { ...base, hash: url.hash } : undefined;
  const queryAt = stringIndexOf.call(text, '?');
  if (queryAt >= 0) {
    url.search = encodeQuery(stringSlice.call(text, queryAt + 1), url.protocol);
    url.hasQuery = true;
    text = stringSlice.call(text, 0, queryAt);
  }
  if (scheme !== null) return withScheme(url, text, base);
  return url.protocol === 'file:' ? file(url, text, base) : relative(url, text, base);
}

const encodeQuery = (text, protocol) => encode(text, isSpecial(protocol) ? sets.specialQuery : sets.query);

// --- back to text -----------------------------------------------------------------------------------

const pathOf = (url) => url.opaque ?? (url.path.length === 0 ? '' : `/${arrayJoin.call(url.path, '/')}`);

function serialize(url) {
  let text = url.protocol;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '')
      text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
    text += url.host + (url.port === '' ? '' : `:${url.port}`);
  } else if (url.opaque === null && url.path.length > 1 && url.path[0] === '') {
    text += '/.';
  }
  text += pathOf(url);
  if (url.search !== null) text += `?${url.search}`;
  if (url.hash !== null) text += `#${url.hash}`;
  return text;
}

function originOf(url) {
  const { protocol, host, port } = url;
  if (protocol === 'blob:') {
    const inner = parse(pathOf(url));
    return inner !== undefined && (inner.protocol === 'http:' || inner.protocol === 'https:') ? originOf(inner) : 'null';
  }
  return isSpecial(protocol) && protocol !== 'file:' ? `${protocol}//${host}${port === '' ? '' : `:${port}`}` : 'null';
}

module.exports = {
  addPath, decodeBytes, defaultPorts, encode, encodeQuery, isSpecial, originOf, parse, parseHost, parsePort, pathOf, serialize, sets,
};
