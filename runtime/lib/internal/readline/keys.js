'use strict';
// Keys from what a terminal sends: a key that has no character of its own arrives as an escape
// sequence, and its parts may arrive one by one.
//
// A key: { sequence, name, ctrl, meta, shift }, with the sequence's `code` if it was an escape sequence.

const {
  StringFromCharCode, over, regexpExec, regexpTest, stringCharCodeAt, stringCodePointAt, stringSlice, stringSplit, stringToLowerCase,
} = intrinsics;
const { StringDecoder } = require('string_decoder');

const ESCAPE = '\x1b';

// Sequences whose last character is still to come: ESC O 5 P, ESC [ 1 ; 5 C, ESC [ [ A, ESC [ 2 0 0 ~, each
// maybe behind another ESC.
const UNFINISHED = /^\x1b{1,2}(?:O\d?|\[\[?\d{0,3}(?:;\d?)?)?$/;
const LETTER = /^\x1b{1,2}O(\d?)([^])$/; // ESC O letter
const TILDE = /^\x1b{1,2}(\[\[?)(?:(\d\d?)(?:;(\d))?([~^$])|(\d{3}~))$/;
const FINAL = /^\x1b{1,2}(\[\[?)(?:(?:\d;)?(\d))?([A-Za-z])$/;

// The names of codes, by terminal: xterm and gnome, xterm and rxvt, the console, putty.
const NAMES = { __proto__: null };
function named(names, codes) {
  const list = stringSplit.call(codes, ' ');
  const words = stringSplit.call(names, ' ');
  for (let i = 0; i < list.length; i++) NAMES[list[i]] = { name: words[i % words.length], ctrl: false, shift: false };
}
named('f1 f2 f3 f4', 'OP OQ OR OS [11~ [12~ [13~ [14~ [P [Q [R [S');
named('f1 f2 f3 f4 f5', '[[A [[B [[C [[D [[E');
named('f5 f6 f7 f8 f9 f10 f11 f12', '[15~ [17~ [18~ [19~ [20~ [21~ [23~ [24~');
named('up down right left clear end home', '[A [B [C [D [E [F [H OA OB OC OD OE OF OH');
named('home insert delete end pageup pagedown home end', '[1~ [2~ [3~ [4~ [5~ [6~ [7~ [8~');
named('pageup pagedown', '[[5~ [[6~');
named('paste-start paste-end', '[200~ [201~');
named('tab', '[Z');
NAMES['[Z'].shift = true;
const rxvt = (end, letters, field) => {
  const names = ['up', 'down', 'right', 'left', 'clear'];
  for (let i = 0; i < names.length; i++) NAMES[letters + 'abcde'[i]] = { name: names[i], ctrl: false, shift: false, [field]: true };
  const more = { 2: 'insert', 3: 'delete', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' };
  for (const digit of over(Object.keys(more))) NAMES[`[${digit}${end}`] = { name: more[digit], ctrl: false, shift: false, [field]: true };
};
rxvt('$', '[', 'shift');
rxvt('^', 'O', 'ctrl');

// --- one key -----------------------------------------------------------------------------------------

// The meaning of the digit in a sequence: one more than a sum of 1 (shift), 2 and 8 (meta), 4
// (ctrl).
function modifiers(key, digit) {
  const sum = (+digit || 1) - 1;
  key.ctrl = (sum & 4) !== 0;
  key.meta = (sum & 10) !== 0;
  key.shift = (sum & 1) !== 0;
}

function escapeSequence(key, text) {
  const { 1: digit, 2: letter } = regexpExec.call(LETTER, text) ?? [];
  const { 1: bracket = '[', 2: number, 3: behind, 4: end, 5: paste } = regexpExec.call(TILDE, text) ?? [];
  const { 1: open, 2: before, 3: final } = regexpExec.call(FINAL, text) ?? [];
  if (letter !== undefined) {
    key.code = `O${letter}`;
    modifiers(key, digit);
  } else if (number !== undefined || paste !== undefined) {
    key.code = bracket + (paste ?? number + end);
    modifiers(key, behind);
  } else if (final !== undefined) {
    key.code = open + final;
    modifiers(key, before);
  } else {
    key.code = stringSlice.call(text, text[1] === ESCAPE ? 2 : 1);
    modifiers(key);
  }
  const { name = 'undefined', ctrl, shift } = NAMES[key.code] ?? {};
  key.name = name;
  key.ctrl ||= ctrl === true;
  key.shift ||= shift === true;
}

const PLAIN = { __proto__: null, '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace', [ESCAPE]: 'escape', ' ': 'space' };

// A character that may follow an ESC. An ESC that nothing followed has the character ''.
function character(key, text, isEscaped) {
  if (text in PLAIN) {
    key.name = PLAIN[text];
    key.meta = isEscaped;
  } else if (!isEscaped && text <= '\x1a') {
    key.name = StringFromCharCode(stringCharCodeAt.call(text, 0) + 96);
    key.ctrl = true;
  } else if (regexpTest(/^[\dA-Za-z]$/, text)) {
    key.name = stringToLowerCase.call(text);
    key.shift = regexpTest(/[A-Z]/, text);
    key.meta = isEscaped;
  } else if (isEscaped) {
    if (text === '') key.name = 'escape';
    key.meta = true;
  }
}

// Returns [text for the listener, key], or undefined for what is no key.
function keyOf(sequence) {
  const key = { sequence, name: undefined, ctrl: false, meta: false, shift: false };
  const isEscaped = sequence[0] === ESCAPE;
  const { 0: prefix } = regexpExec.call(/^\x1b{0,2}/, sequence);
  const rest = stringSlice.call(sequence, prefix.length);
  if (isEscaped && (rest[0] === '[' || (rest[0] === 'O' && rest.length > 1))) {
    escapeSequence(key, sequence);
    return [undefined, key];
  }
  character(key, rest, isEscaped);
  if (isEscaped) return [undefined, key];
  const length = stringCodePointAt.call(sequence, 0) > 0xffff ? 2 : 1;
  return key.name !== undefined || sequence.length === length ? [sequence, key] : undefined;
}

// --- a stream of keys -----------------------------------------------------------------------------------

const decoders = new WeakMap(); // by stream
const ESCAPE_WAIT = 500; // milliseconds for what may follow an ESC

class KeyDecoder {
  #stream;
  #reader; // the Interface that reads the keys, if one does
  #bytes = new StringDecoder('utf8');
  #pending = '';
  #timer;

  constructor(stream, reader) {
    this.#stream = stream;
    this.#reader = reader;
    const listen = (event) => {
      if (event !== 'keypress') return;
      stream.removeListener('newListener', listen);
      stream.on('data', data);
    };
    const data = (chunk) => {
      if (stream.listenerCount('keypress') > 0) {
        this.#take(this.#bytes.write(chunk));
        return;
      }
      stream.removeListener('data', data); // until somebody listens again
      stream.on('newListener', listen);
    };
    if (stream.listenerCount('keypress') > 0) stream.on('data', data);
    else stream.on('newListener', listen);
  }

  #take(text) {
    if (text === '') return;
    require('timers').clearTimeout(this.#timer);
    const reader = this.#reader;
    let end = 0;
    if (reader !== undefined) {
      reader._sawKeyPress = text.length === (stringCodePointAt.call(text, 0) > 0xffff ? 2 : 1);
      reader.isCompletionEnabled = false; // a tab in a text that is pasted completes nothing
    }
    for (const each of over(text)) {
      end += each.length;
      if (reader !== undefined && end === text.length) reader.isCompletionEnabled = true;
      this.#pending += each;
      if (!regexpTest(UNFINISHED, this.#pending)) this.#emit();
      else if (end === text.length && each === ESCAPE)
        this.#timer = require('timers').setTimeout(() => this.#emit(), reader === undefined ? ESCAPE_WAIT : reader.escapeCodeTimeout);
    }
  }

  #emit() {
    const pending = this.#pending;
    this.#pending = '';
    const found = keyOf(pending);
    if (found !== undefined) this.#stream.emit('keypress', found[0], found[1]);
  }
}

// The stream emits 'keypress' from now on, while there are listeners.
function emitKeypressEvents(stream, reader) {
  if (!decoders.has(stream)) decoders.set(stream, new KeyDecoder(stream, reader));
}

module.exports = { emitKeypressEvents };
