'use strict';
// The text of an ES module turned into that of a function, which is what the engine's C
// interface can run. Declarations of imports and exports are taken out and listed; all else
// stays where it is, in its line and column.
//
// Imported names are found in a scope object around the function (`with`), whose getters ask
// the exporting module: so they are live, and what the module declares itself goes first, by
// the language's own rules. What is imported from the runtime's own modules doesn't change, and
// is a constant around the function: the engine finds it, and globals, faster so. The function is a generator that stops before its first statement:
// by then what it declares with `function` is there for others, as when modules are linked.

const {
  arrayFilter, arrayForEach, arrayIncludes, arrayJoin, arrayMap, arrayPush, arraySome, arraySort, over, regexpReplace,
  regexpTest, stringEndsWith, stringIncludes, stringSlice, stringSplit,
} = intrinsics;
const tools = require('internal/tools');
const { tokensOf } = require('internal/esm/tokens');

const IMPORT = '$import$';
const META = '$meta$';
const REGISTER = '$register$';
const DEFAULT = '$default$';
const FIXED = '$fixed$';
const LASTING = new Set(stringSplit.call('undefined NaN Infinity Object Array String Number Boolean Symbol BigInt JSON Math Reflect Map Set WeakMap ' +
  'WeakSet Error TypeError RangeError SyntaxError parseInt parseFloat isNaN', ' '));

// The value of a string token; the engine evaluates its escapes.
const textOf = ({ value }) => tools.script.evaluate(value, 'node:internal/esm/source', 1);

class Rewriter {
  constructor(text, isModule, wrapsAwaits, isFixed = () => false) {
    this.text = text;
    this.isFixed = isFixed; // whether the exports of a specifier never change
    this.tokens = tokensOf(text);
    this.at = 0;
    this.edits = []; // [start, end, replacement]
    this.erased = []; // [start, end] of whole declarations
    this.imports = []; // { specifier, name, local, line, fixed }: name undefined is the namespace
    this.exports = []; // { name, local }
    this.indirect = []; // { specifier, name, from, line }: from undefined is the namespace
    this.stars = []; // specifiers
    this.requests = []; // specifiers in their order: { specifier, type }
    for (; this.at < this.tokens.length; this.at++) this.look(isModule);
    if (isModule) this.freeCalls();
    if (wrapsAwaits) require('internal/contexts_awaits').editAwaits(this.tokens, this.edits);
  }

  // Numbered from 1.
  lineAt(place) { return stringSplit.call(stringSlice.call(this.text, 0, place), '\n').length; }

  fail(message) {
    throw Object.assign(new SyntaxError(message), { line: this.lineAt(this.token?.start ?? this.text.length) });
  }

  get token() { return this.tokens[this.at]; }

  is(value, index = this.at) { return this.tokens[index]?.value === value && this.tokens[index].type !== 'string'; }

  need(value) {
    if (!this.is(value)) this.fail(`Unexpected token '${this.token?.value ?? 'end of file'}'`);
    this.at++;
  }

  look(isModule) {
    const { token } = this;
    if (token.type !== 'name') return;
    const last = this.tokens[this.at - 1]?.value;
    if (last === '.' || last === '?.') return;
    if (token.value === 'import') {
      if (this.is('(', this.at + 1)) arrayPush.call(this.edits, [token.start, token.end, IMPORT]);
      else if (this.is('.', this.at + 1) && this.is('meta', this.at + 2) && isModule)
        arrayPush.call(this.edits, [token.start, this.tokens[this.at + 2].end, META]);
      else if (isModule && token.level === 0) this.importDeclaration();
    } else if (token.value === 'eval') {
      this.evalCall();
    } else if (token.value === 'export' && isModule && token.level === 0) {
      this.exportDeclaration();
    }
  }

