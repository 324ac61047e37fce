'use strict';
// Runs what was typed at a prompt, in the program's own global scope or in an object that stands before it.

const {
  arrayFilter, arrayFind, arrayJoin, arrayMap, over, promiseThen, regexpReplace, regexpTest, stringIncludes, stringRepeat, stringSlice, stringSplit,
} = intrinsics;
const { coded } = require('internal/errors');
const tools = require('internal/tools');
const { prepare } = require('internal/repl/source');

class Recoverable extends SyntaxError {
  constructor(error) {
    super('');
    this.err = error;
  }
}

// A text that isn't JavaScript, and that no more text makes right.
class Refused {
  constructor(error) {
    this.error = error;
  }
}

const constantsOf = new WeakMap(); // of a scope: name → true

function isConstant(scope, name) { return constantsOf.get(scope)?.[name] === true; }

// A module's name or the last value, which a declaration takes the place of.
function isReplaceable(scope, name) {
  const { get, configurable } = Object.getOwnPropertyDescriptor(scope, name);
  return get !== undefined && configurable;
}

// Names that an input declares exist before it runs. A constant may be declared again.
function declare(scope, names) {
  for (const name of over(names))
    if (isConstant(scope, name) || !Object.hasOwn(scope, name) || isReplaceable(scope, name))
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

const interrupted = () => coded(Error, 'ERR_SCRIPT_EXECUTION_INTERRUPTED', 'Script execution was interrupted by `SIGINT`');

// Code whose free names are looked up in `context` first, and made there.
function runIn(context, text, file, isFunction) {
  const scope = new Proxy(context, {
    __proto__: null,
    has: (target, key) => key !== '$text$' && key in target,
    get: (target, key) => key === Symbol.unscopables ? undefined : target[key],
  });
  if (isFunction) {
    const head = '(function ($scope$) { with ($scope$) { const $input$ = () => { ';
    tools.addSource(file, tools.sourceOf(file), head.length);
    return Reflect.apply(tools.script.evaluate(`${head}${text}\n}; return $input$(); } })`, file, 1), context, [scope]);
  }
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

// Calls back with whether it threw, and the value; or throws what the input threw at once.
// onWait: called when all has run that runs at once, and an await waits.
function evaluate({ input, file, context, isStrict, isBreakable, onWait = () => {} }, callback) {
  const finish = (scope, made, value) => settle(scope, made, value, callback, onWait);
  const isGlobal = context === undefined || context === global;
  const scope = isGlobal ? global : context;
  const made = prepare(input, !isGlobal);
  if (made.error !== undefined) {
    const error = syntaxError(made.error, input, file);
    throw made.error.isUnfinished ? new Recoverable(error) : new Refused(error);
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
  if (isBreakable && isGlobal) {
    runBreakable(text, file, scope, made, callback, finish);
    return;
  }
  let value;
  try {
    value = isGlobal ? tools.script.evaluate(text, file, 1) : runIn(scope, text, file, made.isFunction);
  } finally {
    if (!made.isAsync) fix(scope, made.constants);
  }
  finish(scope, made, value);
}

// From the loop, so that Ctrl-C can end it.
function runBreakable(text, file, scope, made, callback, finish) {
  const err = native('prompt').evaluate(text, file, (hasThrown, value) => {
    if (hasThrown || !made.isAsync) fix(scope, made.constants);
    if (hasThrown) callback(true, value);
    else finish(scope, made, value);
  });
  if (err < 0) throw native('process').uvError(err, 'evaluate');
}

function settle(scope, made, value, callback, onWait) {
  if (!made.isAsync) {
    callback(false, value);
    return;
  }
  onWait();
  promiseThen.call(value, (list) => {
    fix(scope, made.constants);
    callback(false, list?.value);
  }, (error) => {
    fix(scope, made.constants);
    callback(true, error);
  });
}

module.exports = { Recoverable, Refused, evaluate, interrupted };
