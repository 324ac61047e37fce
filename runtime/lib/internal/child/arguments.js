'use strict';
// What child_process is asked for: arguments and options checked, in Node's order and words,
// and put into the form that the native functions take. Options are copied into an object
// without a prototype before anything is read of them, so that Object.prototype has no say
// in what is started, where, or as whom.

const { names, numbers } = require('internal/child/signals');
const { pathOf } = require('internal/fs/util');
const {
  coded, invalidArgType, invalidArgValue, outOfRange, validateFunction, validateObject, validateString,
} = require('internal/errors');

const MAX_BUFFER = 1024 * 1024;

// --- checks ----------------------------------------------------------------------------------

function withoutNull(value, name) {
  if (typeof value === 'string' && value.includes('\u0000'))
    throw invalidArgValue(name, value, 'must be a string without null bytes');
}

const typed = (expected, ...types) => (value, name) => {
  if (!types.includes(typeof value)) throw invalidArgType(name, expected, value);
  withoutNull(value, name);
};
const checkId = (value, name) => {
  if (value !== (value | 0)) throw invalidArgType(name, 'int32', value);
};
const checkBoolean = typed('of type boolean', 'boolean');
const checkText = typed('of type string', 'string');

// What is looked at in the options, in this order; undefined and null are no options.
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
  if (given(timeout) && !(Number.isInteger(timeout) && timeout >= 0))
    throw outOfRange('timeout', 'an unsigned integer', timeout);
}

function checkMaxBuffer(maxBuffer) {
  if (given(maxBuffer) && !(typeof maxBuffer === 'number' && maxBuffer >= 0))
    throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
}

function signalOf(signal) {
  const number = typeof signal === 'string' ? numbers[signal.toUpperCase()] :
    names.has(signal) ? signal : undefined;
  if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
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

// The environment as texts, with what it inherits, as Node has it. A name that is there twice
// counts once.
function pairsOf(env) {
  const pairs = [];
  for (const key in env) {
    const value = env[key];
    if (value === undefined) continue;
    const name = `options.env['${key}']`;
    withoutNull(key, name);
    withoutNull(`${value}`, name);
    pairs.push(`${key}=${value}`);
  }
  return pairs;
}

// (args, options) or (options) alone: the arguments as a copy.
function splitArguments(args, options) {
  if (Array.isArray(args)) return { list: args.slice(), options };
  if (!given(args)) return { list: [], options };
  if (typeof args !== 'object') throw invalidArgType('args', 'of type object', args);
  return { list: [], options: args };
}

// What spawn(file, args, options) and its kin are given. `child` of the result is what the
// native functions take, the rest the options as they are.
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
  const rest = shell ? ['-c', [file].concat(list).join(' ')] : list;
  wanted.file = program;
  wanted.args = [argv0 ?? program].concat(rest);
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
  if (typeof args === 'function') [args, options, callback] = [[], undefined, args];
  else if (given(args) && typeof args === 'object' && !Array.isArray(args)) [args, options, callback] = [[], args, options];
  if (typeof options === 'function') [options, callback] = [undefined, options];
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
  if (typeof options === 'function') [options, callback] = [undefined, options];
  const wanted = { __proto__: null, ...options };
  wanted.shell = typeof wanted.shell === 'string' ? wanted.shell : true;
  return { options: wanted, callback };
}

module.exports = {
  MAX_BUFFER, checkMaxBuffer, checkTimeout, killSignalOf, readExec, readExecFile, readSpawn, signalOf, splitArguments,
};
