'use strict';
// The memory of a line's editor: states to go back to (undo, redo), and what was cut (the kill
// ring).

const { arrayPop, arrayPush, arrayShift, arrayUnshift } = intrinsics;

const STATES_MOST = 2048;
const CUTS_MOST = 32;

class Changes {
  #before = [];
  #after = [];

  // Before a change: { text, cursor }
  note(state) {
    if (arrayPush.call(this.#before, state) > STATES_MOST) arrayShift.call(this.#before);
  }

  // The state to go back to, or forward, which `now` takes the place of; undefined if there is none.
  back(now) {
    if (this.#before.length === 0) return undefined;
    arrayPush.call(this.#after, now);
    return arrayPop.call(this.#before);
  }

  forward(now) {
    if (this.#after.length === 0) return undefined;
    arrayPush.call(this.#before, now);
    return arrayPop.call(this.#after);
  }

  forget() {
    this.#before = [];
    this.#after = [];
  }
}

class Cuts {
  #texts = [];
  #at = 0;

  add(text) {
    if (text === '' || text === this.#texts[0]) return;
    if (arrayUnshift.call(this.#texts, text) > CUTS_MOST) arrayPop.call(this.#texts);
    this.#at = 0;
  }

  get current() { return this.#texts[this.#at]; }

  // Goes to the next older text, after the oldest to the newest. Returns false if there is only one.
  turn() {
    if (this.#texts.length < 2) return false;
    this.#at = (this.#at + 1) % this.#texts.length;
    return true;
  }
}

module.exports = { Changes, Cuts };
