'use strict';
// OutgoingMessage, second part: the header as text, with what follows from it for the body and the
// connection: Date, Connection, Content-Length or Transfer-Encoding where the program gave none.

const {
  ArrayIsArray, arrayJoin, arrayMap, over, regexpTest, stringToLowerCase,
} = intrinsics;
const { Buffer } = require('buffer');
const { utcDate, validateHeaderName, validateHeaderValue } = require('internal/http/words');
const { coded, invalidArgValue } = require('internal/errors');

const kUnique = Symbol('uniqueHeaders');

const END = '\r\n';

// The header that is being made, and which of the fields that count were in it.
class Block {
  constructor(message, firstLine) {
    this.message = message;
    this.text = firstLine;
    this.connection = false;
    this.length = false;
    this.encoding = false;
    this.date = false;
    this.expect = false;
    this.trailer = false;
  }

  add(name, value, isChecked) {
    if (!isChecked) validateHeaderName(name);
    const key = stringToLowerCase.call(name);
    const shown = key === 'content-disposition' && this.message._contentLength ? bytesOf(value) : value;
    if (!ArrayIsArray(shown)) this.#line(name, key, shown, isChecked);
    else if (isJoined(this.message, key, shown)) this.#line(name, key, arrayJoin.call(shown, '; '), isChecked);
    else for (let i = 0; i < shown.length; i++) this.#line(name, key, shown[i], isChecked);
  }

  #line(name, key, value, isChecked) {
    if (!isChecked) validateHeaderValue(name, value);
    this.text += `${name}: ${value}\r\n`;
    MEANINGS[key]?.(this, this.message, value);
  }
}

// With a length known beforehand, a name outside of Latin-1 is written as its UTF-8 bytes.
const bytesOf = (value) => ArrayIsArray(value) ?
  arrayMap.call(value, (each) => Buffer.from(each, 'latin1')) : Buffer.from(value, 'latin1');

// Cookies of a request are one line, other lists one line each, unless the program wants them unique.
const isJoined = (message, key, list) => (list.length >= 2 && key === 'cookie') || Boolean(message[kUnique]?.has(key));

const MEANINGS = {
  __proto__: null,
  connection(block, message, value) {
    block.connection = true;
    message._removedConnection = false;
    if (regexpTest(/(?:^|\W)close(?:$|\W)/i, `${value}`)) message._last = true;
    else message.shouldKeepAlive = true;
  },
  'transfer-encoding'(block, message, value) {
    block.encoding = true;
    message._removedTE = false;
    if (regexpTest(/(?:^|\W)chunked(?:$|\W)/i, `${value}`)) message.chunkedEncoding = true;
  },
  'content-length'(block, message, value) {
    block.length = true;
    message._contentLength = +value;
    message._removedContLen = false;
  },
  'keep-alive': (block, message) => message._defaultKeepAlive = false,
  date: (block) => block.date = true,
  expect: (block) => block.expect = true,
  trailer: (block) => block.trailer = true,
};

function addAll(block, headers, list) {
  if (!headers) return;
  if (headers === list) { // checked when they were set
    for (const key in list) block.add(list[key].name, list[key].value, true);
  } else if (!ArrayIsArray(headers)) {
    for (const name of over(Object.keys(headers))) block.add(name, headers[name], false);
  } else if (headers.length > 0 && ArrayIsArray(headers[0])) {
    for (let i = 0; i < headers.length; i++) block.add(headers[i][0], headers[i][1], false);
  } else {
    if (headers.length % 2 !== 0) throw invalidArgValue('headers', headers);
    for (let i = 0; i < headers.length; i += 2) block.add(headers[i], headers[i + 1], false);
  }
}

function addConnection(block, message) {
  if (message._removedConnection) {
    // Without a word the connection persists, as far as the version allows.
    message._last = !message.shouldKeepAlive;
    return;
  }
  if (block.connection) return;
  const persists = message.shouldKeepAlive && (block.length || message.useChunkedEncodingByDefault || message.agent);
  if (!persists) message._last = true;
  if (!persists || message.maxRequestsOnConnectionReached) {
    block.text += 'Connection: close\r\n';
    return;
  }
  block.text += 'Connection: keep-alive\r\n';
  if (!message._keepAliveTimeout || !message._defaultKeepAlive) return;
  const most = ~~message._maxRequestsPerSocket;
  block.text += `Keep-Alive: timeout=${Math.floor(message._keepAliveTimeout / 1000)}${most > 0 ? `, max=${message._maxRequestsPerSocket}` : ''}\r\n`;
}

// How the other side knows where the body ends.
function addFraming(block, message) {
  if (block.length || block.encoding) return;
  if (!message._hasBody) {
    message.chunkedEncoding = false;
  } else if (!message.useChunkedEncodingByDefault) {
    message._last = true;
  } else if (!block.trailer && !message._removedContLen && typeof message._contentLength === 'number') {
    block.text += `Content-Length: ${message._contentLength}\r\n`;
  } else if (!message._removedTE) {
    block.text += 'Transfer-Encoding: chunked\r\n';
    message.chunkedEncoding = true;
  } else { // by the end of the connection
    message._last = true;
  }
}

// Makes message._header; list: the headers that the program has set one by one.
function store(message, firstLine, headers, list) {
  const block = new Block(message, firstLine);
  addAll(block, headers, list);
  if (message.sendDate && !block.date) block.text += `Date: ${utcDate()}\r\n`;
  // Responses with these codes have no body, whatever the program says of its encoding.
  if (message.chunkedEncoding && (message.statusCode === 204 || message.statusCode === 304)) {
    message.chunkedEncoding = false;
    message.shouldKeepAlive = false;
  }
  addConnection(block, message);
  addFraming(block, message);
  if (message.chunkedEncoding !== true && block.trailer)
    throw coded(Error, 'ERR_HTTP_TRAILER_INVALID', 'Trailers are invalid with this transfer encoding');
  message._header = block.text + END;
  message._headerSent = false;
  // The other side answers before the body comes.
  if (block.expect) message._send('');
}

module.exports = { kUnique, store };