  // eval(text), in whose text there may be an import(). Not the declaration of a method called
  // eval.
  evalCall() {
    const open = this.at + 1;
    if (!this.is('(', open)) return;
    const { match } = this.tokens[open];
    if (match < 0 || match === open + 1 || this.is('...', open + 1) || this.is('{', match + 1) || this.is('function', this.at - 1)) return;
    arrayPush.call(this.edits, [this.tokens[open].end, this.tokens[open].end, `${IMPORT}.text(`]);
    arrayPush.call(this.edits, [this.tokens[match].start, this.tokens[match].start, ')']);
  }

  // Keeps lines and columns. A whole declaration is replaced by a semicolon, so that the code
  // around it isn't joined.
  erase(start, end, isWhole = false) {
    const blank = regexpReplace(/[^\n\r\u2028\u2029]/g, stringSlice.call(this.text, start, end), ' ');
    arrayPush.call(this.edits, [start, end, isWhole ? `;${stringSlice.call(blank, 1)}` : blank]);
    if (isWhole) arrayPush.call(this.erased, [start, end]);
  }

  literal() {
    const { token } = this;
    if (token?.type !== 'string') this.fail(`Unexpected token '${token?.value ?? 'end of file'}'`);
    this.at++;
    return textOf(token);
  }

  // A name, or a string in its place.
  moduleName() {
    if (this.token?.type === 'string') return this.literal();
    const { token } = this;
    if (token?.type !== 'name') this.fail(`Unexpected token '${token?.value ?? 'end of file'}'`);
    this.at++;
    return token.value;
  }

