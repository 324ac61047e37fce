'use strict';
// Runs what was typed at a prompt, in the program's own global scope or in an object that stands before it.

const {
  arrayFilter, arrayFind, arrayJoin, arrayMap, over, regexpReplace, regexpTest, stringIncludes, stringRepeat, stringSlice, stringSplit,
} = intrinsics;
const tools = require('internal/tools');
const { prepare } = require('internal/repl/source');

class Recoverable extends SyntaxError {
  constructor(error) {
    super('');
    this.err = error;
  }
}

const constantsOf = new WeakMap(); // of a scope: name → true

function isConstant(scope, name) { return constantsOf.get(scope)?.[name] === true; }

// Names that an input declares exist before it runs. A constant may be declared again.
function declare(scope, names) {
  for (const name of over(names))
    if (isConstant(scope, name) || !Object.hasOwn(scope, name))
      Object.defineProperty(scope, name, { __proto__: null, value: undefined, writable: true, configurable: true, enumerable: false });
  const constants = constantsOf.get(scope);
  if (constants !== undefined) for (const name of over(names)) constants[name] = false;
}

function fix(scope, names) {
  if (names.length === 0) return;
  let constants = constantsOf.get(scope);
  if (constants === undefined) constantsOf.set(scope, constants = { __proto__: null });
  for (const name of over(names)) {
    const value = scope[name];
    constants[name] = true;
    Object.defineProperty(scope, name, { __proto__: null,
      get: () => value,
      set() { throw new TypeError('Assignment to constant variable.'); },
      configurable: true, enumerable: false,
    });
  }
}

// Code whose free names are looked up in `context` first, and made there.
function runIn(context, text, file) {
  const scope = new Proxy(context, {
    __proto__: null,
    has: (target, key) => key !== '$text$' && key in target,
    get: (target, key) => key === Symbol.unscopables ? undefined : target[key],
  });
  const call = tools.script.evaluate('(function ($scope$, $text$) { with ($scope$) return eval($text$); })', file, 1);
  return Reflect.apply(call, context, [scope, `${text}\n//# sourceURL=${file}`]);
}

const STRICT = "'use strict'; void 0; ";

// An import declaration, as import().
function insteadOfImport(input) {
  const { tree } = require('internal/syntax').parse(input, 'module');
  const node = tree === undefined ? undefined : arrayFind.call(tree.body, ({ type }) => type === 'ImportDeclaration');
  if (node === undefined) return '';
  const { specifiers, source } = node;
  const call = `await import(${JSON.stringify(source.value)});`;
  const whole = arrayFind.call(specifiers, ({ type }) => type === 'ImportNamespaceSpecifier');
  if (specifiers.length === 0) return call;
  if (whole !== undefined) return `const ${whole.local.name} = ${call}`;
  const names = arrayMap.call(specifiers, ({ type, imported, local }) => {
    const name = type === 'ImportDefaultSpecifier' ? 'default' : imported.name;
    return name === local.name ? name : `${name}: ${local.name}`;
  });
  return `const { ${arrayJoin.call(names, ', ')} } = ${call}`;
}

function syntaxError({ message, line, column, length }, input, file) {
  if (message === 'Cannot use import statement outside a module')
    message = `Cannot use import statement inside the Node.js REPL, alternatively use dynamic import: ${insteadOfImport(input)}`;
  const error = new SyntaxError(message);
  const head = stringSplit.call(input, '\n')[line - 1] ?? '';
  const caret = regexpReplace(/[^\t]/g, stringSlice.call(head, 0, column - 1), ' ');
  Object.defineProperty(error, 'stack', { __proto__: null, value: `${file}:${line}\n${head}\n${caret}${stringRepeat.call('^', length)}\n\nSyntaxError: ${message}`,
    writable: true, configurable: true, enumerable: false });
  return error;
}

// evaluate({ input, file, context, isStrict }): { value }, or { promise } of a list with the value, or throws.
function evaluate({ input, file, context, isStrict }) {
  const isGlobal = context === undefined || context === global;
  const scope = isGlobal ? global : context;
  const made = prepare(input, !isGlobal);
  if (made.error !== undefined) {
    const error = syntaxError(made.error, input, file);
    throw made.error.isUnfinished ? new Recoverable(error) : error;
  }
  declare(scope, made.names);
  if (!isStrict) declare(scope, arrayFilter.call(made.assigned, (name) => !(name in scope)));
  let { text } = made;
  if (stringIncludes.call(text, 'import') && regexpTest(/\bimport\s*\(/, text)) {
    const { importFor } = require('internal/esm/evaluated');
    Object.defineProperty(scope, '$import$', { __proto__: null, value: importFor(`${process.cwd()}/${file}`), configurable: true, enumerable: false });
    text = require('internal/esm/source').rewriteScript(text);
  }
  if (isStrict) text = STRICT + text;
  tools.addSource(file, input, 0);
  tools.forgetMatches();
  let value;
  try {
    value = isGlobal ? tools.script.evaluate(text, file, 1) : runIn(scope, text, file);
  } finally {
    if (!made.isAsync) fix(scope, made.constants);
  }
  if (!made.isAsync) return { value };
  const settled = async () => {
    try {
      return await value;
    } finally {
      fix(scope, made.constants);
    }
  };
  return { promise: settled() };
}

module.exports = { Recoverable, evaluate };
