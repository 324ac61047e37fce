'use strict';
// URL and URLSearchParams after the URL Standard.

const { coded } = require('internal/errors');

const defaultPorts = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const isSpecial = (protocol) => protocol in defaultPorts;

// --- percent encoding ----------------------------------------------------------------------

const sets = {
  control: '',
  fragment: ' "<>`',
  query: ' "#<>',
  specialQuery: ' "#<>\'',
  path: ' "#<>?`{}^',
  userinfo: ' "#<>?`{}/:;=@[\\]^|',
};

function encode(text, set) {
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0);
    if (code > 0x1f && code < 0x7f && !set.includes(character)) result += character;
    else for (const byte of native('encoding').utf8(character))
      result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

function decodeBytes(text) {
  const bytes = native('encoding').utf8(text);
  const result = [];
  for (let at = 0; at < bytes.length; at++) {
    const hex = bytes[at] === 37 ? String.fromCharCode(bytes[at + 1], bytes[at + 2]) : '';
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      result.push(parseInt(hex, 16));
      at += 2;
    } else {
      result.push(bytes[at]);
    }
  }
  return native('encoding').utf8Text(new Uint8Array(result));
}

// --- hosts ------------------------------------------------------------------------------------

function parseIpv4(text) {
  const parts = text.split('.');
  if (parts[parts.length - 1] === '' && parts.length > 1) parts.pop();
  const last = parts[parts.length - 1];
  if (!/^(\d+|0x[0-9a-f]*)$/i.test(last)) return undefined; // no number at the end: a name
  if (parts.length > 4) return null;
  const numbers = parts.map((part) => {
    if (part === '') return NaN;
    if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : parseInt(part, 16);
    if (/^0[0-7]*$/.test(part)) return parseInt(part, 8);
    return /^[1-9]\d*$/.test(part) ? +part : NaN;
  });
  if (numbers.some(Number.isNaN) || numbers.slice(0, -1).some((number) => number > 255)) return null;
  if (numbers[numbers.length - 1] >= 256 ** (5 - numbers.length)) return null;
  let value = numbers[numbers.length - 1];
  numbers.slice(0, -1).forEach((number, index) => value += number * 256 ** (3 - index));
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function parseIpv6(text) {
  let tail = [];
  const four = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (four !== null) {
    const bytes = four[2].split('.').map(Number);
    if (bytes.some((byte) => byte > 255)) return null;
    tail = [bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]];
    text = four[1].endsWith('::') ? four[1] : four[1].slice(0, -1);
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const read = (half) => half === '' ? [] : half.split(':').map((piece) => /^[0-9a-f]{1,4}$/i.test(piece) ? parseInt(piece, 16) : NaN);
  const left = read(halves[0]);
  const right = halves.length === 2 ? [...read(halves[1]), ...tail] : [];
  const pieces = halves.length === 2 ? [...left, ...new Array(Math.max(0, 8 - left.length - right.length)).fill(0), ...right] :
    [...left, ...tail];
  if (pieces.length !== 8 || pieces.some(Number.isNaN)) return null;
  // The longest run of zeros, of at least two, becomes "::".
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (at + length < 8 && pieces[at + length] === 0) length++;
    if (length > best.length) best = { at, length };
  }
  const hex = (list) => list.map((piece) => piece.toString(16)).join(':');
  if (best.at < 0) return `[${hex(pieces)}]`;
  return `[${hex(pieces.slice(0, best.at))}::${hex(pieces.slice(best.at + best.length))}]`;
}

