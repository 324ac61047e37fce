'use strict';
// Places in a line of text: where the word, or the character, next to the cursor begins or ends.

const { regexpExec, regexpTest, stringCodePointAt, stringSlice } = intrinsics;

const WORD_RIGHT = /^(?:\s+|[^\w\s]+|\w+)\s*/;
const WORD_DELETED = /^(?:\s+|\W+|\w+)\s*/; // to the right: takes spaces along with signs

const lengthOf = (pattern, text) => regexpExec.call(pattern, text)?.[0].length ?? 0;

// Character by character: a pattern that ends with $ would begin again at each space of a long line.
const kindAt = (text, at) => regexpTest(/\s/, text[at]) ? 'space' : regexpTest(/\w/, text[at]) ? 'word' : 'sign';
function wordLeft(text, at) {
  while (at > 0 && kindAt(text, at - 1) === 'space') at--;
  const kind = at > 0 ? kindAt(text, at - 1) : undefined;
  while (at > 0 && kindAt(text, at - 1) === kind) at--;
  return at;
}
const wordRight = (text, at) => at + lengthOf(WORD_RIGHT, stringSlice.call(text, at));
const wordDeleted = (text, at) => at + lengthOf(WORD_DELETED, stringSlice.call(text, at));

// The length of the character before a place and at it: 2 for one that is a pair. At the end of the
// text one may still go right, as a cursor does.
function lengthLeft(text, at) {
  if (at <= 0) return 0;
  return at > 1 && (stringCodePointAt.call(text, at - 2) > 0xffff || stringCodePointAt.call(text, at - 1) > 0xffff) ? 2 : 1;
}
const lengthRight = (text, at) => at < text.length && stringCodePointAt.call(text, at) > 0xffff ? 2 : 1;

// The beginning that all texts share.
function commonStart(texts) {
  if (texts.length === 0) return '';
  const { 0: first } = texts;
  let length = first.length;
  for (let i = 1; i < texts.length; i++) {
    const text = texts[i];
    let same = 0;
    while (same < length && same < text.length && text[same] === first[same]) same++;
    length = same;
  }
  return stringSlice.call(first, 0, length);
}

module.exports = { commonStart, lengthLeft, lengthRight, wordDeleted, wordLeft, wordRight };
