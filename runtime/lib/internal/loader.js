'use strict';
// Modules by Node's rules: files and folders, package.json with main and exports,
// node_modules upwards, JSON, cycles, `node:` names.

// own methods: sources
const {
  ArrayIsArray, arrayConcat, arrayFilter, arrayIncludes, arrayIndexOf, arrayJoin, arrayPush, arraySome, arraySplice, over,
  regexpExec, regexpReplace, regexpTest, stringCharCodeAt, stringEndsWith, stringIncludes, stringIndexOf,
  stringReplace, stringReplaceAll, stringSlice, stringSplit, stringStartsWith,
} = intrinsics;
const stdio = native('stdio');
const tools = require('internal/tools');
const path = require('path');
const { coded, invalidArgType, invalidArgValue, notImplemented, validateString } = require('internal/errors');
const packages = require('internal/packages');

const { fromExports, fromImports, readPackage, scopeOf } = packages;

const FILE = 0;
const DIRECTORY = 1;
const head = '(function (exports, require, module, __filename, __dirname) { ';
const sources = new Map(); // file → { text, skip: what is before its first line }, for messages about errors in it

tools.sourceOf = (file) => tools.originalOf?.(file) ?? sources.get(file)?.text;
tools.wrapperLength = (file) => sources.get(file)?.skip ?? 0;
tools.eachSource = (visit) => sources.forEach(({ text }, file) => visit(file, text));
// RegExp.$_ and its kin are about the last match anywhere, also of the runtime's own. Called before
// the program's first line runs; later calls do nothing.
tools.forgetMatches = () => {
  regexpExec.call(/(?:)/, '');
  tools.forgetMatches = () => {};
};
// Whether a file was loaded with `await` as it was written.
tools.hasPlainAwaits = () => {
  let isFound = false;
  sources.forEach(({ text }, file) => {
    isFound ||= !changed.has(file) && stringIncludes.call(text, 'await');
  });
  return isFound;
};
tools.addSource = (file, text, skip) => sources.set(file, { text, skip });

// Modules of Node; those that rondo lacks throw an error that says so.
const known = stringSplit.call('assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram ' +
  'diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net os ' +
  'path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream stream/consumers ' +
  'stream/promises stream/web string_decoder sys test timers timers/promises tls trace_events tty url util util/types v8 vm wasi ' +
  'worker_threads zlib _http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_writable', ' ');
const listed = arrayFilter.call(known, (name) => name === 'process' || tools.script.hasEmbedded(name));
const builtin = new Set(listed);
const absent = new Set(arrayFilter.call(known, (name) => !builtin.has(name)));

// Programs run even if the working directory has been removed.
function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

// --- looking ---------------------------------------------------------------------------------

function withExtension(file) {
  for (const extension of over(Object.keys(Module._extensions)))
    if (stdio.stat(file + extension) === FILE) return file + extension;
  return undefined;
}

function notFound(message) {
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
}

function asDirectory(directory) {
  const main = readPackage(directory)?.main;
  if (typeof main === 'string') {
    const file = path.resolve(directory, main);
    const found = (stdio.stat(file) === FILE ? file : withExtension(file)) ?? withExtension(path.join(file, 'index'));
    if (found !== undefined) return found;
    const index = withExtension(path.join(directory, 'index'));
    if (index !== undefined) {
      const text = `Invalid 'main' field in '${path.join(directory, 'package.json')}' of '${main}'. `;
      process.emitWarning(`${text}Please either fix that or report it to the module author`, 'DeprecationWarning', 'DEP0128');
      return index;
    }
    const error = notFound(`Cannot find module '${file}'. Please verify that the package.json has a valid "main" entry`);
    throw Object.assign(error, { path: path.join(directory, 'package.json'), requestPath: directory });
  }
  return withExtension(path.join(directory, 'index'));
}

function asPath(file, slash) {
  const nul = stringIndexOf.call(file, '\0');
  if (nul !== -1) { // no file has such a name, though the system might find one by the part before the NUL
    if (stdio.stat(stringSlice.call(file, 0, nul)) !== FILE) return undefined;
    throw invalidArgValue('path', file, 'must be a string, Uint8Array, or URL without null bytes');
  }
  const kind = stdio.stat(file);
  if (!slash && kind === FILE) return file;
  return (slash ? undefined : withExtension(file)) ?? (kind === DIRECTORY ? asDirectory(file) : undefined);
}

function nodeModulePaths(from) {
  const list = [];
  for (let directory = path.resolve(from); ; directory = path.dirname(directory)) {
    if (path.basename(directory) !== 'node_modules') arrayPush.call(list, path.join(directory, 'node_modules'));
    if (directory === '/') break;
  }
  return list;
}

