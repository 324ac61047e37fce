'use strict';
// Source text in which `await value` becomes `await Promise.resolve(value)`: the same for the
// program, which sees the same value after as many microtasks, and something that
// internal/contexts_promises learns of even if the value is no promise.

const { arrayPush, arraySome, stringEndsWith, stringStartsWith } = intrinsics;

const PREFIXES = new Set(['!', '~', '+', '-', '++', '--', 'typeof', 'void', 'delete', 'await', 'new']);
const DECLARES = new Set(['var', 'let', 'const', 'class', 'function', 'import', 'as']);

// Tokens that begin no operand: a word before one of them is a name here, and awaits nothing.
const NO_OPERAND = new Set([')', ']', '}', ',', ';', ':', '=', '=>', '.', '?.', '?', '*', '&', '|', '<', '>', '%', 'in', 'of', 'instanceof']);

class Operand {
  constructor(tokens, index) {
    this.tokens = tokens;
    this.at = index;
  }

  is(value) {
    const token = this.tokens[this.at];
    return token?.value === value && token.type !== 'string';
  }

  // Behind the bracket that opens here; false without its end.
  overBrackets() {
    const { match } = this.tokens[this.at];
    this.at = match + 1;
    return match >= 0;
  }

  overTemplate() {
    const { level } = this.tokens[this.at];
    while (!stringEndsWith.call(this.tokens[this.at].value, '`')) {
      do this.at++; while (this.at < this.tokens.length && !(this.tokens[this.at].type === 'template' && this.tokens[this.at].level === level));
      if (this.at >= this.tokens.length) return false;
    }
    this.at++;
    return true;
  }

  primary() {
    const token = this.tokens[this.at];
    if (token === undefined) return false;
    if (this.is('(') || this.is('[') || this.is('{')) return this.overBrackets();
    if (token.type === 'template') return this.overTemplate();
    if (this.is('async') && this.tokens[this.at + 1]?.value === 'function') this.at++;
    if (this.is('function') || this.is('class')) {
      while (this.at < this.tokens.length && !(this.is('{') && this.tokens[this.at].level === token.level)) this.at++;
      return this.at < this.tokens.length && this.overBrackets();
    }
    this.at++;
    return token.type !== 'punctuator';
  }

  // Members, calls and tagged templates.
  postfix() {
    for (;;) {
      const token = this.tokens[this.at];
      if (token === undefined) return true;
      if (this.is('.')) this.at += 2;
      else if (this.is('?.')) this.at += this.tokens[this.at + 1]?.type === 'name' ? 2 : 1;
      else if (this.is('(') || this.is('[')) {
        if (!this.overBrackets()) return false;
      } else if (token.type === 'template' && stringStartsWith.call(token.value, '`')) {
        if (!this.overTemplate()) return false;
      } else {
        if ((this.is('++') || this.is('--')) && !token.newline) this.at++;
        return true;
      }
    }
  }

  // The index of the last token, or -1.
  end() {
    while (this.at < this.tokens.length && this.tokens[this.at].type !== 'string' && PREFIXES.has(this.tokens[this.at].value)) this.at++;
    return this.primary() && this.postfix() ? this.at - 1 : -1;
  }
}

// Whether the file has a Promise of its own.
const hasOwnPromise = (tokens) => arraySome.call(tokens, ({ type, value }, index) => {
  if (type !== 'name' || value !== 'Promise') return false;
  const last = tokens[index - 1]?.value;
  const next = tokens[index + 1]?.value;
  return DECLARES.has(last) || next === '=' || (last === '{' || last === ',') && (next === '}' || next === ',');
});

function isAwait(tokens, index) {
  const last = tokens[index - 1]?.value;
  const next = tokens[index + 1];
  if (tokens[index].type !== 'name' || last === '.' || last === '?.' || last === 'for' || last === 'function' || DECLARES.has(last)) return false;
  if (next === undefined || (next.type !== 'string' && NO_OPERAND.has(next.value))) return false;
  // A method of that name.
  return !(next.value === '(' && next.type === 'punctuator' && tokens[next.match + 1]?.value === '{' && !tokens[next.match + 1].newline);
}

// [start, end, replacement] for every await; `edits` gets them.
function editAwaits(tokens, edits) {
  if (hasOwnPromise(tokens)) return;
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i].value !== 'await' || !isAwait(tokens, i)) continue;
    const first = tokens[i + 1].value === 'new' ? tokens[i + 2] : tokens[i + 1];
    if (first?.type === 'name' && first.value === 'Promise') continue;
    const last = new Operand(tokens, i + 1).end();
    if (last < 0) continue;
    arrayPush.call(edits, [tokens[i].end, tokens[i].end, ' Promise.resolve(']);
    arrayPush.call(edits, [tokens[last].end, tokens[last].end, ')']);
  }
}

module.exports = { editAwaits };
