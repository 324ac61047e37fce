'use strict';
// IncomingMessage: a request that a server gets, or a response that a client gets.

const {
  arrayPush, over, stringSlice, stringSplit, stringToLowerCase,
} = intrinsics;
const { Readable } = require('stream');
const { finished } = require('internal/streams/finished');

const kHeaders = Symbol('headers');
const kDistinct = Symbol('headersDistinct');
const kTrailers = Symbol('trailers');
const kTrailersDistinct = Symbol('trailersDistinct');
const kPairs = Symbol('pairs'); // how many texts of rawHeaders count, -1 for all
const kRaw = Symbol('rawHeaders'); // null until kText was split
const kText = Symbol('headerText');
const NOTHING = Object.freeze([]);
const PORTION = 62;

const NO_MORE_ROOM = undefined;

function IncomingMessage(socket) {
  Reflect.apply(Readable, this, [socket ? { highWaterMark: socket.readableHighWaterMark } : NO_MORE_ROOM]);
  // Data comes by itself: no need to check after each chunk whether to read more.
  this._readableState.readingMore = true;
  this.socket = this.client = socket;
  // The first line: of a request or of a response.
  this.method = this.statusCode = this.statusMessage = null;
  this.url = '';
  this.httpVersion = this.httpVersionMajor = this.httpVersionMinor = null;
  this.upgrade = null;
  // Headers and trailers.
  this[kRaw] = NOTHING;
  this[kText] = '';
  this.rawTrailers = [];
  this[kHeaders] = this[kTrailers] = null;
  this[kPairs] = -1;
  this.joinDuplicateHeaders = false;
  // How far the message has come.
  this.complete = this.aborted = false;
  this._consuming = this._dumped = false;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

// --- the socket's reading ---------------------------------------------------------------------------

function startReading(socket) {
  if (socket && !socket._paused && socket.readable) socket.resume();
}

function stopReading(socket) {
  if (socket) socket.pause();
}

Object.assign(IncomingMessage.prototype, {
  _read() {
    if (!this._consuming) {
      this._readableState.readingMore = false;
      this._consuming = true;
    }
    // The parser pushes; the socket may have been paused because nobody read.
    if (this.socket && this.socket.readable) startReading(this.socket);
  },

  _destroy(error, callback) {
    if (!this.readableEnded || !this.complete) {
      this.aborted = true;
      this.emit('aborted');
    }
    const { socket } = this;
    if (!socket || socket.destroyed || !this.aborted) {
      process.nextTick(destroyed, this, error, callback);
      return;
    }
    // A message that was given up takes its connection along.
    socket.destroy(error);
    const forget = finished(socket, (failure) => {
      forget();
      const reason = failure?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? null : failure;
      process.nextTick(destroyed, this, reason || error, callback);
    });
  },

  setTimeout(ms, callback) {
    if (callback) this.on('timeout', callback);
    this.socket.setTimeout(ms);
    return this;
  },

  // Lets what is left go by, so that the connection can be used again.
  _dump() {
    if (this._dumped) return;
    this._dumped = true;
    this.removeAllListeners('data'); // there may be data that it has already
    this.resume();
  },
});

// An error that nobody listens for isn't reported.
function destroyed(message, error, callback) {
  if (message.listenerCount('error') === 0) callback();
  else callback(error);
}

// --- headers ------------------------------------------------------------------------------------------

// How a name that comes twice is treated: the first counts, or all in one text, or all in a list.
const FIRST = 1;
const SEMICOLONS = 2;
const LIST = 3;
const RULES = { __proto__: null, 'set-cookie': LIST, cookie: SEMICOLONS };
const ONCE = 'age authorization content-length content-type etag expires from host if-modified-since ' +
  'if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent';
for (const name of over(stringSplit.call(ONCE, ' '))) RULES[name] = FIRST;

// Names in small letters, as they come.
const SMALL_MOST = 512;
const small = new Map();
function lower(name) {
  let found = small.get(name);
  if (found === undefined) {
    found = stringToLowerCase.call(name);
    if (small.size < SMALL_MOST && name.length < 64) small.set(name, found);
  }
  return found;
}

function addLine(message, given, value, into) {
  const name = lower(given);
  const before = into[name];
  const rule = RULES[name];
  if (rule === LIST) {
    if (before === undefined) into[name] = [value];
    else arrayPush.call(before, value);
  } else if (typeof before !== 'string') { // also what an object inherits, as "constructor"
    into[name] = value;
  } else if (rule === SEMICOLONS) {
    into[name] = `${before}; ${value}`;
  } else if (rule !== FIRST || message.joinDuplicateHeaders) {
    into[name] = `${before}, ${value}`;
  }
}

function addDistinct(given, value, into) {
  const name = lower(given);
  if (into[name] === undefined) into[name] = [value];
  else arrayPush.call(into[name], value);
}

function joined(message, raw, count) {
  const into = {};
  for (let i = 0; i + 1 < count; i += 2) addLine(message, raw[i], raw[i + 1], into);
  return into;
}

function distinct(raw, count) {
  const into = { __proto__: null };
  for (let i = 0; i + 1 < count; i += 2) addDistinct(raw[i], raw[i + 1], into);
  return into;
}

// A header as the parser's text, of which the lines are made when they are asked for.
function setHeaderText(message, text, end, most) {
  message[kRaw] = null;
  message[kText] = stringSlice.call(text, 0, end);
  message[kPairs] = most;
}

// The fields in a text; `most` 0 means no limit. As Node reads them: 31 at a time, until there are too
// many.
function linesOf(text, end, most) {
  if (end === 0) return [];
  const lines = stringSplit.call(stringSlice.call(text, 0, end - 1), '\n');
  if (most > 0 && lines.length > most) lines.length = Math.min(lines.length, Math.ceil(most / PORTION) * PORTION);
  return lines;
}

function rawOf(message) {
  const raw = message[kRaw];
  if (raw === NOTHING) return message[kRaw] = [];
  if (raw !== null) return raw;
  const most = message[kPairs];
  const lines = message[kRaw] = linesOf(message[kText], message[kText].length, most);
  message[kText] = '';
  message[kPairs] = most > 0 && lines.length > most ? most : -1;
  return lines;
}

Object.defineProperty(IncomingMessage.prototype, 'rawHeaders', { __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return rawOf(this);
  },
  set(lines) {
    this[kRaw] = lines;
  },
});

