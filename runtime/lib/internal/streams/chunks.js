'use strict';
// ChunkQueue: the unread chunks of a Readable. Chunks are added at the back, may be put back at the
// front, and are removed whole, in part or joined. The queue doesn't count bytes; the stream does,
// and passes the number it wants and the number there is.

const { arrayJoin, arrayPop, arrayPush, arraySlice, arrayUnshift, stringSlice } = intrinsics;
const { Buffer } = require('buffer');

// At most this many read places remain at the front before the rest is moved up: moving at every
// chunk would take quadratic time.
const GAP = 1024;

class ChunkQueue {
  constructor() {
    this.places = [];
    this.front = 0;
  }

  get count() {
    return this.places.length - this.front;
  }

  first() {
    return this.places[this.front];
  }

  push(chunk) {
    arrayPush.call(this.places, chunk);
  }

  putBack(chunk) {
    if (this.front === 0) {
      arrayUnshift.call(this.places, chunk);
      return;
    }
    this.front--;
    this.places[this.front] = chunk;
  }

  // Replaces all waiting chunks.
  replace(chunks) {
    this.places = chunks;
    this.front = 0;
  }

  waiting() {
    return this.front === 0 ? this.places : arraySlice.call(this.places, this.front);
  }

  next() {
    const { places, front } = this;
    // A queue of one is the common case: popping is what the engine does fastest.
    if (front === 0 && places.length === 1) return arrayPop.call(places);
    const chunk = places[front];
    places[front] = undefined; // so that the queue doesn't keep it alive
    this.front = front + 1;
    if (this.front === places.length) this.replace([]);
    else if (this.front > GAP) this.replace(arraySlice.call(places, this.front));
    return chunk;
  }

  takeAll(size, isText) {
    if (this.count === 1) return this.next();
    const chunks = this.waiting();
    this.replace([]);
    return joined(chunks, size, isText);
  }

  // The first `size` bytes or characters; the queue must have more.
  takePart(size, isText) {
    const excess = this.first().length - size;
    if (excess === 0) return this.next();
    if (excess > 0) return this.split(size, isText);
    const parts = [];
    let missing = size;
    while (missing > 0) {
      const part = this.first().length > missing ? this.split(missing, isText) : this.next();
      missing -= part.length;
      arrayPush.call(parts, part);
    }
    return joined(parts, size, isText);
  }

  // Splits the first chunk and returns the part before the cut.
  split(at, isText) {
    const whole = this.places[this.front];
    this.places[this.front] = isText ? stringSlice.call(whole, at) : whole.subarray(at);
    return isText ? stringSlice.call(whole, 0, at) : whole.subarray(0, at);
  }
}

function joined(chunks, size, isText) {
  return isText ? arrayJoin.call(chunks, '') : Buffer.concat(chunks, size);
}

module.exports = ChunkQueue;
