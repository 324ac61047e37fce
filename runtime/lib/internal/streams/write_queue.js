'use strict';
// The queued writes of a Writable, in order.

const { arrayPush, arraySlice } = intrinsics;
// At most this many empty places remain at the front before the rest is moved up: moving at every
// write would take quadratic time.
const EMPTY_PLACES = 256;

class WriteQueue {
  constructor() {
    this.places = [];
    this.front = 0;
    this.taken = 0; // from the front, since the last tidy()
    this.allBuffers = true; // passed to _writev, which then need not check encodings
  }

  // Including taken writes that aren't tidied up, which programs see as null in list().
  get size() {
    return this.places.length - this.front;
  }

  get left() {
    return this.size - this.taken;
  }

  add(chunk, encoding, callback) {
    if (encoding !== 'buffer') this.allBuffers = false;
    arrayPush.call(this.places, { chunk, encoding, callback });
  }

  take() {
    const place = this.front + this.taken++;
    const write = this.places[place];
    this.places[place] = null; // so that the queue doesn't keep the chunk alive
    return write;
  }

  // To be called after a series of take()s.
  tidy() {
    this.front += this.taken;
    this.taken = 0;
    if (this.size === 0) {
      this.#startAgain(this.places);
    } else if (this.front > EMPTY_PLACES) {
      this.places = this.list();
      this.front = 0;
    }
  }

  // All writes, for _writev. The array belongs to the caller from now on.
  takeAll() {
    const writes = this.front === 0 ? this.places : this.list();
    writes.allBuffers = this.allBuffers;
    this.#startAgain([]);
    return writes;
  }

  list() {
    return arraySlice.call(this.places, this.front);
  }

  #startAgain(places) {
    places.length = 0;
    this.places = places;
    this.front = 0;
    this.allBuffers = true;
  }
}

module.exports = WriteQueue;