  // Reads the specifier, the attributes after it, and the end of the declaration; afterwards
  // this.at is on its last token.
  source(start) {
    const specifier = this.literal();
    let type;
    if ((this.is('with') || (this.is('assert') && !this.token.newline)) && this.is('{', this.at + 1)) {
      const { match } = this.tokens[this.at + 1];
      for (let index = this.at + 2; index < match; index++)
        if (regexpTest(/^["']?type["']?$/, this.tokens[index].value) && this.is(':', index + 1))
          type = textOf(this.tokens[index + 2]);
      this.at = match + 1;
    }
    if (!this.is(';')) this.at--;
    arrayPush.call(this.requests, { specifier, type });
    this.erase(start, this.token.end, true);
    return specifier;
  }

  importDeclaration() {
    const { start } = this.token;
    const found = [];
    this.at++;
    if (this.token?.type === 'string') {
      this.source(start);
      return;
    }
    if (this.token?.type === 'name') {
      arrayPush.call(found, { name: 'default', local: this.moduleName() });
      if (this.is(',')) this.at++;
    }
    if (this.is('*')) {
      this.at++;
      this.need('as');
      arrayPush.call(found, { name: undefined, local: this.moduleName() });
    } else if (this.is('{')) {
      arrayPush.call(found, ...over(arrayMap.call(this.list(), ({ 0: name, 1: local }) => ({ name, local }))));
    }
    this.need('from');
    const specifier = this.source(start);
    const line = this.lineAt(start);
    const fixed = this.isFixed(specifier);
    for (const each of over(found)) arrayPush.call(this.imports, { specifier, ...each, line, fixed });
  }

  // { a, b as c }: pairs
  list() {
    const pairs = [];
    this.need('{');
    while (!this.is('}')) {
      const name = this.moduleName();
      let other = name;
      if (this.is('as')) {
        this.at++;
        other = this.moduleName();
      }
      arrayPush.call(pairs, [name, other]);
      if (!this.is('}')) this.need(',');
    }
    this.at++;
    return pairs;
  }

  exportDeclaration() {
    const { start, end } = this.token;
    this.at++;
    const { value } = this.token ?? { value: 'end of file' };
    if (value === '*') this.exportStar(start);
    else if (value === '{') this.exportList(start);
    else if (value === 'default') this.exportDefault(start);
    else {
      this.erase(start, end);
      this.exportNames(value);
    }
  }

  exportStar(start) {
    this.at++;
    let name;
    if (this.is('as')) {
      this.at++;
      name = this.moduleName();
    }
    this.need('from');
    const specifier = this.source(start);
    if (name === undefined) arrayPush.call(this.stars, specifier);
    else arrayPush.call(this.indirect, { specifier, name, from: undefined });
  }

  exportList(start) {
    const pairs = this.list();
    if (this.is('from')) {
      this.at++;
      const specifier = this.source(start);
      for (const { 0: from, 1: name } of over(pairs)) arrayPush.call(this.indirect, { specifier, name, from, line: this.lineAt(start) });
      return;
    }
    for (const { 0: local, 1: name } of over(pairs)) arrayPush.call(this.exports, { name, local });
    if (!this.is(';')) this.at--;
    this.erase(start, this.token.end, true);
  }

  exportDefault(start) {
    const { end } = this.token;
    let index = this.at + 1;
    if (this.is('async', index) && this.is('function', index + 1) && !this.tokens[index + 1].newline) index++;
    let local = DEFAULT;
    if (this.is('function', index) || this.is('class', index)) {
      this.erase(start, end);
      if (this.is('function', index) && this.is('*', index + 1)) index++;
      const next = this.tokens[index + 1];
      if (next?.type === 'name' && next.value !== 'extends') local = next.value;
      else arrayPush.call(this.edits, [this.tokens[index].end, this.tokens[index].end, ` ${DEFAULT}`]);
      this.at = index;
    } else {
      arrayPush.call(this.edits, [start, end, `const ${DEFAULT} =`]);
    }
    arrayPush.call(this.exports, { name: 'default', local });
  }

  exportNames(value) {
    if (value === 'var' || value === 'let' || value === 'const') {
      this.declarators();
      return;
    }
    if (value === 'async') this.at++;
    this.at++;
    if (this.is('*')) this.at++;
    const { token } = this;
    if (token?.type !== 'name') this.fail(`Unexpected token '${token?.value ?? 'end of file'}'`);
    arrayPush.call(this.exports, { name: token.value, local: token.value });
  }

  // Only looks ahead: the code inside the declaration is read after this.
  declarators() {
    let index = this.at + 1;
    for (;;) {
      index = this.pattern(index);
      while (index < this.tokens.length && !this.endsDeclarator(index)) index++;
      if (!this.is(',', index)) return;
      index++;
    }
  }

  endsDeclarator(index) {
    const token = this.tokens[index];
    if (token.level !== 0) return false;
    return token.value === ',' || token.value === ';' || (token.newline && this.startsStatement(index));
  }

  // The rule for omitted semicolons: the last token may end an expression, and this one can't
  // continue it.
  startsStatement(index) {
    const token = this.tokens[index];
    if (!this.endsExpression(index - 1)) return false;
    if (token.type === 'template') return false;
    if (token.type === 'name') return token.value !== 'in' && token.value !== 'instanceof';
    return token.type !== 'punctuator' || arrayIncludes.call(['{', '}', ';', '!', '~', '@', '++', '--'], token.value);
  }

  endsExpression(index) {
    const token = this.tokens[index];
    if (token === undefined) return false;
    if (token.type === 'name')
      return !regexpTest(/^(return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|await|yield|default|extends|export|var|let|const)$/, token.value) || this.tokens[index - 1]?.value === '.';
    if (token.type === 'template') return !stringEndsWith.call(token.value, '${');
    if (token.type !== 'punctuator') return true;
    return token.value === ')' ? token.kind !== 'head' : arrayIncludes.call([']', '}', '++', '--'], token.value);
  }

  // Records the names that a pattern binds; returns the index of its end.
  pattern(index) {
    const token = this.tokens[index];
    if (token?.type === 'name') {
      arrayPush.call(this.exports, { name: token.value, local: token.value });
      return index + 1;
    }
    if (!this.is('{', index) && !this.is('[', index)) this.fail(`Unexpected token '${token?.value ?? 'end of file'}'`);
    const isObject = token.value === '{';
    for (index++; index < token.match;) {
      if (this.is(',', index)) {
        index++;
        continue;
      }
      if (this.is('...', index)) index++;
      else if (isObject) {
        const key = this.is('[', index) ? this.tokens[index].match : index;
        if (this.is(':', key + 1)) index = key + 2;
      }
      index = this.pattern(index);
      while (index < token.match && !(this.is(',', index) && this.tokens[index].level === token.level + 1)) index++;
    }
    return token.match + 1;
  }

  // A function found in a scope object would be called with that object as `this`. So a call by an
  // imported name is turned into a call of a value; where the name is a local one of the same
  // spelling, that makes no difference.
  freeCalls() {
    const names = new Set(arrayMap.call(arrayFilter.call(this.imports, ({ fixed }) => !fixed), ({ local }) => local));
    if (names.size === 0) return;
    arrayForEach.call(this.tokens, (token, index) => {
      if (token.type !== 'name' || !names.has(token.value) || !this.isCall(index)) return;
      if (arraySome.call(this.erased, ({ 0: start, 1: end }) => start <= token.start && token.end <= end)) return;
      const guard = token.newline && this.endsExpression(index - 1) ? ';' : '';
      arrayPush.call(this.edits, [token.start, token.end, `${guard}(0,${token.value})`]);
    });
  }

  isCall(index) {
    const last = this.tokens[index - 1]?.value;
    if (last === '.' || last === '?.' || last === 'function') return false;
    const before = this.tokens[index - 2];
    const { inside } = this.tokens[index];
    while (last === '(' && this.is(')', index + 1)) index++; // (name)()
    const next = this.tokens[index + 1];
    if (next === undefined) return false;
    if (next.type === 'template') return true;
    if (next.value === '?.') return this.is('(', index + 2);
    if (next.value !== '(' || next.type !== 'punctuator') return false;
    if (last === '*' && before?.value === 'function') return false;
    return !((inside === 'class' || inside === 'object') && this.is('{', next.match + 1));
  }

  result() {
    let text = '';
    let from = 0;
    arraySort.call(this.edits, (a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const { 0: start, 1: end, 2: replacement } of over(this.edits)) {
      text += stringSlice.call(this.text, from, start) + replacement;
      from = end;
    }
    return text + stringSlice.call(this.text, from);
  }

  // Globals that the module uses, and that programs don't replace: found once instead of at each use,
  // when they would be looked for among the imported names first.
  get globals() {
    const imported = new Set(arrayMap.call(this.imports, ({ local }) => local));
    const used = new Set();
    const assigned = new Set();
    for (let i = 0; i < this.tokens.length; i++) {
      const { type, value } = this.tokens[i];
      if (type !== 'name' || !LASTING.has(value) || imported.has(value)) continue;
      used.add(value);
      if (this.is('=', i + 1)) assigned.add(value);
    }
    return arrayFilter.call([...over(used.values())], (name) => !assigned.has(name));
  }

  get awaits() { return arraySome.call(this.tokens, ({ type, value }) => type === 'name' && value === 'await'); }
}

// import() in a script is replaced by the runtime's.
function rewriteScript(text, wrapsAwaits = false) {
  return wrapsAwaits || regexpTest(/\b(import|eval)\b/, text) ? new Rewriter(text, false, wrapsAwaits).result() : text;
}

function rewriteModule(text, isFixed) {
  // A graph is read before any of it runs, so a file that names async_hooks speaks for those after it.
  if (stringIncludes.call(text, 'async_hooks')) tools.wrapsAwaits = true;
  const found = new Rewriter(text, true, tools.wrapsAwaits, isFixed);
  const names = arrayJoin.call(arrayMap.call(found.exports, ({ name, local }) => `${JSON.stringify(name)}: () => ${local}`), ', ');
  const { imports, exports, indirect, stars, requests, awaits } = found;
  const globals = arraySome.call(imports, ({ fixed }) => !fixed) ? found.globals : [];
  return { globals, body: found.result(), register: `${REGISTER}({ ${names} });`, imports, exports, indirect, stars, requests, awaits };
}

module.exports = { DEFAULT, FIXED, IMPORT, META, REGISTER, rewriteModule, rewriteScript };
