'use strict';
// The writes that a Writable keeps until their turn comes, in the order they were made.

const { arrayPush, arraySlice } = intrinsics;
// So many places in front may lie empty before the rest moves up: moving for every write
// that leaves would make a long queue cost its square.
const EMPTY_PLACES = 256;

class WriteQueue {
  constructor() {
    this.places = [];
    this.front = 0;
    this.taken = 0; // from the front, since the last tidy()
    this.allBuffers = true; // passed to _writev, which then need not look at encodings
  }

  // With those that are taken and not tidied up, which programs see as null in list().
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
    this.places[place] = null; // its chunk may be large: nothing here holds it any longer
    return write;
  }

  // Belongs after the last of some take()s.
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

  // Everything, as _writev gets it. The array is the caller's from now on.
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