// Returns null for what is no host.
function parseHost(text, special) {
  if (text.startsWith('[')) return text.endsWith(']') ? parseIpv6(text.slice(1, -1)) : null;
  if (!special) return /[\0\t\n\r #/<>?@[\\\]^|]/.test(text) ? null : encode(text, sets.control);
  let name = decodeBytes(text).normalize('NFC').toLowerCase();
  // eslint-disable-next-line no-control-regex
  if (/[^\0-\x7f]/.test(name)) name = require('vendor/punycode').toASCII(name);
  // eslint-disable-next-line no-control-regex
  if (name === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(name)) return null;
  const four = parseIpv4(name);
  return four === undefined ? name : four;
}

// --- parsing ------------------------------------------------------------------------------------

const isDrive = (segment) => /^[a-zA-Z][:|]$/.test(segment);

function normalizePath(base, text, special, protocol) {
  const segments = [...base];
  const parts = text.split(special ? /[/\\]/ : '/');
  parts.forEach((part, index) => {
    const last = index === parts.length - 1;
    const plain = part.replace(/%2e/gi, '.');
    if (plain === '..') {
      if (!(protocol === 'file:' && segments.length === 1 && isDrive(segments[0]))) segments.pop();
      if (last) segments.push('');
    } else if (plain === '.') {
      if (last) segments.push('');
    } else {
      segments.push(encode(part, sets.path));
    }
  });
  return segments;
}

function parseAuthority(url, text, special) {
  const at = text.lastIndexOf('@');
  if (at >= 0) {
    const [, user, password] = /^([^:]*):?(.*)$/s.exec(text.slice(0, at));
    url.username = encode(user, sets.userinfo);
    url.password = encode(password, sets.userinfo);
    text = text.slice(at + 1);
    if (text === '') return false;
  }
  const port = /:(\d*)$/.exec(text);
  if (port !== null && !text.endsWith(']')) {
    text = text.slice(0, port.index);
    if (port[1] !== '') {
      if (+port[1] > 65535) return false;
      url.port = String(+port[1]);
      if (url.port === defaultPorts[url.protocol]) url.port = '';
    }
  } else if (/:[^\]]*$/.test(text) && !text.startsWith('[')) {
    return false;
  }
  if (text === '') return !special && (url.host = '', true);
  const host = parseHost(text, special);
  if (host === null) return false;
  url.host = host;
  return true;
}

