'use strict';
// Where a type ends, in the text of a program: the grammar of TypeScript's types, without making anything
// of them. Every function takes a place and returns the one behind what it has read; what can't be read
// ends with a NotAType.

const { regexpExec, regexpTest, stringIncludes, stringSlice, stringStartsWith } = intrinsics;

class NotAType {
  constructor(at) {
    this.at = at;
  }
}

const SPACE = /(?:[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const NAME = /(?:[$_\p{ID_Start}]|\\u[\da-fA-F]{4})[$\u200c\u200d\p{ID_Continue}]*/uy;
const NUMBER = /-?(?:0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?)/y;
const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const PLAIN = /^(?:any|unknown|never|void|null|undefined|string|number|boolean|bigint|symbol|object|true|false)$/; // never with arguments
const OPERATORS = { __proto__: null, keyof: true, unique: true, readonly: true, infer: true };

class Scanner {
  constructor(text) {
    this.text = text;
  }

  fail(at) { throw new NotAType(at); }

  match(pattern, at) {
    pattern.lastIndex = at;
    return regexpExec.call(pattern, this.text)?.[0];
  }

  // Behind spaces and comments.
  space(at) { return at + this.match(SPACE, at).length; }
  word(at) { return this.match(NAME, at) ?? ''; }
  is(sign, at) { return stringStartsWith.call(stringSlice.call(this.text, at, at + sign.length), sign); }
  isWord(word, at) { return this.word(at) === word; }

  need(sign, at) {
    at = this.space(at);
    if (!this.is(sign, at)) this.fail(at);
    return at + sign.length;
  }

  hasNewline(from, to) { return regexpTest(/[\n\r\u2028\u2029]/, stringSlice.call(this.text, from, to)); }

  string(at) {
    const found = this.match(STRING, at);
    if (found === undefined) this.fail(at);
    return at + found.length;
  }

  // `a${…}b`; inside are types, or code that is skipped.
  template(at, isType) {
    const { text } = this;
    for (at++; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '`') return at + 1;
      else if (this.is('${', at)) at = isType ? this.need('}', this.type(at + 2)) - 1 : this.balanced(at + 1) - 1;
    }
    return this.fail(at);
  }

  // From an opening bracket to behind its closing one, whatever is between.
  balanced(at) {
    const { text } = this;
    let depth = 0;
    let last = '('; // the last sign, to know whether a / begins a pattern
    for (;;) {
      at = this.space(at);
      const sign = text[at];
      if (sign === undefined) this.fail(at);
      if (sign === '"' || sign === "'") {
        at = this.string(at);
      } else if (sign === '`') {
        at = this.template(at, false);
      } else if (sign === '/' && stringIncludes.call('(,=:[!&|?{};+-*%<>~^', last)) {
        const pattern = this.match(/\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, at);
        at += pattern === undefined ? 1 : pattern.length;
      } else {
        if (stringIncludes.call('([{', sign)) depth++;
        at++;
        if (stringIncludes.call(')]}', sign) && --depth === 0) return at;
      }
      last = sign;
    }
  }

  // --- types ---------------------------------------------------------------------------------------------

  type(at) {
    at = this.space(at);
    const fn = this.functionType(at);
    if (fn !== undefined) return fn;
    at = this.union(at);
    const next = this.space(at);
    if (!this.isWord('extends', next) || this.hasNewline(at, next) || this.noConditional) return at;
    at = this.without(() => this.type(next + 7));
    at = this.need('?', at);
    at = this.need(':', this.within(() => this.type(at)));
    return this.within(() => this.type(at));
  }

  // infer X extends Y must not take the ? of the conditional type around it.
  without(work) { return this.flagged(true, work); }
  within(work) { return this.flagged(false, work); }
  flagged(value, work) {
    const before = this.noConditional;
    this.noConditional = value;
    const at = work();
    this.noConditional = before;
    return at;
  }

  functionType(at) {
    if (this.isWord('abstract', at) && this.isWord('new', this.space(at + 8))) at = this.space(at + 8);
    if (this.isWord('new', at)) at = this.space(at + 3);
    else if (!this.is('(', at) && !this.is('<', at)) return undefined;
    const begin = at;
    if (this.is('<', at)) at = this.space(this.typeParameters(at));
    if (!this.is('(', at)) return this.fail(at);
    const end = this.space(this.balanced(at));
    if (!this.is('=>', end)) return begin === at ? undefined : this.fail(end);
    return this.within(() => this.returnType(end + 2));
  }

  // With "x is T", "asserts x is T".
  returnType(at) {
    at = this.space(at);
    let next = at;
    if (this.isWord('asserts', next) && this.word(this.space(next + 7)) !== '' && !this.hasNewline(next, this.space(next + 7)) &&
        !this.isWord('is', this.space(next + 7))) {
      next = this.space(next + 7);
      const end = next + this.word(next).length;
      const is = this.space(end);
      return this.isWord('is', is) && !this.hasNewline(end, is) ? this.type(is + 2) : end;
    }
    const name = this.word(next);
    if (name !== '') {
      next = this.space(next + name.length);
      if (this.isWord('is', next) && !this.hasNewline(at, next)) return this.type(next + 2);
    }
    return this.type(at);
  }

  union(at) {
    at = this.space(at);
    if (this.is('|', at) || this.is('&', at)) at = this.space(at + 1);
    for (;;) {
      at = this.functionType(at) ?? this.postfix(at);
      const next = this.space(at);
      if (!(this.is('|', next) && !this.is('||', next)) && !(this.is('&', next) && !this.is('&&', next))) return at;
      at = this.space(next + 1);
    }
  }

  postfix(at) {
    at = this.primary(this.space(at));
    for (;;) {
      const next = this.space(at);
      if (!this.is('[', next) || this.hasNewline(at, next)) return at;
      const inner = this.space(next + 1);
      at = this.is(']', inner) ? inner + 1 : this.need(']', this.type(inner));
    }
  }

  primary(at) {
    const { text } = this;
    const sign = text[at];
    if (sign === '(') return this.need(')', this.within(() => this.type(at + 1)));
    if (sign === '[') return this.balanced(at);
    if (sign === '{') return this.balanced(at);
    if (sign === '"' || sign === "'") return this.string(at);
    if (sign === '`') return this.template(at, true);
    const number = this.match(NUMBER, at);
    if (number !== undefined) return at + number.length;
    const word = this.word(at);
    if (word === '') this.fail(at);
    let end = at + word.length;
    if (regexpTest(PLAIN, word)) return end;
    if (OPERATORS[word]) return this.operator(word, end);
    if (word === 'import' || word === 'typeof') end = this.imported(word, end);
    return this.arguments(this.dotted(end));
  }

  operator(word, end) {
    const next = this.space(end);
    if (this.hasNewline(end, next) || regexpTest(/^[\])},;=|&>:?]|^$/, this.text[next] ?? '')) return end; // a type of that name
    if (word !== 'infer') return this.postfix(next);
    const name = next + this.word(next).length;
    const bound = this.space(name);
    if (!this.isWord('extends', bound)) return name;
    const after = this.without(() => this.type(bound + 7));
    return this.noConditional || !this.is('?', this.space(after)) ? after : name;
  }

  imported(word, end) {
    const next = this.space(end);
    if (word === 'import') return this.balanced(next);
    if (this.isWord('import', next)) return this.balanced(this.space(next + 6));
    const name = this.word(next);
    return name === '' ? this.fail(next) : next + name.length;
  }

  dotted(at) {
    for (;;) {
      const dot = this.space(at);
      if (!this.is('.', dot) || this.is('...', dot)) return at;
      const next = this.space(dot + 1);
      const name = this.match(/#?[$_\p{ID_Start}][$\p{ID_Continue}]*/uy, next);
      if (name === undefined) return this.fail(next);
      at = next + name.length;
    }
  }

  // <A, B> behind a name, if it is there.
  arguments(at) {
    const next = this.space(at);
    return this.is('<', next) && !this.hasNewline(at, next) ? this.typeArguments(next) : at;
  }

  typeArguments(at) {
    at = this.need('<', at);
    for (;;) {
      at = this.space(this.within(() => this.type(at)));
      if (this.is('>', at)) return at + 1;
      at = this.need(',', at);
      if (this.is('>', this.space(at))) return this.space(at) + 1;
    }
  }

  // <T extends U = V, const W>
  typeParameters(at) {
    at = this.need('<', at);
    for (;;) {
      at = this.space(at);
      let name = this.word(at);
      while ((name === 'const' || name === 'in' || name === 'out') && this.word(this.space(at + name.length)) !== '' &&
             !this.isWord('extends', this.space(at + name.length))) {
        at = this.space(at + name.length);
        name = this.word(at);
      }
      if (name === '') this.fail(at);
      at = this.space(at + name.length);
      if (this.isWord('extends', at)) at = this.space(this.within(() => this.type(at + 7)));
      if (this.is('=', at)) at = this.space(this.within(() => this.type(at + 1)));
      if (this.is('>', at)) return at + 1;
      at = this.need(',', at);
      if (this.is('>', this.space(at))) return this.space(at) + 1;
    }
  }

  // --- declarations that only the compiler reads -----------------------------------------------------------

  // Behind a semicolon, if there is one.
  ended(at) {
    const next = this.space(at);
    return this.is(';', next) ? next + 1 : at;
  }

  // A name, its type parameters, and so on up to the closing brace of a body.
  braced(at) {
    for (;;) {
      at = this.space(at);
      const sign = this.text[at];
      if (sign === undefined) this.fail(at);
      if (sign === '{') return this.balanced(at);
      if (sign === '<') at = this.typeArgumentsOrParameters(at);
      else if (sign === '"' || sign === "'") at = this.string(at);
      else if (this.word(at) !== '') at += this.word(at).length;
      else if (sign === '.' || sign === ',') at++;
      else if (sign === '(') at = this.balanced(at);
      else this.fail(at);
    }
  }

  typeArgumentsOrParameters(at) {
    try {
      return this.typeParameters(at);
    } catch {
      return this.typeArguments(at);
    }
  }

  alias(at) { // type X<T> = Y;
    at = this.space(at);
    at += this.word(at).length;
    at = this.space(at);
    if (this.is('<', at)) at = this.typeParameters(at);
    return this.ended(this.type(this.need('=', at)));
  }

  // A function's or a method's head: <T>(…): R
  signature(at) {
    at = this.space(at);
    if (this.is('<', at)) at = this.space(this.typeParameters(at));
    at = this.balanced(at);
    const next = this.space(at);
    return this.is(':', next) ? this.returnType(next + 1) : at;
  }

  variables(at) {
    for (;;) {
      at = this.space(at);
      at = this.is('{', at) || this.is('[', at) ? this.balanced(at) : at + this.word(at).length;
      let next = this.space(at);
      if (this.is(':', next)) at = this.type(next + 1);
      next = this.space(at);
      if (this.is('=', next)) at = this.type(next + 1); // declare const x = 5
      next = this.space(at);
      if (!this.is(',', next)) return this.ended(at);
      at = next + 1;
    }
  }

  // What comes behind `declare`.
  declared(at) {
    at = this.space(at);
    const word = this.word(at);
    const rest = at + word.length;
    const second = this.space(rest);
    if (word === 'type') return this.alias(rest);
    if (word === 'const' && this.isWord('enum', second)) return this.braced(second + 4);
    if (word === 'const' || word === 'let' || word === 'var') return this.variables(rest);
    if (word === 'function') return this.ended(this.signature(second + this.word(second).length));
    if (word === 'async') return this.declared(rest);
    if ((word === 'module' || word === 'global') && regexpTest(/["']/, this.text[second])) {
      const end = this.string(second);
      return this.is('{', this.space(end)) ? this.balanced(this.space(end)) : this.ended(end);
    }
    if (regexpTest(/^(?:interface|class|abstract|namespace|module|global|enum)$/, word)) return this.braced(rest);
    return this.fail(at);
  }

  // A namespace of types only; undefined if it has values.
  namespace(at) {
    for (at = this.space(at); !this.is('{', at); at = this.space(at)) {
      if (this.is('.', at)) at++;
      else if (this.word(at) !== '') at += this.word(at).length;
      else this.fail(at);
    }
    for (at = this.space(at + 1); !this.is('}', at); at = this.space(at)) {
      if (this.isWord('export', at)) at = this.space(at + 6);
      const word = this.word(at);
      if (word === 'type') at = this.alias(at + 4);
      else if (word === 'interface') at = this.braced(at + 9);
      else if (word === 'declare') at = this.declared(at + 7);
      else if (word === 'namespace') at = this.namespace(at + 9) ?? -1;
      else if (this.is(';', at)) at++;
      else return undefined;
      if (at === -1) return undefined;
    }
    return at + 1;
  }

  // A member of a class that has no body: behind its name.
  member(at) {
    at = this.space(at);
    if (this.is('[', at)) at = this.balanced(at);
    else if (regexpTest(/["']/, this.text[at])) at = this.string(at);
    else at += (this.match(/#?[$_\p{ID_Start}\d][$\p{ID_Continue}]*/uy, at) ?? '').length;
    at = this.space(at);
    if (this.is('?', at) || this.is('!', at)) at = this.space(at + 1);
    if (this.is('(', at) || this.is('<', at)) return this.ended(this.signature(at));
    return this.ended(this.is(':', at) ? this.type(at + 1) : at);
  }
}

module.exports = { NotAType, Scanner };