// How many texts of rawHeaders count: a parser's limit cuts what `headers` has, too.
const countOf = (message, raw) => message[kPairs] < 0 ? raw.length : message[kPairs];

function lazy(name, key, make) {
  Object.defineProperty(IncomingMessage.prototype, name, { __proto__: null,
    configurable: false,
    enumerable: false,
    get() {
      return this[key] ??= make(this);
    },
    set(value) {
      this[key] = value;
    },
  });
}
lazy('headers', kHeaders, (message) => {
  const raw = rawOf(message);
  return joined(message, raw, countOf(message, raw));
});
lazy('headersDistinct', kDistinct, (message) => {
  const raw = rawOf(message);
  return distinct(raw, countOf(message, raw));
});
lazy('trailers', kTrailers, (message) => joined(message, message.rawTrailers, message.rawTrailers.length));
lazy('trailersDistinct', kTrailersDistinct, (message) => distinct(message.rawTrailers, message.rawTrailers.length));

Object.defineProperty(IncomingMessage.prototype, 'connection', { __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return this.socket;
  },
  set(value) {
    this.socket = value;
  },
});

function addHeaderLines(lines, count) {
  if (!lines?.length) return;
  if (this.complete) {
    this.rawTrailers = lines;
    this[kTrailers] = null;
  } else {
    this.rawHeaders = lines;
    this[kPairs] = count;
    this[kHeaders] = null;
  }
}

Object.assign(IncomingMessage.prototype, {
  _addHeaderLines: addHeaderLines,
  _addHeaderLine(name, value, into) {
    addLine(this, name, value, into);
  },
  _addHeaderLineDistinct(name, value, into) {
    addDistinct(name, value, into);
  },
});

module.exports = { IncomingMessage, addHeaderLines, linesOf, setHeaderText, startReading, stopReading };
