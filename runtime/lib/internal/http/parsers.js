'use strict';
// Parsers: what the C parser finds becomes an IncomingMessage, whose owner (a server's connection or
// a client's request) gets it with onIncoming. Parsers that are done with are kept for the next
// connection.

// own methods: message
const { arrayPop, arrayPush, stringLastIndexOf, stringSlice, stringSplit } = intrinsics;
const binding = native('http');
const tools = require('internal/tools');
const FastBuffer = require('internal/fast_buffer');
const { METHODS_BY_NUMBER } = require('internal/http/words');
const { IncomingMessage, addHeaderLines, linesOf, setHeaderText, startReading, stopReading } = require('internal/http/incoming');

const REQUEST = 1;
const RESPONSE = 2;

const kIncoming = Symbol('incoming'); // of a server: the class of its requests
const UPGRADE = 1;
const PERSISTENT = 2;
const BODILESS = 4;
const HAS_HOST = 8;
const HAS_EXPECT = 16;
const HEADERS_MOST = 2000;

class Parser {
  constructor() {
    this.token = binding.open();
    this.context = undefined; // of its connection or request, while the program asks for contexts
    this.clear();
  }

  clear() {
    this.socket = null;
    this.incoming = null;
    this.outgoing = null;
    this.maxHeaderPairs = HEADERS_MOST;
    this.joinDuplicateHeaders = false;
    this.onIncoming = null; // (message, isPersistent, flags) → 0, 1 (no body) or 2 (no HTTP from here on)
    this.onRead = null; // (parser's result, size): a parser that reads from the socket itself has read
    this.consumed = false;
    if (this.context !== undefined) {
      tools.contexts.destroy(this.context);
      this.context = undefined;
    }
    this.packet = null; // what a failed read has read
  }

  start(kind, limit, isLenient, isTimed, socket) {
    binding.start(this.token, kind, limit, isLenient, isTimed);
    if (tools.contexts === undefined) return;
    const type = kind === REQUEST ? 'HTTPINCOMINGMESSAGE' : 'HTTPCLIENTREQUEST';
    this.context = tools.contexts.causedBy(socket, () => tools.contexts.begin(type, {}));
  }

  // The number of bytes that were read, or an Error.
  execute(bytes) {
    return resultOf(this, binding.execute(this.token, this, bytes), bytes);
  }

  finish() {
    const result = resultOf(this, binding.finish(this.token, this), undefined);
    if (!(result instanceof Error)) return undefined;
    result.message = 'Parse Error';
    return result;
  }

  pause() {
    binding.pause(this.token, true);
  }

  resume() {
    binding.pause(this.token, false);
  }

  consume(handle) {
    return this.consumed = binding.consume(this.token, handle, this);
  }

  unconsume() {
    if (!this.consumed) return;
    this.consumed = false;
    binding.unconsume(this.token);
  }

  // When the message began that is awaited, in ms; negative once its header is there, 0 for none.
  get since() {
    return binding.since(this.token);
  }
}

function parseError(code, reason, bytesParsed, packet) {
  const error = new Error(`Parse Error${reason ? `: ${reason}` : ''}`);
  error.bytesParsed = bytesParsed;
  error.code = code;
  error.reason = reason;
  error.rawPacket = packet;
  return error;
}

function resultOf(parser, result, packet) {
  return typeof result === 'number' || result === undefined ? result : parseError(result[0], result[1], result[2], packet);
}

// --- called by C ----------------------------------------------------------------------------------------

// The text of the fields ends with the line that is no field: the URL, or the reason.
function onHead(parser, text, number, flags) {
  const { socket } = parser;
  const end = stringLastIndexOf.call(text, '\n') + 1;
  const line = stringSlice.call(text, end);
  const server = socket?.server;
  const Message = server?.[kIncoming] ?? IncomingMessage;
  const message = parser.incoming = new Message(socket);
  const version = flags >> 8;
  message.httpVersionMajor = version & 15;
  message.httpVersionMinor = version >> 4;
  message.httpVersion = version === 0x11 ? '1.1' : `${version & 15}.${version >> 4}`;
  message.joinDuplicateHeaders = Boolean(server?.joinDuplicateHeaders || parser.joinDuplicateHeaders);
  message.upgrade = (flags & UPGRADE) !== 0;
  if (message._addHeaderLines === addHeaderLines) setHeaderText(message, text, end, parser.maxHeaderPairs);
  else addLines(message, linesOf(text, end, parser.maxHeaderPairs), parser.maxHeaderPairs);
  if (parser.outgoing === null) {
    message.url = line;
    message.method = METHODS_BY_NUMBER[number];
  } else {
    message.statusCode = number;
    message.statusMessage = line;
  }
  const answer = parser.onIncoming(message, (flags & PERSISTENT) !== 0, flags);
  if ((flags & BODILESS) !== 0 && answer !== 1 && answer !== 2) complete(parser, undefined);
  return answer;
}

// For a class that overrides the method.
function addLines(message, lines, most) {
  message._addHeaderLines(lines, most > 0 && lines.length > most ? most : lines.length);
}

function onBody(parser, bytes, offset, length) {
  const message = parser.incoming;
  if (message === null || message._dumped) return;
  if (!message.push(new FastBuffer(bytes, offset, length))) stopReading(parser.socket);
}

function complete(parser, text) {
  const message = parser.incoming;
  if (message !== null) {
    message.complete = true;
    if (text !== undefined) {
      const lines = stringSplit.call(text, '\n');
      arrayPop.call(lines);
      message._addHeaderLines(lines, lines.length);
    }
    message.push(null);
  }
  startReading(parser.socket);
}

function onRead(parser, size, done, bytes, offset, code, reason) {
  parser.packet = bytes === undefined ? null : new FastBuffer(bytes, offset, size);
  parser.onRead?.(code === undefined ? done : parseError(code, reason, done, parser.packet), size);
}

// In the context of the parser, if it has one.
const inContext = (callback) => function onHttp(parser, a, b, c, d, e, f) {
  return parser.context === undefined ? callback(parser, a, b, c, d, e, f) :
    tools.contexts.within(parser.context, callback, parser, a, b, c, d, e, f);
};

binding.setCallbacks(inContext(onHead), inContext(onBody), inContext(complete), inContext(onRead));

// --- those that wait -----------------------------------------------------------------------------------

let idleMost = 1000;
const idle = [];

const alloc = () => idle.length > 0 ? arrayPop.call(idle) : new Parser();

// Takes the parser from its connection, also if it is just being fed.
function free(parser, request, socket) {
  if (parser) {
    parser.unconsume();
    parser.clear();
    binding.start(parser.token, REQUEST, 0, false, false);
    if (idle.length < idleMost) arrayPush.call(idle, parser);
  }
  if (request) request.parser = null;
  if (socket) socket.parser = null;
}

module.exports = {
  HAS_EXPECT, HAS_HOST, Parser, REQUEST, RESPONSE, alloc, free, kIncoming, resultOf,
  setMaxIdle(most) {
    idleMost = most;
  },
};
