'use strict';
// The lines of a stream, as events and as an iterator, for FileHandle.readLines().

const {
  arrayPop, given, over, regexpSplit, stringEndsWith, stringSlice,
} = intrinsics;
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');

// A \r at the end of the data so far may be the first half of a \r\n.
const ENDS = /\r\n|\r(?!$)|\n/;

class Interface extends EventEmitter {
  #stream;
  #rest = '';
  #wasLeft = false; // by a loop over its lines, so the rest isn't needed
  #decoder = new StringDecoder('utf8');

  constructor(stream) {
    super();
    this.#stream = stream;
    this.closed = false;
    stream.on('data', (chunk) => this.#take(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)));
    stream.on('end', () => this.#end());
    stream.on('error', (error) => this.#wasLeft || this.emit('error', error));
  }

  #take(text) {
    const lines = regexpSplit(ENDS, this.#rest + text);
    this.#rest = arrayPop.call(lines);
    for (const line of over(lines)) this.emit('line', line);
  }

  #end() {
    const last = this.#rest;
    if (last !== '') this.emit('line', stringEndsWith.call(last, '\r') ? stringSlice.call(last, 0, -1) : last);
    this.#rest = '';
    this.close();
  }

  pause() {
    this.#stream.pause();
    this.emit('pause');
    return this;
  }

  resume() {
    this.#stream.resume();
    this.emit('resume');
    return this;
  }

  close() {
    if (this.closed) return;
    this.closed = true;
    this.#stream.pause();
    this.emit('close');
  }

  async *[Symbol.asyncIterator]() {
    const lines = EventEmitter.on(this, 'line', { close: ['close'], highWaterMark: 1024 });
    try {
      for await (const args of given(lines)) yield args[0];
    } finally {
      this.#wasLeft = true;
    }
  }
}

module.exports = Interface;
