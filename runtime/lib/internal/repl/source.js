'use strict';
// Input of a prompt, made ready to run: names declared at its top stay from one input to the next,
// and may be declared again; `await` works everywhere.
//
// A declaration becomes assignments, in its place: `const { a } = b` is `void ({ a } = b)`, after the names
// have been made. An input with `await` is put into an async function that returns its last value.

const { arrayPush, arraySort, over, regexpTest, stringSlice } = intrinsics;
const { parse } = require('internal/syntax');

const LEXICAL = { __proto__: null, let: true, const: true };

function namesOf(pattern, list) {
  if (pattern === null) return;
  if (pattern.type === 'Identifier') arrayPush.call(list, pattern.name);
  else if (pattern.type === 'ObjectPattern') for (const each of over(pattern.properties)) namesOf(each.value ?? each.argument, list);
  else if (pattern.type === 'ArrayPattern') for (const each of over(pattern.elements)) namesOf(each, list);
  else if (pattern.type === 'AssignmentPattern') namesOf(pattern.left, list);
  else if (pattern.type === 'RestElement') namesOf(pattern.argument, list);
}

// Visits all nodes of the top, outside of functions: statements in blocks too.
function visitTop(node, visit) {
  if (visit(node) === false) return;
  for (const key of over(Object.keys(node))) {
    const child = node[key];
    if (child === null || typeof child !== 'object') continue;
    if (typeof child.type === 'string') visitTop(child, visit);
    else if (typeof child.length === 'number') for (const each of over(child)) if (each !== null && typeof each?.type === 'string') visitTop(each, visit);
  }
}

const FUNCTIONS = { __proto__: null, FunctionDeclaration: true, FunctionExpression: true, ArrowFunctionExpression: true };
function hasAwait(tree) {
  let found = false;
  visitTop(tree, (node) => {
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) found = true;
    if (node.type === 'PropertyDefinition' || node.type === 'StaticBlock') return false;
    return !found && !FUNCTIONS[node.type];
  });
  return found;
}

// The edits that turn declarations into assignments. In a function (isInside) `var` and functions count, too.
class Edits {
  constructor(text, isInside, isAsync) {
    this.text = text;
    this.isAsync = isAsync;
    this.isInside = isInside;
    this.list = []; // [start, end, replacement]
    this.names = []; // that exist from now on
    this.constants = [];
    this.head = ''; // functions, which are there before anything runs
  }

  put(start, end, text) { arrayPush.call(this.list, [start, end, text]); }

  declaration(node) {
    const { kind, declarations } = node;
    if (!LEXICAL[kind] && !this.isInside) return;
    const names = kind === 'const' ? this.constants : this.names;
    for (const { id } of over(declarations)) namesOf(id, names);
    if (kind === 'const') for (const { id } of over(declarations)) namesOf(id, this.names);
    this.put(node.start, declarations[0].start, 'void (');
    for (const { id, init, end } of over(declarations)) if (init === null && kind !== 'var') this.put(id.end, end, ' = undefined');
    const hasSemicolon = this.text[node.end - 1] === ';';
    this.put(hasSemicolon ? node.end - 1 : node.end, node.end, ');');
  }

  statement(node) {
    if (node.type === 'VariableDeclaration') {
      this.declaration(node);
    } else if (node.type === 'ClassDeclaration') {
      arrayPush.call(this.names, node.id.name);
      this.put(node.start, node.start, `void (${node.id.name} = `);
      this.put(node.end, node.end, ');');
    } else if (node.type === 'FunctionDeclaration' && this.isInside) {
      arrayPush.call(this.names, node.id.name);
      if (this.isAsync) {
        this.head += `this.${node.id.name} = ${node.id.name}; `;
      } else { // its name would be looked up in the object first
        const source = stringSlice.call(this.text, node.start, node.end);
        this.head += `void (${node.id.name} = ${source}); `;
        this.put(node.start, node.end, '');
      }
    }
  }

  // `var` in blocks and loops, which is the whole input's.
  nested(node) {
    visitTop(node, (each) => {
      if (FUNCTIONS[each.type]) return false;
      if (each !== node && each.type === 'VariableDeclaration' && each.kind === 'var') this.nestedVar(each);
      return true;
    });
  }

  nestedVar(node) {
    const list = [];
    for (const { id } of over(node.declarations)) namesOf(id, list);
    for (const name of over(list)) arrayPush.call(this.names, name);
    const { 0: first } = node.declarations;
    if (node.declarations.length === 1 && first.init === null) {
      this.put(node.start, first.start, ''); // for (var x of …)
    } else {
      this.put(node.start, first.start, 'void (');
      this.put(this.text[node.end - 1] === ';' ? node.end - 1 : node.end, node.end, this.text[node.end - 1] === ';' ? ');' : ')');
    }
  }

  result() {
    let text = '';
    let from = 0;
    for (const { 0: start, 1: end, 2: by } of over(arraySort.call(this.list, (a, b) => a[0] - b[0] || a[1] - b[1]))) {
      text += stringSlice.call(this.text, from, start) + by;
      from = end;
    }
    return text + stringSlice.call(this.text, from);
  }
}

const OBJECT = /^\s*\{/;
const ENDED = /;\s*$/;

function treeOf(text) {
  // With await as a name it may be right where it isn't as an operator.
  const first = parse(text, 'prompt');
  if (first.error === undefined) return first;
  const plain = parse(text, 'plain');
  return plain.error === undefined ? plain : first;
}

// { text, isAsync, names, constants }, or { error }. isInside: the input will run in a function.
function prepare(input, isInside = false) {
  let text = input;
  let parsed;
  if (regexpTest(OBJECT, input) && !regexpTest(ENDED, input)) {
    text = `(${input})\n`;
    parsed = treeOf(text);
    if (parsed.error !== undefined) parsed = undefined;
  }
  if (parsed === undefined) {
    text = input;
    parsed = treeOf(text);
  }
  if (parsed.error !== undefined) return parsed;
  const { tree } = parsed;
  const isAsync = hasAwait(tree);
  const edits = new Edits(text, isAsync || isInside, isAsync);
  for (const node of over(tree.body)) {
    edits.statement(node);
    if (edits.isInside && node.type !== 'VariableDeclaration') edits.nested(node);
  }
  const assigned = [];
  if (isInside) noteAssigned(tree, assigned);
  const isFunction = !isAsync && isInside && canReturn(tree);
  if (isAsync) returnLast(edits, tree, 'return { value: (', ') };');
  else if (isFunction) returnLast(edits, tree, 'return (', ');');
  const { names, constants, head } = edits;
  const result = edits.result();
  return {
    text: isAsync ? `(async () => { ${head}${result}\n})()` : head + result, isAsync, isFunction, names, constants, assigned,
  };
}

// Names that are assigned to without a declaration.
function noteAssigned(tree, names) {
  visitTop(tree, (node) => {
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') arrayPush.call(names, node.left.name);
    return !FUNCTIONS[node.type];
  });
}

// Whether the value of the input is that of an expression at its end, or none.
const canReturn = ({ body }) => body.length === 0 || regexpTest(/^(?:Expression|Empty)Statement$|Declaration$/, body[body.length - 1].type);

// The value of an async input is that of its last statement, in a list, so that a promise isn't awaited.
function returnLast(edits, { body }, before, after) {
  const last = body[body.length - 1];
  if (last?.type !== 'ExpressionStatement') return;
  edits.put(last.start, last.start, before);
  edits.put(edits.text[last.end - 1] === ';' ? last.end - 1 : last.end, last.end, after);
}

module.exports = { prepare };
