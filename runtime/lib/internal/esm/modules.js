'use strict';
// ES modules: loaded with their dependencies, linked, and run in the standard's order. source.js
// turns the text of a module into a function.

const {
  PromiseResolve, arrayConcat, arrayFilter, arrayFind, arrayJoin, arrayMap, arrayPush, arraySome, arraySort,
  functionToString, over, promiseThen, regexpExec, regexpTest, stringCharCodeAt, stringSlice, stringSplit, stringStartsWith, stringTrim,
} = intrinsics;
const stdio = native('stdio');
const path = require('path');
const tools = require('internal/tools');
const { coded } = require('internal/errors');
const source = require('internal/esm/source');
const { resolve } = require('internal/esm/resolve');
const { evaluate, isDone, evaluationFields } = require('internal/esm/evaluate');

const modules = new Map(); // by url
const namespaces = new WeakSet();
tools.isNamespace = (value) => namespaces.has(value);

// --- records --------------------------------------------------------------------------------------

// Where a name comes from: { module, get }, null if nowhere, 'ambiguous' if from two modules.
// own methods: module, other, this.of(star)
class Record {
  constructor({ url, file, name, format }) {
    Object.assign(this, {
      url, file, name, format, requests: [], imports: [], indirect: [], stars: [], getters: null, namespace: undefined, required: undefined,
      dependencies: new Map(), linked: false, hasTLA: false, body: undefined, generator: undefined, ...evaluationFields(),
    });
  }

  of(specifier) { return this.dependencies.get(specifier); }

  names(seen = new Set()) {
    if (seen.has(this)) return [];
    seen.add(this);
    const found = new Set([...over(Object.keys(this.getters ?? {})), ...over(arrayMap.call(this.indirect, ({ name }) => name))]);
    for (const star of over(this.stars))
      for (const name of over(this.of(star).names(seen))) if (name !== 'default') found.add(name);
    return [...over(found)];
  }

  // A name that a CommonJS module may export once it has run.
  late(name) { return { module: this, name, get: () => this.getters[name]?.(), isLate: true }; }

  find(name, seen = []) {
    if (arraySome.call(seen, (each) => each.module === this && each.name === name)) return null;
    arrayPush.call(seen, { module: this, name });
    if (this.getters !== null && Object.hasOwn(this.getters, name)) return { module: this, name, get: this.getters[name] };
    const passed = arrayFind.call(this.indirect, (each) => each.name === name);
    if (passed !== undefined) {
      const other = this.of(passed.specifier);
      if (passed.from === undefined) return { module: other, name: '*', get: () => namespaceOf(other) };
      const found = other.find(passed.from, seen);
      return found === null && other.format === 'commonjs' && !isDone(other) ? other.late(passed.from) : found;
    }
    if (name === 'default') return null;
    let result = null;
    for (const star of over(this.stars)) {
      const found = this.of(star).find(name, seen);
      if (found === 'ambiguous') return found;
      if (found === null) continue;
      if (result === null) result = found;
      else if (found.module !== result.module || found.name !== result.name) return 'ambiguous';
    }
    return result;
  }
}

// A module that has not begun to run may still change its getters.
const getterOf = ({ module, name, get, isLate }) => name === '*' || isLate ? get : () => module.getters[name]();

function namespaceOf(module) {
  if (module.namespace !== undefined) return module.namespace;
  const namespace = module.namespace = Object.create(null);
  for (const name of over(arraySort.call(module.names()))) {
    const found = module.find(name);
    if (found !== null && found !== 'ambiguous')
      Object.defineProperty(namespace, name, { __proto__: null, get: getterOf(found), enumerable: true, configurable: false });
  }
  Object.defineProperty(namespace, Symbol.toStringTag, { __proto__: null, value: 'Module' });
  namespaces.add(namespace);
  return Object.preventExtensions(namespace);
}

// --- loading --------------------------------------------------------------------------------------

// A module that was resolved once is found again, even if its file is gone.
const resolved = new Map();

function resolveOnce(specifier, from) {
  const key = `${path.dirname(from)}\0${specifier}`;
  let found = resolved.get(key);
  if (found === undefined) resolved.set(key, found = resolve(specifier, from));
  return found;
}

