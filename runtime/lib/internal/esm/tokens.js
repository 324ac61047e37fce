'use strict';
// JavaScript in tokens: enough of it to know what is code and what is a text, a comment, a
// pattern or a template, and which brackets belong together.
//
// A token: type (name, number, string, template, regex, punctuator), value, start, end,
// newline (one before it), level (how many brackets are open around it), inside (what the
// innermost of them is), match (of an opening bracket: the index of its closing one).

const {
  arrayAt, arrayIncludes, arrayPop, arrayPush, regexpExec, regexpTest, stringEndsWith, stringSlice, stringSplit,
} = intrinsics;
const SPACE = /(?:[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y;
const NAME = /#?(?:[$_\p{ID_Start}]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})(?:[$\u200c\u200d\p{ID_Continue}]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})*/uy;
const NUMBER = /0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?n?/y;
const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[$\w]*/y;
const CHUNK = /(?:[^`\\$]|\\[^]|\$(?!\{))*(`|\$\{)/y; // part of a template, up to its end or to code in it
const PUNCTUATOR = /\.\.\.|=>|\?\.(?!\d)|\+\+|--|[^]/y;

// An expression begins after these words.
const BEFORE_EXPRESSION = new Set(stringSplit.call('return typeof instanceof in of new delete void throw case do else await yield default ' +
  'extends', ' '));
const HEADS = new Set(['if', 'while', 'for', 'with']);

class Scanner {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.tokens = [];
    this.open = []; // { kind, index }, innermost last
    this.classAt = -1; // number of open brackets around the class whose body comes next
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = regexpExec.call(pattern, this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  add(type, start, newline) {
    const value = stringSlice.call(this.text, start, this.at);
    const inside = arrayAt.call(this.open, -1)?.kind ?? 'program';
    const token = { type, value, start, end: this.at, newline, level: this.open.length, inside, match: -1, kind: undefined };
    arrayPush.call(this.tokens, token);
    return token;
  }

  // Whether a value may begin here, so that / begins a pattern and { an object.
  expectsValue() {
    const last = arrayAt.call(this.tokens, -1);
    if (last === undefined) return true;
    const before = arrayAt.call(this.tokens, -2);
    if (last.type === 'name') return BEFORE_EXPRESSION.has(last.value) && before?.value !== '.' && before?.value !== '?.';
    if (last.type === 'template') return stringEndsWith.call(last.value, '${');
    if (last.type !== 'punctuator') return false;
    if (last.value === ')') return last.kind === 'head';
    if (last.value === '}') return last.kind !== 'object';
    return last.value !== ']' && last.value !== '++' && last.value !== '--';
  }

  opened(token) {
    const last = arrayAt.call(this.tokens, -2);
    const before = arrayAt.call(this.tokens, -3);
    let kind = token.value;
    if (kind === '(') {
      const isHead = last?.type === 'name' && before?.value !== '.' &&
        (HEADS.has(last.value) || (last.value === 'await' && before?.value === 'for'));
      kind = isHead ? 'head' : '(';
    } else if (kind === '{') {
      if (this.classAt === this.open.length) {
        kind = 'class';
        this.classAt = -1;
      } else {
        kind = this.isObject(last, token) ? 'object' : 'block';
      }
    }
    token.kind = kind;
    arrayPush.call(this.open, { kind, index: this.tokens.length - 1 });
  }

  isObject(last, token) {
    if (last === undefined) return false;
    if (last.type === 'template') return stringEndsWith.call(last.value, '${');
    if (last.type === 'name') return BEFORE_EXPRESSION.has(last.value) && last.value !== 'do' && last.value !== 'else';
    if (last.type !== 'punctuator' || arrayIncludes.call([')', '}', ';', '{', '=>', ']'], last.value)) return false;
    if (last.value === ':') return token.inside !== 'block' && token.inside !== 'program';
    return true;
  }

  closed(token) {
    const { kind, index } = arrayPop.call(this.open) ?? { kind: 'block', index: -1 };
    if (index >= 0) this.tokens[index].match = this.tokens.length - 1;
    token.level = this.open.length;
    token.inside = arrayAt.call(this.open, -1)?.kind ?? 'program';
    token.kind = kind;
  }

  template(start, newline) {
    const { 1: end } = this.take(CHUNK) ?? [];
    if (end === undefined) this.at = this.text.length;
    this.add('template', start, newline);
    if (end === '${') arrayPush.call(this.open, { kind: 'template', index: this.tokens.length - 1 });
  }

  next() {
    const from = this.at;
    this.take(SPACE);
    const newline = regexpTest(/[\n\r\u2028\u2029]/, stringSlice.call(this.text, from, this.at));
    const start = this.at;
    if (start >= this.text.length) return false;
    const character = this.text[start];
    if (character === '`') {
      this.at++;
      this.template(start, newline);
    } else if (character === '}' && arrayAt.call(this.open, -1)?.kind === 'template') {
      this.at++;
      arrayPop.call(this.open);
      this.template(start, newline);
    } else if (this.take(NAME)) {
      const token = this.add('name', start, newline);
      if (token.value === 'class' && arrayAt.call(this.tokens, -2)?.value !== '.') this.classAt = this.open.length;
    } else if (regexpTest(/[\d]/, character) || (character === '.' && regexpTest(/\d/, this.text[start + 1] ?? ''))) {
      this.take(NUMBER);
      this.add('number', start, newline);
    } else if ((character === '"' || character === "'") && this.take(STRING)) {
      this.add('string', start, newline);
    } else if (character === '/' && this.expectsValue() && this.take(REGEX)) {
      this.add('regex', start, newline);
    } else {
      this.take(PUNCTUATOR);
      const token = this.add('punctuator', start, newline);
      if (token.value === '(' || token.value === '[' || token.value === '{') this.opened(token);
      else if (token.value === ')' || token.value === ']' || token.value === '}') this.closed(token);
    }
    return true;
  }
}

function tokensOf(text) {
  const scanner = new Scanner(text);
  while (scanner.next());
  return scanner.tokens;
}

module.exports = { tokensOf };