// The parts of a URL, or undefined if it is none.
function parse(input, base) {
  // eslint-disable-next-line no-control-regex
  let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const url = { protocol: '', username: '', password: '', host: null, port: '', path: [], opaque: null, search: null, hash: null };
  const hashAt = text.indexOf('#');
  if (hashAt >= 0) {
    url.hash = encode(text.slice(hashAt + 1), sets.fragment);
    text = text.slice(0, hashAt);
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  if (scheme !== null) {
    url.protocol = `${scheme[1].toLowerCase()}:`;
    text = text.slice(scheme[0].length);
    if (isSpecial(url.protocol) && base?.protocol === url.protocol && !/^[/\\]/.test(text) && url.protocol !== 'file:')
      return relative(url, text, base);
    if (url.protocol === 'file:' && base?.protocol === 'file:' && !/^[/\\]/.test(text)) return relative(url, text, base);
    return absolute(url, text);
  }
  if (base === undefined) return undefined;
  if (base.opaque !== null) {
    if (text !== '' || hashAt < 0) return undefined;
    return { ...base, hash: url.hash };
  }
  url.protocol = base.protocol;
  return relative(url, text, base);
}

function takeQuery(url, text) {
  const at = text.indexOf('?');
  if (at < 0) return text;
  url.search = encode(text.slice(at + 1), isSpecial(url.protocol) ? sets.specialQuery : sets.query);
  return text.slice(0, at);
}

function absolute(url, text) {
  const special = isSpecial(url.protocol);
  text = takeQuery(url, text);
  const slashes = (special && url.protocol !== 'file:' ? /^[/\\]*/ : special ? /^[/\\]{2}/ : /^\/\//).exec(text)?.[0] ?? '';
  if (special && url.protocol !== 'file:' || slashes.length === 2) {
    const rest = text.slice(slashes.length);
    const end = rest.search(special ? /[/\\]/ : /\//);
    const authority = end < 0 ? rest : rest.slice(0, end);
    const path = end < 0 ? '' : rest.slice(end + 1);
    if (url.protocol === 'file:') {
      if (isDrive(authority)) return { ...url, host: '', path: normalizePath([], rest, true, url.protocol) };
      url.host = authority === '' ? '' : parseHost(authority, true);
      if (url.host === null) return undefined;
      if (url.host === 'localhost') url.host = '';
    } else if (!parseAuthority(url, authority, special)) {
      return undefined;
    }
    if (end >= 0 || special) url.path = normalizePath([], path, special, url.protocol);
    return url;
  }
  if (url.protocol === 'file:') {
    url.host = '';
    url.path = normalizePath([], text.replace(/^[/\\]/, ''), true, url.protocol);
    return url;
  }
  if (text.startsWith('/')) url.path = normalizePath([], text.slice(1), false, url.protocol);
  else url.opaque = encode(text, sets.control);
  return url;
}

function relative(url, text, base) {
  const special = isSpecial(url.protocol);
  const hasQuery = text.includes('?');
  text = takeQuery(url, text);
  if ((special ? /^[/\\]{2}/ : /^\/\//).test(text)) {
    const made = absolute({ ...url, search: null }, text);
    return made && { ...made, search: url.search };
  }
  Object.assign(url, { username: base.username, password: base.password, host: base.host, port: base.port });
  if ((special ? /^[/\\]/ : /^\//).test(text)) {
    url.path = normalizePath([], text.slice(1), special, url.protocol);
  } else if (text === '') {
    url.path = base.path;
    if (!hasQuery) url.search = base.search;
  } else {
    url.path = normalizePath(base.path.slice(0, -1), text, special, url.protocol);
  }
  return url;
}

const pathOf = (url) => url.opaque ?? (url.path.length === 0 ? '' : `/${url.path.join('/')}`);

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

// --- URLSearchParams ---------------------------------------------------------------------------------

const formEncode = (text) => encode(text, '!"#$%&\'()+,/:;<=>?@[\\]^`{|}~').replace(/ |%20/g, '+');
const formDecode = (text) => decodeBytes(text.replace(/\+/g, ' '));

class URLSearchParams {
  #list = [];
  #changed;

  constructor(init = '', changed = undefined) {
    this.#changed = changed;
    if (init !== null && (typeof init === 'object' || typeof init === 'function')) {
      if (typeof init[Symbol.iterator] === 'function')
        for (const pair of init) {
          const [key, value, ...more] = pair;
          if (value === undefined || more.length > 0)
            throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#list.push([`${key}`, `${value}`]);
        }
      else for (const key of Object.keys(init)) this.#list.push([key, `${init[key]}`]);
    } else {
      this.fill(`${init ?? ''}`.replace(/^\?/, ''));
    }
    if (changed !== undefined) Object.defineProperty(this, 'fill', { enumerable: false });
  }

  // Reads a query again, without telling the URL.
  fill(text) {
    this.#list = text.split('&').filter((part) => part !== '').map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [formDecode(part), ''] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))];
    });
  }

  #tell() {
    this.#changed?.(this.toString());
  }

  get size() { return this.#list.length; }
  append(key, value) {
    this.#list.push([`${key}`, `${value}`]);
    this.#tell();
  }
  delete(key, value) {
    this.#list = this.#list.filter(([name, each]) => !(name === `${key}` && (value === undefined || each === `${value}`)));
    this.#tell();
  }
  get(key) { return this.#list.find(([name]) => name === `${key}`)?.[1] ?? null; }
  getAll(key) { return this.#list.filter(([name]) => name === `${key}`).map(([, value]) => value); }
  has(key, value) { return this.#list.some(([name, each]) => name === `${key}` && (value === undefined || each === `${value}`)); }
  set(key, value) {
    const first = this.#list.findIndex(([name]) => name === `${key}`);
    if (first < 0) this.#list.push([`${key}`, `${value}`]);
    else {
      this.#list[first] = [`${key}`, `${value}`];
      this.#list = this.#list.filter(([name], index) => index <= first || name !== `${key}`);
    }
    this.#tell();
  }
  sort() {
    this.#list.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
    this.#tell();
  }
  forEach(callback, self) {
    for (const [key, value] of this.#list) callback.call(self, value, key, this);
  }
  * entries() { for (const [key, value] of this.#list) yield [key, value]; }
  * keys() { for (const [key] of this.#list) yield key; }
  * values() { for (const [, value] of this.#list) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#list.map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join('&'); }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (this.#list.length === 0) return 'URLSearchParams {}';
    return `URLSearchParams { ${this.#list.map(([key, value]) => `${inspect(key)} => ${inspect(value)}`).join(', ')} }`;
  }
}
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });

// --- URL ----------------------------------------------------------------------------------------------

class URL {
  #parts;
  #params;

  constructor(input, base = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    const parsedBase = base === undefined ? undefined : parse(`${base}`);
    const parts = base !== undefined && parsedBase === undefined ? undefined : parse(`${input}`, parsedBase);
    if (parts === undefined) {
      const error = coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
      error.input = `${input}`;
      if (base !== undefined) error.base = `${base}`;
      throw error;
    }
    this.#parts = parts;
  }

  static canParse(input, base = undefined) {
    if (arguments.length === 0) throw require('internal/errors').missingArgs('The "url" argument');
    try {
      return Boolean(new URL(input, base));
    } catch {
      return false;
    }
  }

  static parse(input, base = undefined) {
    if (arguments.length === 0) throw require('internal/errors').missingArgs('The "url" argument');
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }

  static createObjectURL(obj) { return require('internal/blob').createObjectURL(obj); }
  static revokeObjectURL(url) { require('internal/blob').revokeObjectURL(url); }

  get href() { return serialize(this.#parts); }
  set href(value) {
    this.#parts = new URL(value).#parts;
    this.#params?.fill(this.#parts.search ?? '');
  }
  get origin() {
    const { protocol, host, port } = this.#parts;
    return isSpecial(protocol) && protocol !== 'file:' ? `${protocol}//${host}${port === '' ? '' : `:${port}`}` : 'null';
  }
  get protocol() { return this.#parts.protocol; }
  set protocol(value) {
    const wanted = `${`${value}`.split(':')[0].toLowerCase()}:`;
    if (/^[a-z][a-z0-9+.-]*:$/.test(wanted) && isSpecial(wanted) === isSpecial(this.#parts.protocol))
      this.#parts.protocol = wanted;
    if (this.#parts.port === defaultPorts[this.#parts.protocol]) this.#parts.port = '';
  }
  get username() { return this.#parts.username; }
  set username(value) { if (this.#parts.host) this.#parts.username = encode(`${value}`, sets.userinfo); }
  get password() { return this.#parts.password; }
  set password(value) { if (this.#parts.host) this.#parts.password = encode(`${value}`, sets.userinfo); }
  get host() { return (this.#parts.host ?? '') + (this.#parts.port === '' ? '' : `:${this.#parts.port}`); }
  set host(value) {
    const [, name, port] = /^(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?/.exec(`${value}`);
    this.hostname = name;
    if (port) this.port = port;
  }
  get hostname() { return this.#parts.host ?? ''; }
  set hostname(value) {
    if (this.#parts.opaque !== null) return;
    const host = parseHost(`${value}`.split(/[/?#]/)[0], isSpecial(this.#parts.protocol));
    if (host !== null) this.#parts.host = host;
  }
  get port() { return this.#parts.port; }
  set port(value) {
    const digits = /^\d*/.exec(`${value}`)[0];
    if (`${value}` === '') this.#parts.port = '';
    else if (digits !== '' && +digits <= 65535)
      this.#parts.port = String(+digits) === defaultPorts[this.#parts.protocol] ? '' : String(+digits);
  }
  get pathname() { return pathOf(this.#parts); }
  set pathname(value) {
    if (this.#parts.opaque === null)
      this.#parts.path = normalizePath([], `${value}`.replace(/^[/\\]/, ''), isSpecial(this.#parts.protocol), this.protocol);
  }
  get search() { return this.#parts.search ? `?${this.#parts.search}` : ''; }
  set search(value) {
    const text = `${value}`.replace(/^\?/, '');
    this.#parts.search = text === '' ? null : encode(text, isSpecial(this.protocol) ? sets.specialQuery : sets.query);
    this.#params?.fill(this.#parts.search ?? '');
  }
  get searchParams() {
    return this.#params ??= new URLSearchParams(this.#parts.search ?? '', (text) => {
      this.#parts.search = text === '' ? null : text;
    });
  }
  get hash() { return this.#parts.hash ? `#${this.#parts.hash}` : ''; }
  set hash(value) {
    const text = `${value}`.replace(/^#/, '');
    this.#parts.hash = text === '' ? null : encode(text, sets.fragment);
  }
  toString() { return this.href; }
  toJSON() { return this.href; }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (typeof depth === 'number' && depth < 0) return this.href;
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash } = this;
    const shown = { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash };
    return `URL ${inspect(shown, options)}`;
  }
}
for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
  'searchParams', 'hash', 'toString', 'toJSON'])
  Object.defineProperty(URL.prototype, name, { enumerable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });

module.exports = { URL, URLSearchParams };