function checkType(specifier, { format, url }, type) {
  if (format === 'json' && type !== 'json')
    throw coded(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_MISSING', `Module "${url}" needs an import attribute of type "json"`);
  if (format !== 'json' && type !== undefined)
    throw coded(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_FAILED', `Module "${url}" is not of type "${type}"`);
}

function isAsync(text) {
  try {
    tools.script.evaluate(`(function () { class Check { static { ${text}\n} } })`, '[check]', 1);
    return false;
  } catch {
    return true; // or it is wrong anyway, which shows when it is compiled
  }
}

const isBuiltin = (specifier) => require('internal/loader').Module.isBuiltin(specifier);

function compile(module, text) {
  if (stringCharCodeAt.call(text, 0) === 0xfeff) text = stringSlice.call(text, 1);
  tools.addSource(module.url, text, 0);
  if (stringStartsWith.call(text, '#!')) text = `//${stringSlice.call(text, 2)}`;
  let parts;
  try {
    parts = source.rewriteModule(text, isBuiltin);
  } catch (error) {
    throw place(error, module, error.line);
  }
  const { imports, indirect, stars, requests } = parts;
  module.hasTLA = parts.awaits && isAsync(parts.body);
  const kind = module.hasTLA ? 'async function' : 'function*';
  const names = arrayJoin.call(['$scope$', source.IMPORT, source.META, source.REGISTER, source.FIXED], ', ');
  const fixed = arrayJoin.call(arrayConcat.call(arrayMap.call(arrayFilter.call(imports, (each) => each.fixed), ({ local }) => local), parts.globals), ', ');
  const isLive = arraySome.call(imports, (each) => !each.fixed);
  const head = `(function (${names}) { ${isLive ? 'with ($scope$) ' : ''}{ const { ${fixed} } = ${source.FIXED}; ` +
    `return ${kind} () { 'use strict'; ${parts.register}${module.hasTLA ? '' : ' yield;'} `;
  tools.addSource(module.url, text, head.length);
  const make = tools.script.evaluate(`${head}${parts.body}\n} } })`, module.url, 1);
  Object.assign(module, { imports, indirect, stars, requests, make, globals: parts.globals });
  module.getters = Object.fromEntries(over(arrayMap.call(parts.exports, ({ name }) => [name, () => {
    throw new ReferenceError(`Cannot access '${name}' before initialization`);
  }])));
}

const values = (object) => Object.fromEntries(over(arrayMap.call(Object.entries(object), ({ 0: name, 1: value }) => [name, () => value])));

function prepare(module) {
  if (module.format === 'builtin') {
    const exports = require('internal/loader').Module._load(`node:${module.name}`);
    module.getters = { ...values(exports), default: () => exports };
  } else if (module.format === 'commonjs') {
    // Its exports are known when it has run.
    module.getters = { default: () => module.exports };
  } else if (module.format === 'json') {
    module.exports = JSON.parse(stdio.readText(module.file));
    module.getters = { default: () => module.exports };
  } else {
    compile(module, module.text ?? require('internal/loader').textOf(module.file));
    module.text = undefined;
  }
}

function open(found) {
  let module = modules.get(found.url);
  if (module === undefined) {
    module = new Record(found);
    prepare(module);
    modules.set(found.url, module);
  }
  return module;
}

function load(found, fresh) {
  const known = modules.get(found.url);
  if (known !== undefined) return known;
  const module = open(found);
  arrayPush.call(fresh, module);
  for (const { specifier, type } of over(module.requests)) {
    const next = resolveOnce(specifier, module.file);
    checkType(specifier, next, type);
    module.dependencies.set(specifier, load(next, fresh));
  }
  return module;
}

// A module with all its dependencies, ready to run. One that could not be completed is forgotten.
function linked(found, check = () => {}) {
  const fresh = [];
  try {
    const module = load(found, fresh);
    check(module);
    link(module);
    return module;
  } catch (error) {
    for (const { url } of over(fresh)) modules.delete(url);
    throw error;
  }
}

// --- linking --------------------------------------------------------------------------------------

const notThere = (specifier, name) =>
  new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);

const notNamed = (specifier, { name, local }) => new SyntaxError(`Named export '${name}' not found. The requested module ` +
  `'${specifier}' is a CommonJS module, which may not support all module.exports as named exports.\nCommonJS modules can ` +
  `always be imported via the default export, for example using:\n\nimport pkg from '${specifier}';\n` +
  `const { ${name}${local === name ? '' : `: ${local}`} } = pkg;\n`);

// A getter for an imported name.
function bind(module, wanted) {
  const { specifier, name } = wanted;
  const other = module.of(specifier);
  if (name === undefined) return () => namespaceOf(other);
  if (other.format === 'commonjs' && name !== 'default') return lateBinding(other, wanted);
  const found = other.find(name);
  if (found === 'ambiguous')
    throw new SyntaxError(`The requested module '${specifier}' contains conflicting star exports for name '${name}'`);
  if (found === null && arraySome.call([...over(other.stars)], (star) => other.of(star).format === 'commonjs')) return lateBinding(other, wanted);
  if (found === null) throw notThere(specifier, name);
  return getterOf(found);
}

// The names of a CommonJS module are known once it has run; until then they are undefined.
function lateBinding(other, { name }) {
  return () => other.find(name)?.get();
}

function checkName(module, wanted, name) {
  const other = module.of(wanted.specifier);
  if (name === undefined || other.format !== 'commonjs' || !isDone(other) || other.find(name) !== null) return;
  throw place(notNamed(wanted.specifier, { name, local: wanted.local ?? name }), module, wanted.line);
}

function checkNames(module) {
  for (const wanted of over(module.imports)) checkName(module, wanted, wanted.name);
  for (const wanted of over(module.indirect)) checkName(module, wanted, wanted.from);
}

// An error of a declaration is reported with its place.
function placed(module, { line }, work) {
  try {
    return work();
  } catch (error) {
    throw place(error, module, line);
  }
}

const place = (error, { url }, line) => {
  for (const { 0: name, 1: value } of over(Object.entries({ sourceURL: url, line })))
    Object.defineProperty(error, name, { __proto__: null, value, configurable: true, writable: true });
  return error;
};

function link(module) {
  if (module.linked) return;
  module.linked = true;
  for (const other of over(module.dependencies.values())) link(other);
  if (module.format !== 'module') return;
  for (const wanted of over(module.indirect))
    if (wanted.from !== undefined) placed(module, wanted, () => bind(module, { ...wanted, name: wanted.from }));
  const scope = Object.create(null);
  const fixed = Object.create(null);
  for (const name of over(module.globals)) fixed[name] = global[name];
  for (const wanted of over(module.imports)) {
    const get = placed(module, wanted, () => bind(module, wanted));
    if (wanted.fixed) fixed[wanted.local] = get();
    else Object.defineProperty(scope, wanted.local, { __proto__: null, get, enumerable: true });
  }
  const register = (getters) => {
    for (const { 0: name, 1: get } of over(Object.entries(getters))) module.getters[name] = name === 'default' ? named(get) : get;
  };
  const body = module.make(scope, require('internal/esm/evaluated').importFor(module.file), metaOf(module), register, fixed);
  module.make = undefined;
  if (module.hasTLA) {
    module.body = body;
  } else {
    module.generator = body();
    module.generator.next(); // declared functions exist from now on
  }
}

// An anonymous default export gets the name "default".
function named(get) {
  return () => {
    const value = get();
    if (typeof value === 'function' && Object.hasOwn(value, 'name') && value.name === source.DEFAULT)
      Object.defineProperty(value, 'name', { __proto__: null, value: 'default', configurable: true });
    return value;
  };
}

function metaOf(module) {
  const { url, file } = module;
  return Object.assign(Object.create(null), {
    dirname: path.dirname(file), filename: file, resolve: (specifier) => resolve(`${specifier}`, file, true).url, url,
  });
}

// --- running --------------------------------------------------------------------------------------

// A getter that only reads a variable or a property of one, as compilers write them for what a
// module passes on: `function () { return other.name; }`, `() => name`.
const READS = /^(?:function\b\s*[\w$]*|(?:get\b)?[^(]*)\(\s*\)\s*(?:=>\s*\(?\s*[\w$.[\]'"]+\s*\)?|\{\s*return\s+[\w$.[\]'"]+\s*;?\s*\})$/;

// What esbuild adds to a module for those who look for names: 0 && (module.exports = { a, b })
const LISTED = /\b0 && \(module\.exports = \{([^}]*)\}\)/;

function isListed(file, name) {
  const list = regexpExec.call(LISTED, stdio.readText(file))?.[1];
  return list !== undefined && arraySome.call(stringSplit.call(list, ','), (each) => stringTrim.call(each) === name);
}

// The value of a name that is exported; undefined if it is none. Importing a module runs no getter
// that does more than read, and one that throws doesn't make the import fail: the name is undefined.
function exported(module, name) {
  const { exports, file } = module;
  const { get } = Object.getOwnPropertyDescriptor(exports, name) ?? { __proto__: null };
  if (get !== undefined && !regexpTest(READS, functionToString.call(get)) && !isListed(file, name)) return undefined;
  try {
    const value = exports[name];
    return () => value;
  } catch {
    return () => undefined;
  }
}

function runCommonJS(module) {
  const { Module } = require('internal/loader');
  const exports = module.exports = Module._load(module.file, undefined, false);
  module.namespace = undefined;
  if (exports === null || (typeof exports !== 'object' && typeof exports !== 'function')) return;
  for (const name of over(Object.keys(exports))) {
    const get = name === 'default' ? undefined : exported(module, name);
    if (get !== undefined) module.getters[name] = get;
  }
}

function execute(module) {
  checkNames(module);
  tools.forgetMatches();
  if (module.format === 'commonjs') runCommonJS(module);
  else module.generator?.next();
}

// --- from outside ---------------------------------------------------------------------------------

// import(): files are read asynchronously first, so that it takes as many turns as in Node.
async function fetchAll(found, seen = new Set()) {
  if (found.format !== 'module' || seen.has(found.url) || modules.has(found.url)) return;
  seen.add(found.url);
  let text = await require('fs/promises').readFile(found.file, 'utf8');
  if (regexpTest(/\.m?ts$/, found.file)) text = require('internal/typescript/strip').strip(text, found.file).code;
  for (const { specifier } of over(source.rewriteModule(text).requests)) await fetchAll(resolveOnce(specifier, found.file), seen);
}

async function importFrom(specifier, from, options) {
  const found = resolveOnce(`${specifier}`, from);
  checkType(specifier, found, options?.with?.type ?? options?.assert?.type);
  await promiseThen.call(fetchAll(found), undefined, () => {}); // errors are found again, in order
  const module = linked(found);
  await evaluate(module, execute);
  return namespaceOf(module);
}

let unsettled; // the program's first module, while it waits
function runMain(file) {
  const found = { url: require('url').pathToFileURL(file).href, file, format: 'module' };
  unsettled = found.url;
  tools.usesModules = true;
  promiseThen.call(promiseThen.call(PromiseResolve(), async () => {
    await evaluate(linked(found), execute);
  }), () => { unsettled = undefined; }, (error) => {
    unsettled = undefined;
    native('process').uncaught(error);
  });
}

// A module that is no file: code of the command line or of standard input.
function runText(text, name) {
  require('internal/loader');
  const file = path.join(process.cwd(), name);
  const found = { url: require('url').pathToFileURL(file).href, file, format: 'module' };
  const module = new Record(found);
  unsettled = found.url;
  tools.usesModules = true;
  promiseThen.call(promiseThen.call(PromiseResolve(), async () => {
    compile(module, text);
    modules.set(found.url, module);
    for (const { specifier, type } of over(module.requests)) {
      const next = resolveOnce(specifier, file);
      checkType(specifier, next, type);
      module.dependencies.set(specifier, linked(next));
    }
    link(module);
    await evaluate(module, execute);
  }), () => { unsettled = undefined; }, (error) => {
    unsettled = undefined;
    native('process').uncaught(error);
  });
}

// Compiles a module, and nothing that it imports.
function check(file, text) {
  compile(new Record({ url: require('url').pathToFileURL(file).href, file, format: 'module' }), text);
}

// require() of an ES module without top-level await.
const waitsFor = (module, seen = new Set()) => !seen.has(module) && seen.add(module) && !isDone(module) &&
  (module.hasTLA || arraySome.call([...over(module.dependencies.values())], (other) => waitsFor(other, seen)));

function requireModule(file) {
  const module = linked({ url: require('url').pathToFileURL(file).href, file, format: 'module' }, (each) => {
    if (waitsFor(each))
      throw coded(Error, 'ERR_REQUIRE_ASYNC_MODULE',
        'require() cannot be used on an ESM graph with top-level await. Use import() instead.');
  });
  promiseThen.call(evaluate(module, execute), undefined, () => {});
  if (module.failed) throw module.error;
  return (module.required ??= { value: requiredOf(module) }).value;
}

// The result of require(): the export named "module.exports" if there is one. A module with a
// default export is marked as an ES module, as bundlers expect.
function requiredOf(module) {
  const namespace = namespaceOf(module);
  if (Object.hasOwn(namespace, 'module.exports')) return namespace['module.exports'];
  if (!Object.hasOwn(namespace, 'default') || Object.hasOwn(namespace, '__esModule')) return namespace;
  const marked = new Record({ url: module.url, file: module.file, format: 'module' });
  marked.getters = { __esModule: () => true };
  for (const name of over(Object.keys(namespace))) marked.getters[name] = () => namespace[name];
  return namespaceOf(marked);
}

module.exports = {
  check, importFrom, requireModule, runMain, runText,
  get unsettled() { return unsettled; },
};