function fromNodeModules(request, directories) {
  const { 1: name, 2: rest } = regexpExec.call(/^((?:@[^/]+\/)?[^/]+)(.*)$/, request) ?? [];
  if (name === undefined) return undefined;
  for (const directory of over(directories)) {
    const folder = path.join(directory, name);
    if (stdio.stat(folder) === DIRECTORY) {
      const exports = readPackage(folder)?.exports;
      if (exports !== undefined && exports !== null) return fromExports(folder, exports, `.${rest}`);
    }
    const found = asPath(path.join(directory, request), stringEndsWith.call(request, '/'));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromScope(request, directory, from) {
  const scope = scopeOf(directory);
  if (stringStartsWith.call(request, '#')) {
    const { file, name } = fromImports(request, scope, from);
    return file ?? Module._resolveFilename(name, undefined, directory);
  }
  if (scope === undefined) return undefined;
  const { found } = scope;
  if (found.exports != null && typeof found.name === 'string' &&
      (request === found.name || stringStartsWith.call(request, `${found.name}/`)))
    return fromExports(scope.directory, found.exports, `.${stringSlice.call(request, found.name.length)}`, from);
  return undefined;
}

// Folders searched after all others: those of NODE_PATH, of the home directory and of the
// installation.
function initPaths() {
  const { HOME, NODE_PATH } = process.env;
  const named = arrayFilter.call(stringSplit.call(NODE_PATH ?? '', ':'), Boolean);
  const home = HOME ? [path.resolve(HOME, '.node_modules'), path.resolve(HOME, '.node_libraries')] : [];
  const prefix = path.resolve(process.execPath, '..', '..', 'lib', 'node');
  Module.globalPaths = [...over(named), ...over(home), prefix];
}

const isRelative = (request) => regexpTest(/^\.\.?(\/|$)/, request);

function lookupPaths(request, parent) {
  if (builtin.has(regexpReplace(/^node:/, request, ''))) return null;
  if (isRelative(request)) return [parent?.filename ? path.dirname(parent.filename) : '.'];
  return [...over(parent?.paths ?? []), ...over(Module.globalPaths)];
}

// The longest ending of a file's name that has a loader: ".foo.bar" goes before ".bar".
function extensionOf(file) {
  const name = path.basename(file);
  for (let at = stringIndexOf.call(name, '.', 1); at !== -1; at = stringIndexOf.call(name, '.', at + 1)) {
    const extension = stringSlice.call(name, at);
    if (Module._extensions[extension]) return extension;
  }
  return '.js';
}

// --- Module ------------------------------------------------------------------------------------

function Module(id = '', parent) {
  const fields = { __proto__: null, id, path: path.dirname(id), exports: {}, filename: null, loaded: false, children: [], paths: [] };
  // Defined, not assigned, so that a setter of Object.prototype isn't called.
  for (const name in fields) Object.defineProperty(this, name, { __proto__: null, value: fields[name], writable: true, enumerable: true, configurable: true });
  Object.defineProperty(this, 'parent', { __proto__: null, value: parent, writable: true, configurable: true, enumerable: false });
  if (parent) arrayPush.call(parent.children, this);
}

Module._cache = Object.create(null);
Module._pathCache = Object.create(null);
Module._extensions = Object.create(null);
Module.builtinModules = listed;
Module.isBuiltin = (name) => typeof name === 'string' && builtin.has(stringStartsWith.call(name, 'node:') ? stringSlice.call(name, 5) : name);
Module._nodeModulePaths = nodeModulePaths;
Module.Module = Module;
Module.wrap = (text) => `${head}${text}\n});`;
Module.globalPaths = [];
Module._initPaths = initPaths;
Module._resolveLookupPaths = (request, parent) => lookupPaths(request, parent);
Module.wrapper = [head, '\n});'];
Module.findSourceMap = () => undefined;
Module.syncBuiltinESMExports = () => {};
Module.createRequire = (from) => {
  const { URL, fileURLToPath } = require('url');
  const isURL = from instanceof URL || typeof from === 'string' && !path.isAbsolute(from) && URL.canParse(from);
  if (isURL ? new URL(from).protocol !== 'file:' : typeof from !== 'string' || !path.isAbsolute(from))
    throw invalidArgValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
  if (isURL) from = fileURLToPath(from);
  const module = new Module(from);
  module.filename = from;
  module.paths = nodeModulePaths(path.dirname(from));
  return makeRequire(module);
};

Module._resolveFilename = (request, parent, directory, options) => {
  directory ??= parent?.filename ? path.dirname(parent.filename) : parent?.path ?? workingDirectory();
  let found;
  const starts = options?.paths ?? [directory];
  if (!ArrayIsArray(starts)) throw invalidArgValue('options.paths', starts);
  for (const start of over(starts)) {
    const place = path.resolve(start);
    if (regexpTest(/^(\.\.?(\/|$)|\/)/, request))
      found = asPath(path.resolve(place, request), regexpTest(/(\/|\/\.\.?|^\.\.?)$/, request));
    else
      found = fromScope(request, place, parent?.filename) ?? fromNodeModules(request, arrayConcat.call(nodeModulePaths(place), Module.globalPaths));
    if (found !== undefined) return stdio.realpath(found) ?? found;
  }
  const stack = [];
  for (let at = parent; at; at = at.parent) arrayPush.call(stack, at.filename || at.id);
  let message = `Cannot find module '${request}'`;
  if (stack.length > 0) message += `\nRequire stack:\n- ${arrayJoin.call(stack, '\n- ')}`;
  const error = new Error(message);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = stack;
  throw error;
};

// from: the file that requires it, if there is one
function loadBuiltin(name, prefixed, from) {
  if (builtin.has(name)) return tools.requireBuiltin(name);
  // node:test is the only one that exists only with the prefix.
  if (absent.has(name) && (prefixed || name !== 'test'))
    throw notImplemented(`Module '${name}'`, from);
  if (prefixed) throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: node:${name}`);
  return undefined;
}

Module._load = (request, parent, isMain) => {
  const from = parent?.filename ?? undefined;
  if (stringStartsWith.call(request, 'node:')) return loadBuiltin(stringSlice.call(request, 5), true, from);
  // A program may replace a builtin module.
  if (builtin.has(request)) return Module._cache[request]?.exports ?? loadBuiltin(request, false);
  let file;
  try {
    file = Module._resolveFilename(request, parent);
  } catch (error) {
    // A package may have the name of a module that rondo lacks, so packages are searched first.
    if (error.code === 'MODULE_NOT_FOUND') loadBuiltin(request, false, from);
    throw error;
  }
  const cached = Module._cache[file];
  if (cached !== undefined) {
    if (parent && !arrayIncludes.call(parent.children, cached)) arrayPush.call(parent.children, cached);
    return cached.exports;
  }
  const module = new Module(file, parent);
  if (isMain) {
    process.mainModule = module;
    module.id = '.';
  }
  Module._cache[file] = module;
  let threw = true;
  try {
    module.load(file);
    threw = false;
  } finally {
    if (threw) {
      delete Module._cache[file];
      const at = parent ? arrayIndexOf.call(parent.children, module) : -1;
      if (at >= 0) arraySplice.call(parent.children, at, 1);
    }
  }
  return module.exports;
};

Module.prototype.load = function (file) {
  this.filename = file;
  this.paths = nodeModulePaths(path.dirname(file));
  if (isModuleFile(file)) {
    this.exports = require('internal/esm/modules').requireModule(file);
    this.loaded = true;
    return;
  }
  Module._extensions[extensionOf(file)](this, file);
  this.loaded = true;
};

const isTyped = (file) => regexpTest(/\.[cm]?ts$/, file);

function isModuleFile(file) {
  if (stringEndsWith.call(file, '.mjs') || stringEndsWith.call(file, '.mts')) return true;
  if (stringEndsWith.call(file, '.ts')) {
    const { type } = scopeOf(path.dirname(file))?.found ?? {};
    if (type !== undefined) return type === 'module';
    return require('internal/typescript/strip').strip(stdio.readText(file), file).isModule;
  }
  return path.extname(file) === '.js' && scopeOf(path.dirname(file))?.found.type === 'module';
}

Module.prototype.require = function (id) {
  if (typeof id !== 'string') throw invalidArgType('id', 'of type string', id);
  if (id === '') throw invalidArgValue('id', id, 'must be a non-empty string');
  return Module._load(id, this, false);
};

Module.prototype._compile = function (text, file) {
  if (stringCharCodeAt.call(text, 0) === 0xfeff) text = stringSlice.call(text, 1);
  const imports = hasImport(text);
  const before = imports ? stringReplace.call(head, '__dirname', '__dirname, $import$') : head;
  tools.addSource(file, text, before.length);
  if (stringStartsWith.call(text, '#!')) text = `//${stringSlice.call(text, 2)}`;
  const source = imports ? require('internal/esm/source').rewriteScript(text) : text;
  const call = compileAwaiting(before, text, file) ?? tools.script.evaluate(`${before}${source}\n})`, file, 1);
  const args = [this.exports, makeRequire(this), this, file, path.dirname(file)];
  if (imports) arrayPush.call(args, importFrom(file));
  tools.forgetMatches();
  return Reflect.apply(call, this.exports, args);
};

// While a program uses asynchronous contexts, and for a file that asks for them (internal/contexts_awaits).
const changed = new Set();
const AWAITING_MOST = 512 * 1024;
function compileAwaiting(before, text, file) {
  const isAsked = tools.wrapsAwaits || (text.length < AWAITING_MOST && stringIncludes.call(text, 'async_hooks'));
  if (!isAsked || !regexpTest(/\bawait\b/, text)) return undefined;
  try {
    const call = tools.script.evaluate(`${before}${require('internal/esm/source').rewriteScript(text, true)}\n})`, file, 1);
    changed.add(file);
    return call;
  } catch {
    return undefined; // the text as it is shall say what is wrong with it
  }
}

const hasImport = (text) => stringIncludes.call(text, 'import') && regexpTest(/\bimport\s*\(/, text) ||
  stringIncludes.call(text, 'eval') && regexpTest(/\beval\s*\(/, text);
const importFrom = (file) => require('internal/esm/evaluated').importFor(file);

function makeRequire(module) {
  const require = function require(id) {
    return module.require(id);
  };
  require.resolve = (request, options) => {
    validateString(request, 'request');
    const name = stringStartsWith.call(request, 'node:') ? stringSlice.call(request, 5) : request;
    if (builtin.has(name)) return request;
    return Module._resolveFilename(request, module, undefined, options);
  };
  require.resolve.paths = (request) => {
    validateString(request, 'request');
    return lookupPaths(request, module);
  };
  const fields = { __proto__: null, main: process.mainModule, extensions: Module._extensions, cache: Module._cache };
  for (const name in fields) Object.defineProperty(require, name, { __proto__: null, value: fields[name], writable: true, enumerable: true, configurable: true });
  return require;
}

Module._extensions['.js'] = (module, file) => {
  const text = readAhead?.(file) ?? stdio.readText(file);
  if (module === process.mainModule && stringIncludes.call(text, 'await')) lookAhead(file, text);
  module._compile(text, file);
};

let readAhead; // (file) → its text, if lookAhead has read it
function lookAhead(main, text) {
  const ahead = require('internal/contexts_ahead');
  const resolve = (request, file) => {
    try {
      return Module._resolveFilename(request, undefined, path.dirname(file));
    } catch {
      return undefined;
    }
  };
  tools.wrapsAwaits ||= ahead.asksForContexts(main, text, { isBuiltin: (name) => builtin.has(name) || absent.has(name), resolve });
  readAhead = ahead.take;
}

Module._extensions['.ts'] = Module._extensions['.cts'] = (module, file) => module._compile(textOf(file), file);
Module._extensions['.json'] = (module, file) => {
  const text = stdio.readText(file);
  try {
    module.exports = JSON.parse(stringCharCodeAt.call(text, 0) === 0xfeff ? stringSlice.call(text, 1) : text);
  } catch (error) {
    error.message = `${file}: ${error.message}`;
    throw error;
  }
};
Module._extensions['.node'] = (module, file) => {
  throw notImplemented(`Loading native addons (${file})`);
};

// --- programs ------------------------------------------------------------------------------------

function runMain(file) {
  initPaths();
  const found = Module._resolveFilename(file, null);
  if (isModuleFile(found)) require('internal/esm/modules').runMain(found);
  else Module._load(found, null, true);
}

// -e and standard input: a script whose names are global, with the module's names available.
function runCode(text, name) {
  initPaths();
  const module = new Module(name);
  const here = workingDirectory();
  module.filename = path.join(here, name);
  module.paths = nodeModulePaths(here);
  Object.assign(global, { exports: module.exports, module, require: makeRequire(module) });
  // Code from the command line finds the modules under their names.
  for (const each of over(listed))
    if (!stringIncludes.call(each, '/') && (each === 'crypto' || !(each in global)))
      Object.defineProperty(global, each, { __proto__: null,
        get: () => tools.requireBuiltin(each),
        set: (value) => Object.defineProperty(global, each, { __proto__: null, value, writable: true, enumerable: true, configurable: true }),
        enumerable: false,
        configurable: true,
      });
  global.__filename = name;
  global.__dirname = '.';
  tools.addSource(name, text, 0);
  if (hasImport(text)) {
    Object.defineProperty(global, '$import$', { __proto__: null, value: importFrom(module.filename), configurable: true });
    text = require('internal/esm/source').rewriteScript(text);
  }
  tools.forgetMatches();
  return tools.script.evaluate(text, name, 1);
}

const refuseAbsent = (name, from, prefixed = false) => loadBuiltin(name, prefixed, from);
// The text of a file that is JavaScript.
const textOf = (file) => isTyped(file) ? require('internal/typescript/strip').strip(stdio.readText(file), file).code : stdio.readText(file);

module.exports = { Module, isModuleFile, textOf, packages: { ...packages, fromScope, nodeModulePaths, refuseAbsent }, runCode, runMain };
