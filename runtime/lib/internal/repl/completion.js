'use strict';
// The offers of the tab key at a prompt: names of globals, members of the value before the dot,
// modules, files, and the prompt's own commands.

const {
  GenuineObject, arrayFilter, arrayForEach, arrayMap, arrayPush, arraySort, over, regexpExec, regexpSplit, regexpTest, stringEndsWith, stringSplit, stringStartsWith,
} = intrinsics;
const path = require('path');

const KEYWORDS = stringSplit.call('async await break case catch const continue debugger default delete do else export false finally for ' +
  'function if import in instanceof let new null return switch this throw true try typeof var void while with yield', ' ');
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$_]*$/u;
// A path of names before the cursor: a, a.b, a?.b, a['b'].c
const MEMBER = /(?:^|[^\p{ID_Continue}$.\])])((?:[\p{ID_Start}$_][\p{ID_Continue}$_]*)(?:\??\.[\p{ID_Start}$_][\p{ID_Continue}$_]*|\[(?:\d+|'[^']*'|"[^"]*")\])*)(\??\.)([\p{ID_Continue}$_]*)$/u;
const LITERAL = /(["'`])(?:(?!\1)[^\\]|\\.)*\1(\.)([\w$]*)$|\/(?:[^/\\]|\\.)+\/[a-z]*(\.)([\w$]*)$|\](\.)([\w$]*)$/;
const SIMPLE = /(?:^|[^\p{ID_Continue}$.])([\p{ID_Start}$_][\p{ID_Continue}$_]*)$/u;
const MODULE = /\b(?:require|import)\s*\(\s*(["'`])((?:[^\\]|\\.)*?)$/;
const FILES = /fs(?:\.promises)?\.[a-zA-Z]+\(\s*(["'])([^"']*)$/;

// Names of an object's own properties that can be written behind a dot.
function namesOf(object) {
  try {
    return arrayFilter.call(Object.getOwnPropertyNames(object), (name) => regexpTest(NAME, name));
  } catch {
    return [];
  }
}

// Groups of names: of the object itself, of its prototype, and so on.
function memberGroups(value) {
  const groups = [];
  let at = value === null || value === undefined ? null : typeof value === 'object' || typeof value === 'function' ? value : Object.getPrototypeOf(value);
  if (at === null) return groups;
  for (let depth = 0; at !== null && depth < 100; depth++) {
    arrayPush.call(groups, namesOf(at));
    try {
      at = Object.getPrototypeOf(at);
    } catch {
      break;
    }
  }
  return groups;
}

function globalGroups(repl) {
  const { context } = repl;
  const groups = [arrayFilter.call(namesOf(context), (name) => !stringStartsWith.call(name, '$'))];
  if (context !== global) arrayPush.call(groups, namesOf(global));
  let at = Object.getPrototypeOf(global);
  while (at !== null) {
    arrayPush.call(groups, namesOf(at));
    at = Object.getPrototypeOf(at);
  }
  arrayPush.call(groups, KEYWORDS);
  return groups;
}

// The value of a path of names, without calling anything: getters are left alone. undefined if there is none.
function valueOf(repl, expression) {
  const parts = regexpSplit(/\??\.|\[|\]/, expression);
  const names = arrayMap.call(arrayFilter.call(parts, (part) => part !== ''), (part) => regexpExec.call(/^(["'])(.*)\1$/, part)?.[2] ?? part);
  let value = repl.context;
  for (let i = 0; i < names.length; i++) {
    if (value === null || value === undefined) return undefined;
    if (i === 0 && names[0] === 'this') continue;
    let holder = GenuineObject(value);
    while (holder !== null && !Object.hasOwn(holder, names[i])) holder = Object.getPrototypeOf(holder);
    if (holder === null && i === 0 && names[i] in global) {
      value = global[names[i]];
      continue;
    }
    const { get, value: found } = holder === null ? {} : Object.getOwnPropertyDescriptor(holder, names[i]);
    // The runtime's own globals are made at their first use.
    if (get !== undefined && i > 0) return undefined;
    value = get === undefined ? found : value[names[i]];
  }
  return value;
}

// Groups of what begins as typed, without repetitions, sorted, an empty text between two groups.
function offered(groups, typed, prefix = '') {
  const seen = new Set();
  const list = [];
  const before = prefix + typed;
  for (let i = groups.length - 1; i >= 0; i--) {
    const fit = arraySort.call(arrayFilter.call(groups[i], (name) => stringStartsWith.call(name, typed) && !seen.has(name)));
    if (fit.length === 0) continue;
    if (list.length > 0) arrayPush.call(list, '');
    arrayForEach.call(fit, (name) => {
      seen.add(name);
      arrayPush.call(list, prefix + name);
    });
  }
  return [list, before];
}

// --- modules and files -----------------------------------------------------------------------------------------

function entriesOf(directory) {
  try {
    return require('fs').readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function moduleNames(typed) {
  const { Module } = require('internal/loader');
  const names = [];
  if (regexpTest(/^\.{0,2}\//, typed)) {
    const folder = regexpExec.call(/^.*\//, typed)[0];
    for (const entry of over(entriesOf(path.resolve(folder)))) {
      if (entry.isDirectory()) arrayPush.call(names, `${folder}${entry.name}/`);
      else if (regexpTest(/\.[cm]?js$|\.json$|\.ts$/, entry.name)) arrayPush.call(names, folder + regexpExec.call(/^(.*?)(?:\.js)?$/, entry.name)[1]);
    }
    return names;
  }
  for (const name of over(Module.builtinModules))
    if (!stringStartsWith.call(name, '_')) arrayPush.call(names, name, `node:${name}`);
  for (const directory of over(Module._nodeModulePaths(process.cwd())))
    for (const { name } of over(entriesOf(directory)))
      if (!stringStartsWith.call(name, '.')) arrayPush.call(names, name);
  return names;
}

function fileNames(typed) {
  const folder = regexpExec.call(/^(?:.*\/)?/, typed)[0];
  return arrayMap.call(entriesOf(path.resolve(folder === '' ? '.' : folder)), (entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
}

// --- one line -----------------------------------------------------------------------------------------------------

function answer(repl, line) {
  const command = regexpExec.call(/^\s*\.(\w*)$/, line);
  if (command !== null && repl.bufferedInput === '') {
    const { 0: list } = offered([Object.keys(repl.commands)], command[1]);
    return [arrayMap.call(list, (name) => `.${name}`), `.${command[1]}`];
  }
  const module = regexpExec.call(MODULE, line);
  if (module !== null) return offered([moduleNames(module[2])], module[2]);
  const file = regexpExec.call(FILES, line);
  if (file !== null) return offered([fileNames(file[2])], file[2]);
  if (regexpTest(/^\s*\.load\s+|^\s*\.save\s+/, line)) {
    const typed = regexpExec.call(/\S*$/, line)[0];
    return offered([fileNames(typed)], typed);
  }
  const member = regexpExec.call(MEMBER, line);
  if (member !== null) {
    const { 1: expression, 2: dot, 3: typed } = member;
    return offered(memberGroups(valueOf(repl, expression)), typed, expression + dot);
  }
  const literal = regexpExec.call(LITERAL, line);
  if (literal !== null) {
    const value = literal[2] !== undefined ? '' : literal[4] !== undefined ? /x/ : [];
    const typed = literal[3] ?? literal[5] ?? literal[7];
    return [offered(memberGroups(value), typed)[0], typed];
  }
  if (stringEndsWith.call(line, '.') || regexpTest(/['"`]$/, line)) return [[], undefined];
  const typed = line === '' ? '' : regexpExec.call(SIMPLE, line)?.[1];
  return typed === undefined && !regexpTest(/[\s(,;{[=+&|!?:<>*-]$/, line) ? [[], undefined] : offered(globalGroups(repl), typed ?? '');
}

function complete(repl, line, callback) {
  let result;
  try {
    result = answer(repl, line);
  } catch (error) {
    callback(error);
    return;
  }
  callback(null, result);
}

module.exports = { complete };
