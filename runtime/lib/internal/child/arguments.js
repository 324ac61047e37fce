'use strict';
// Checks the arguments and options of child_process, in Node's order and words, and converts them
// for the native functions. Options are first copied into an object without a prototype, so that
// Object.prototype can't influence what is started, where, or as which user.

const {
  ArrayIsArray, NumberIsInteger, arrayConcat, arrayIncludes, arrayJoin, arrayPush, arraySlice, stringIncludes,
  stringToUpperCase,
} = intrinsics;
const { names, numbers } = require('internal/child/signals');
const { pathOf } = require('internal/fs/util');
const {
  invalidArgType, invalidArgValue, outOfRange, unknownSignal, validateFunction, validateObject, validateString,
} = require('internal/errors');

const MAX_BUFFER = 1024 * 1024;

// --- checks ----------------------------------------------------------------------------------

function withoutNull(value, name) {
  if (typeof value === 'string' && stringIncludes.call(value, '\u0000'))
    throw invalidArgValue(name, value, 'must be a string without null bytes');
}

const typed = (expected, ...types) => (value, name) => {
  if (!arrayIncludes.call(types, typeof value)) throw invalidArgType(name, expected, value);
  withoutNull(value, name);
};
const checkId = (value, name) => {
  if (value !== (value | 0)) throw invalidArgType(name, 'int32', value);
};
const checkBoolean = typed('of type boolean', 'boolean');
const checkText = typed('of type string', 'string');

// The checks of the options, in this order; undefined and null count as not given.
const CHECKS = [
  ['detached', checkBoolean],
  ['uid', checkId],
  ['gid', checkId],
  ['shell', typed('one of type boolean or string', 'boolean', 'string')],
  ['argv0', checkText],
  ['windowsHide', checkBoolean],
  ['windowsVerbatimArguments', checkBoolean],
];

const given = (value) => value !== undefined && value !== null;

function checkTimeout(timeout) {
  if (given(timeout) && !(NumberIsInteger(timeout) && timeout >= 0))
    throw outOfRange('timeout', 'an unsigned integer', timeout);
}

function checkMaxBuffer(maxBuffer) {
  if (given(maxBuffer) && !(typeof maxBuffer === 'number' && maxBuffer >= 0))
    throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
}

function signalOf(signal) {
  const number = typeof signal === 'string' ? numbers[stringToUpperCase.call(signal)] :
    names.has(signal) ? signal : undefined;
  if (number === undefined) throw unknownSignal(signal);
  return number;
}

// The number of a killSignal option; undefined for none.
function killSignalOf(signal) {
  if (!given(signal)) return undefined;
  if (typeof signal !== 'string' && typeof signal !== 'number')
    throw invalidArgType('options.killSignal', 'one of type string or number', signal);
  return signalOf(signal);
}

// --- spawn and spawnSync -----------------------------------------------------------------------

// The environment as texts, including inherited properties, as in Node. A name that occurs twice
// counts once.
function pairsOf(env) {
  const pairs = [];
  for (const key in env) {
    const value = env[key];
    if (value === undefined) continue;
    const name = `options.env['${key}']`;
    withoutNull(key, name);
    withoutNull(`${value}`, name);
    arrayPush.call(pairs, `${key}=${value}`);
  }
  return pairs;
}

// (args, options) or (options) alone: the arguments as a copy.
function splitArguments(args, options) {
  if (ArrayIsArray(args)) return { list: arraySlice.call(args), options };
  if (!given(args)) return { list: [], options };
  if (typeof args !== 'object') throw invalidArgType('args', 'of type object', args);
  return { list: [], options: args };
}

// Reads the arguments of spawn(file, args, options) and the like. `child` of the result is for the
// native functions; the rest are the options unchanged.
function readSpawn(file, args, options) {
  validateString(file, 'file');
  withoutNull(file, 'file');
  if (file === '') throw invalidArgValue('file', file, 'cannot be empty');
  const split = splitArguments(args, options);
  const { list } = split;
  for (let i = 0; i < list.length; i++) withoutNull(list[i], `args[${i}]`);
  if (split.options !== undefined) validateObject(split.options, 'options');
  const wanted = { __proto__: null, ...split.options };
  const cwd = given(wanted.cwd) ? pathOf(wanted.cwd, 'options.cwd') : undefined;
  for (let i = 0; i < CHECKS.length; i++) {
    const name = CHECKS[i][0];
    if (given(wanted[name])) CHECKS[i][1](wanted[name], `options.${name}`);
  }
  const { argv0, shell } = wanted;
  const program = shell ? (shell === true ? '/bin/sh' : shell) : file;
  const rest = shell ? ['-c', arrayJoin.call(arrayConcat.call([file], list), ' ')] : list;
  wanted.file = program;
  wanted.args = arrayConcat.call([argv0 ?? program], rest);
  wanted.child = {
    __proto__: null,
    file: program,
    args: wanted.args,
    env: pairsOf(wanted.env || process.env),
    cwd: cwd?.length > 0 ? cwd : undefined,
    detached: Boolean(wanted.detached),
    uid: wanted.uid ?? undefined,
    gid: wanted.gid ?? undefined,
  };
  return wanted;
}

// --- exec and execFile ----------------------------------------------------------------------------

// execFile(file[, args][, options][, callback])
function readExecFile(args, options, callback) {
  if (typeof args === 'function') ({ 0: args, 1: options, 2: callback } = [[], undefined, args]);
  else if (given(args) && typeof args === 'object' && !ArrayIsArray(args)) ({ 0: args, 1: options, 2: callback } = [[], args, options]);
  if (typeof options === 'function') ({ 0: options, 1: callback } = [undefined, options]);
  if (given(options)) validateObject(options, 'options');
  if (given(callback)) validateFunction(callback, 'callback');
  const wanted = {
    __proto__: null, encoding: 'utf8', timeout: 0, maxBuffer: MAX_BUFFER, killSignal: 'SIGTERM', cwd: null, env: null,
    shell: false, ...options,
  };
  if (given(wanted.argv0)) checkText(wanted.argv0, 'options.argv0');
  return { args: args ?? [], options: wanted, callback };
}

// exec(command[, options][, callback]) and execSync
function readExec(command, options, callback) {
  validateString(command, 'command');
  withoutNull(command, 'command');
  if (typeof options === 'function') ({ 0: options, 1: callback } = [undefined, options]);
  const wanted = { __proto__: null, ...options };
  wanted.shell = typeof wanted.shell === 'string' ? wanted.shell : true;
  return { options: wanted, callback };
}

module.exports = {
  MAX_BUFFER, checkMaxBuffer, checkTimeout, killSignalOf, readExec, readExecFile, readSpawn, signalOf, splitArguments,
};
