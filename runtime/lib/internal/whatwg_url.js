'use strict';
// URL and URLSearchParams after the URL Standard.

const {
  SymbolFor, arrayFilter, arrayFind, arrayFindIndex, arrayJoin, arrayMap, arrayPush, arraySlice, arraySome, arraySort, given,
  over, regexpExec, regexpReplace, stringIndexOf, stringSlice, stringSplit, stringToLowerCase, stringToWellFormed,
} = intrinsics;
const { coded, invalidArgType, missingArgs } = require('internal/errors');
const {
  addPath, decodeBytes, defaultPorts, encode, encodeQuery, isSpecial, originOf, parse, parseHost, parsePort, pathOf, serialize, sets,
} = require('internal/url_parse');

// --- URLSearchParams ---------------------------------------------------------------------------------

function wellFormed(value) {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return stringToWellFormed.call(`${value}`);
}
const formEncode = (text) => regexpReplace(/ |%20/g, encode(text, '!"#$%&\'()+,/:;<=>?@[\\]^`{|}~'), '+');
const formDecode = (text) => decodeBytes(regexpReplace(/\+/g, text, ' '));

// For the URLSearchParams of a URL: a change updates the URL's query.
let follow;
let fill;
let need; // throws for an object of another class

// "{ a, b }", on separate lines if they are too long for one.
function braced(items, most) {
  if (items.length === 0) return '{}';
  let width = 0;
  for (let i = 0; i < items.length; i++) width += items[i].length + 2;
  return width > most ? `{\n  ${arrayJoin.call(items, ',\n  ')} }` : `{ ${arrayJoin.call(items, ', ')} }`;
}

// The iterators of entries(), keys() and values(), which follow changes of the list.
const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
class Iterator {
  #list; // () => the list
  #pick; // (pair) => the part to return
  #index = 0;

  constructor(list, pick) {
    this.#list = list;
    this.#pick = pick;
  }

  static #check(value) {
    if (value !== null && typeof value === 'object' && #list in value) return;
    throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type URLSearchParamsIterator');
  }

