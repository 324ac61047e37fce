'use strict';
// Lines from text that comes in pieces: "\n", "\r\n" or "\r" ends one. A "\r" and a "\n" that come after
// each other within crlfDelay are one end.

const { DateNow, arrayPop, regexpSplit, stringEndsWith, stringSlice } = intrinsics;
const { StringDecoder } = require('string_decoder');

const ENDS = /\r\n|[\n\r]/;

class Lines {
  #bytes = new StringDecoder('utf8');
  rest = null; // what came after the last end
  returnAt = 0; // when a "\r" was the last that came

  // Calls back with each line that is now complete.
  take(chunk, crlfDelay, visit) {
    let text = this.#bytes.write(chunk);
    if (this.returnAt !== 0 && DateNow() - this.returnAt <= crlfDelay && text !== '') {
      if (text[0] === '\n') text = stringSlice.call(text, 1);
      this.returnAt = 0;
    }
    const parts = regexpSplit(ENDS, text);
    if (parts.length === 1) {
      if (text !== '') this.rest = (this.rest ?? '') + text;
      return;
    }
    parts[0] = (this.rest ?? '') + parts[0];
    if (stringEndsWith.call(text, '\r')) this.returnAt = DateNow();
    this.rest = arrayPop.call(parts);
    for (let i = 0; i < parts.length; i++) visit(parts[i]);
  }
}

module.exports = { ENDS, Lines };
