'use strict';
// OutgoingMessage, first part: the headers that a program sets, until they are written.

const { ArrayIsArray, arrayMap, arrayPush, given, over, stringToLowerCase } = intrinsics;
const { headersSent, validateHeaderName, validateHeaderValue } = require('internal/http/words');
const { invalidArgType, validateString } = require('internal/errors');

const kList = Symbol('headers'); // name in small letters → { name, value }, or null

// Consequences of a header's removal for headers that are written by themselves.
const REMOVED = {
  __proto__: null,
  connection: (message) => message._removedConnection = true,
  'content-length': (message) => message._removedContLen = true,
  'transfer-encoding': (message) => message._removedTE = true,
  date: (message) => message.sendDate = false,
};

// A plain object without a prototype's names; made by a class, which is faster than a literal.
function List() {}
List.prototype = Object.create(null);

const asList = (value) => ArrayIsArray(value) ? [...over(value)] : [value];

const methods = {
  setHeader(name, value) {
    if (this._header) throw headersSent('set');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    (this[kList] ??= new List())[stringToLowerCase.call(name)] = { name, value };
    return this;
  },

  setHeaders(headers) {
    if (this._header) throw headersSent('set');
    if (!headers || ArrayIsArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function')
      throw invalidArgType('headers', 'an instance of Headers or Map', headers);
    // Headers gives each cookie by itself; the last would win.
    const cookies = [];
    for (const { 0: name, 1: value } of given(headers)) {
      if (name === 'set-cookie') arrayPush.apply(cookies, asList(value));
      else this.setHeader(name, value);
    }
    if (cookies.length > 0) this.setHeader('set-cookie', cookies);
    return this;
  },

  appendHeader(name, value) {
    if (this._header) throw headersSent('append');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const entry = this[kList]?.[stringToLowerCase.call(name)];
    if (entry === undefined) return this.setHeader(name, value);
    if (!ArrayIsArray(entry.value)) entry.value = [entry.value];
    arrayPush.apply(entry.value, asList(value));
    return this;
  },

  getHeader(name) {
    validateString(name, 'name');
    return this[kList]?.[stringToLowerCase.call(name)]?.value;
  },

  hasHeader(name) {
    validateString(name, 'name');
    return this[kList] !== null && this[kList][stringToLowerCase.call(name)] !== undefined;
  },

  removeHeader(name) {
    validateString(name, 'name');
    if (this._header) throw headersSent('remove');
    const key = stringToLowerCase.call(name);
    REMOVED[key]?.(this);
    if (this[kList] !== null) delete this[kList][key];
  },

  getHeaderNames() {
    return this[kList] === null ? [] : Object.keys(this[kList]);
  },

  getRawHeaderNames() {
    return this[kList] === null ? [] : arrayMap.call(Object.values(this[kList]), ({ name }) => name);
  },

  getHeaders() {
    const copy = { __proto__: null };
    const list = this[kList];
    if (list !== null) for (const key of over(Object.keys(list))) copy[key] = list[key].value;
    return copy;
  },

  // An older form of getHeaders.
  _renderHeaders() {
    if (this._header) throw headersSent('render');
    const rendered = {};
    const list = this[kList];
    if (list !== null) for (const { name, value } of over(Object.values(list))) rendered[name] = value;
    return rendered;
  },
};

module.exports = { kList, methods };