  next() {
    Iterator.#check(this);
    const list = this.#list();
    if (this.#index >= list.length) return { value: undefined, done: true };
    return { value: this.#pick(list[this.#index++]), done: false };
  }

  [SymbolFor('nodejs.util.inspect.custom')](depth, options, inspect) {
    Iterator.#check(this);
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const left = arrayMap.call(arraySlice.call(this.#list(), this.#index), (pair) => inspect(this.#pick(pair), options));
    return `URLSearchParams Iterator ${left.length === 0 ? '{  }' : braced(left, options.breakLength)}`;
  }
}
delete Iterator.prototype.constructor;
Object.setPrototypeOf(Iterator.prototype, IteratorPrototype);
Object.defineProperty(Iterator.prototype, 'next', { __proto__: null, enumerable: true });
Object.defineProperty(Iterator.prototype, Symbol.toStringTag, { __proto__: null, value: 'URLSearchParams Iterator', configurable: true });

class URLSearchParams {
  #list = [];
  #changed;

  static {
    // Parses a query again, without updating the URL.
    fill = (params, text) => {
      params.#list = arrayMap.call(arrayFilter.call(stringSplit.call(text, '&'), (part) => part !== ''), (part) => {
        const at = stringIndexOf.call(part, '=');
        return at < 0 ? [formDecode(part), ''] : [formDecode(stringSlice.call(part, 0, at)), formDecode(stringSlice.call(part, at + 1))];
      });
    };
    follow = (text, changed) => {
      const params = new URLSearchParams();
      fill(params, text);
      params.#changed = changed;
      return params;
    };
  }

  constructor(init = undefined) {
    if (init !== null && (typeof init === 'object' || typeof init === 'function')) this.#take(init);
    else fill(this, regexpReplace(/^\?/, wellFormed(init ?? ''), ''));
  }

  // Takes pairs, or the fields of an object.
  #take(init) {
    const iterate = init[Symbol.iterator];
    if (iterate === undefined || iterate === null) {
      for (const key of over(Reflect.ownKeys(init)))
        if (Object.getOwnPropertyDescriptor(init, key)?.enumerable) arrayPush.call(this.#list, [wellFormed(key), wellFormed(init[key])]);
      return;
    }
    if (typeof iterate !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
    for (const pair of given(init)) {
      if (pair === null || (typeof pair !== 'object' && typeof pair !== 'function') || typeof pair[Symbol.iterator] !== 'function')
        throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
      const both = [...given(pair)];
      if (both.length !== 2) throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
      arrayPush.call(this.#list, [wellFormed(both[0]), wellFormed(both[1])]);
    }
  }

  #check(count, args) {
    if (args.length < count) throw missingArgs(count === 1 ? 'The "name" argument' : 'The "name" and "value" arguments');
  }

  #report() {
    this.#changed?.(this.toString());
  }

  get size() {
    need(this);
    return this.#list.length;
  }
  append(name, value) {
    need(this);
    this.#check(2, arguments);
    arrayPush.call(this.#list, [wellFormed(name), wellFormed(value)]);
    this.#report();
  }
  delete(name, value = undefined) {
    need(this);
    this.#check(1, arguments);
    name = wellFormed(name);
    if (value !== undefined) value = wellFormed(value);
    this.#list = arrayFilter.call(this.#list, ({ 0: key, 1: each }) => !(key === name && (value === undefined || each === value)));
    this.#report();
  }
  get(name) {
    need(this);
    this.#check(1, arguments);
    name = wellFormed(name);
    return arrayFind.call(this.#list, ({ 0: key }) => key === name)?.[1] ?? null;
  }
  getAll(name) {
    need(this);
    this.#check(1, arguments);
    name = wellFormed(name);
    return arrayMap.call(arrayFilter.call(this.#list, ({ 0: key }) => key === name), ({ 1: value }) => value);
  }
  has(name, value = undefined) {
    need(this);
    this.#check(1, arguments);
    name = wellFormed(name);
    if (value !== undefined) value = wellFormed(value);
    return arraySome.call(this.#list, ({ 0: key, 1: each }) => key === name && (value === undefined || each === value));
  }
  set(name, value) {
    need(this);
    this.#check(2, arguments);
    name = wellFormed(name);
    value = wellFormed(value);
    const first = arrayFindIndex.call(this.#list, ({ 0: key }) => key === name);
    if (first < 0) arrayPush.call(this.#list, [name, value]);
    else {
      this.#list[first] = [name, value];
      this.#list = arrayFilter.call(this.#list, ({ 0: key }, index) => index <= first || key !== name);
    }
    this.#report();
  }
  sort() {
    need(this);
    arraySort.call(this.#list, ({ 0: a }, { 0: b }) => a < b ? -1 : a > b ? 1 : 0);
    this.#report();
  }
  entries() {
    need(this);
    return new Iterator(() => this.#list, ({ 0: key, 1: value }) => [key, value]);
  }
  forEach(callback, self = undefined) {
    need(this);
    if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
    for (let index = 0; index < this.#list.length; index++) {
      const { 0: key, 1: value } = this.#list[index];
      Reflect.apply(callback, self, [value, key, this]);
    }
  }
  keys() {
    need(this);
    return new Iterator(() => this.#list, ({ 0: key }) => key);
  }
  values() {
    need(this);
    return new Iterator(() => this.#list, ({ 1: value }) => value);
  }
  toString() {
    need(this);
    return arrayJoin.call(arrayMap.call(this.#list, ({ 0: key, 1: value }) => `${formEncode(key)}=${formEncode(value)}`), '&');
  }

  static #has(value) { return #list in value; }
  static {
    need = (value) => {
      if (value === null || (typeof value !== 'object' && typeof value !== 'function') || !URLSearchParams.#has(value))
        throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type URLSearchParams');
    };
  }

  [SymbolFor('nodejs.util.inspect.custom')](depth, options, inspect) {
    need(this);
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const pairs = arrayMap.call(this.#list, ({ 0: key, 1: value }) => `${inspect(key, options)} => ${inspect(value, options)}`);
    return `URLSearchParams ${braced(pairs, options.breakLength)}`;
  }
}
for (const name of over(['append', 'delete', 'entries', 'forEach', 'get', 'getAll', 'has', 'keys', 'set', 'size', 'sort', 'toString', 'values']))
  Object.defineProperty(URLSearchParams.prototype, name, { __proto__: null, enumerable: true });
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator,
  { __proto__: null, value: URLSearchParams.prototype.entries, writable: true, configurable: true });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { __proto__: null, value: 'URLSearchParams', configurable: true });

// --- URL ----------------------------------------------------------------------------------------------

class URL {
  #parts;
  #params;

  constructor(input, base = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    const parsedBase = base === undefined ? undefined : parse(`${base}`);
    const parts = base !== undefined && parsedBase === undefined ? undefined : parse(`${input}`, parsedBase);
    if (parts === undefined) {
      const error = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: `${input}` });
      if (base !== undefined) error.base = `${base}`;
      throw error;
    }
    this.#parts = parts;
  }

  static canParse(input, base = undefined) {
    if (arguments.length === 0) throw require('internal/errors').missingArgs('The "url" argument');
    const text = `${input}`;
    if (base !== undefined) base = `${base}`;
    try {
      return Boolean(new URL(text, base));
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
  static revokeObjectURL(url) {
    if (arguments.length === 0) throw missingArgs('The "url" argument');
    require('internal/blob').revokeObjectURL(url);
  }

  get href() { return serialize(this.#parts); }
  set href(value) {
    this.#parts = new URL(value).#parts;
    if (this.#params !== undefined) fill(this.#params, this.#parts.search ?? '');
  }
  get origin() { return originOf(this.#parts); }
  get protocol() { return this.#parts.protocol; }
  set protocol(value) {
    const { host, port, username, password, protocol } = this.#parts;
    const wanted = regexpExec.call(/^([a-zA-Z][a-zA-Z0-9+.-]*)(:|$)/, regexpReplace(/[\t\n\r]/g, `${value}`, ''));
    const next = wanted === null ? protocol : `${stringToLowerCase.call(wanted[1])}:`;
    if (isSpecial(next) !== isSpecial(protocol) || (next === 'file:' && (port !== '' || username !== '' || password !== '')) ||
        (protocol === 'file:' && !host)) return;
    this.#parts.protocol = next;
    if (port === defaultPorts[next]) this.#parts.port = '';
  }
  get username() { return this.#parts.username; }
  set username(value) { if (this.#hasAuthority()) this.#parts.username = encode(`${value}`, sets.userinfo); }
  get password() { return this.#parts.password; }
  set password(value) { if (this.#hasAuthority()) this.#parts.password = encode(`${value}`, sets.userinfo); }
  // Whether it may have a user, a password and a port.
  #hasAuthority() { return Boolean(this.#parts.host) && this.#parts.protocol !== 'file:'; }

  get host() { return (this.#parts.host ?? '') + (this.#parts.port === '' ? '' : `:${this.#parts.port}`); }
  set host(value) { this.#setHost(value, true); }
  get hostname() { return this.#parts.host ?? ''; }
  set hostname(value) { this.#setHost(value, false); }
  #setHost(value, withPort) {
    const { protocol, opaque, username, password, port } = this.#parts;
    if (opaque !== null) return;
    const special = isSpecial(protocol);
    const text = regexpExec.call(special ? /^[^/\\?#]*/ : /^[^/?#]*/, regexpReplace(/[\t\n\r]/g, `${value}`, ''))[0];
    const { 1: name, 2: digits } = protocol === 'file:' ? { 1: text } : regexpExec.call(/^((?:\[[^\]]*\]|[^:])*)(?::(.*))?$/s, text) ?? {};
    if (name === undefined || (!withPort && digits !== undefined)) return;
    if (name === '' && ((special && protocol !== 'file:') || username !== '' || password !== '' || port !== '' || digits !== undefined)) return;
    const host = name === '' ? '' : parseHost(name, special);
    if (host === null) return;
    this.#parts.host = protocol === 'file:' && host === 'localhost' ? '' : host;
    if (digits) this.port = digits;
  }
  get port() { return this.#parts.port; }
  set port(value) {
    if (!this.#hasAuthority()) return;
    const text = regexpReplace(/[\t\n\r]/g, `${value}`, '');
    const digits = regexpExec.call(/^\d*/, text)[0];
    if (digits === '' && text !== '') return;
    this.#parts.port = parsePort(digits, this.#parts.protocol) ?? this.#parts.port;
  }
  get pathname() { return pathOf(this.#parts); }
  set pathname(value) {
    const { host, opaque, protocol } = this.#parts;
    if (opaque !== null) return;
    const text = regexpReplace(/[\t\n\r]/g, `${value}`, '');
    this.#parts.path = !isSpecial(protocol) && host !== null && text === '' ? [] :
      addPath([], regexpReplace(isSpecial(protocol) ? /^[/\\]/ : /^\//, text, ''), protocol);
  }
  // Spaces at the end of an opaque path are kept only before a query or a fragment.
  #trim() {
    const parts = this.#parts;
    if (parts.opaque !== null && parts.search === null && parts.hash === null) parts.opaque = regexpReplace(/ +$/, parts.opaque, '');
  }

  get search() { return this.#parts.search ? `?${this.#parts.search}` : ''; }
  set search(value) {
    const text = regexpReplace(/[\t\n\r]/g, `${value}`, '');
    this.#parts.search = text === '' ? null : encodeQuery(regexpReplace(/^\?/, text, ''), this.#parts.protocol);
    this.#trim();
    if (this.#params !== undefined) fill(this.#params, this.#parts.search ?? '');
  }
  get searchParams() {
    return this.#params ??= follow(this.#parts.search ?? '', (text) => {
      this.#parts.search = text === '' ? null : text;
      this.#trim();
    });
  }
  get hash() { return this.#parts.hash ? `#${this.#parts.hash}` : ''; }
  set hash(value) {
    const text = regexpReplace(/[\t\n\r]/g, `${value}`, '');
    this.#parts.hash = text === '' ? null : encode(regexpReplace(/^#/, text, ''), sets.fragment);
    this.#trim();
  }
  toString() { return this.href; }
  toJSON() { return this.href; }

  [SymbolFor('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (typeof depth === 'number' && depth < 0) return this.href;
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash } = this;
    const shown = { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash };
    return `URL ${inspect(shown, options)}`;
  }
}
for (const name of over(['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
  'searchParams', 'hash', 'toString', 'toJSON']))
  Object.defineProperty(URL.prototype, name, { __proto__: null, enumerable: true });
for (const name of over(['canParse', 'createObjectURL', 'parse', 'revokeObjectURL'])) Object.defineProperty(URL, name, { __proto__: null, enumerable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { __proto__: null, value: 'URL', configurable: true });

module.exports = { URL, URLSearchParams };
