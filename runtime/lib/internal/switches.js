'use strict';
// The options of the command line that JavaScript acts on, and those of NODE_OPTIONS. Loaded only if there are any.

const { arrayConcat, arrayPush, over, regexpExec, regexpMatchAll, regexpReplace } = intrinsics;
const tools = require('internal/tools');

// What an option's value is added to, or stored as; true for those that have none.
const LISTS = {
  __proto__: null, '-r': 'required', '--require': 'required', '--import': 'imported', '-C': 'conditions', '--conditions': 'conditions',
  '--env-file': 'envFiles', '--watch-path': 'watchPaths',
};
const VALUES = {
  __proto__: null, '--input-type': 'inputType', '--unhandled-rejections': 'rejections', '--stack-trace-limit': 'frames',
  '-e': 'code', '--eval': 'code', '-p': 'code', '--print': 'code', '-pe': 'code',
};
const FLAGS = {
  __proto__: null, '-c': 'isCheck', '--check': 'isCheck', '-i': 'isInteractive', '--interactive': 'isInteractive', '--watch': 'isWatch',
  '--watch-preserve-output': 'keepsOutput',
};
const NOT_IN_ENVIRONMENT = { __proto__: null, isCheck: true, isInteractive: true, code: true };

// The words of NODE_OPTIONS: separated by spaces, which quotes protect.
function words(text) {
  const list = [];
  for (const { 0: word } of over(regexpMatchAll(/(?:"(?:[^"\\]|\\.)*"|[^\s"]+)+/g, text)))
    arrayPush.call(list, regexpReplace(/"((?:[^"\\]|\\.)*)"/g, word, (all, inner) => regexpReplace(/\\(.)/g, inner, (pair, sign) => sign)));
  return list;
}

function refuse(problem, code = 9) {
  native('stdio').write(2, `${native('process').argv0}: ${problem}\n`);
  native('process').leave(code);
}

function take(settings, list, isEnvironment) {
  for (let i = 0; i < list.length; i++) {
    const { 1: name, 2: joined } = regexpExec.call(/^(--[^=]+)=([^]*)$/, list[i]) ?? [undefined, list[i]];
    const field = LISTS[name] ?? VALUES[name] ?? FLAGS[name];
    if (field === undefined) continue; // of another kind, or Node's alone
    if (isEnvironment && NOT_IN_ENVIRONMENT[field]) refuse(`${name} is not allowed in NODE_OPTIONS`);
    if (name in FLAGS) {
      settings[field] = true;
      continue;
    }
    const value = joined ?? list[++i];
    if (value === undefined) {
      if (isEnvironment) refuse(`a value is missing after ${name} in NODE_OPTIONS`);
      continue;
    }
    if (name in LISTS) arrayPush.call(settings[field], value);
    else settings[field] = value;
  }
}

// Those of the environment come first, so that the command line goes before them where only one counts.
function read() {
  const settings = {
    required: [], imported: [], conditions: [], envFiles: [], watchPaths: [], inputType: undefined, rejections: undefined, frames: undefined,
    isCheck: false, isInteractive: false, isWatch: false, keepsOutput: false, code: undefined,
  };
  take(settings, words(native('process').envGet('NODE_OPTIONS') ?? ''), true);
  take(settings, tools.options.switches, false);
  if (settings.watchPaths.length > 0) settings.isWatch = true;
  if (settings.isCheck && settings.code !== undefined) refuse('either --check or --eval can be used, not both');
  if (settings.isCheck && settings.isInteractive) refuse('either --check or --interactive can be used, not both');
  return settings;
}

// Everything that changes how the program runs, before any of it does.
function settle(settings) {
  for (const file of over(settings.envFiles))
    try {
      require('internal/env_file').loadEnvFile(file);
    } catch (error) {
      refuse(error.code === 'ENOENT' ? `${file}: not found` : `${file}: ${error.message}`);
    }
  if (settings.frames !== undefined) global.Error.stackTraceLimit = +settings.frames;
  if (settings.conditions.length > 0) require('internal/packages').addConditions(settings.conditions);
  tools.rejectionMode = settings.rejections;
}

// All options that count, as words.
const all = () => arrayConcat.call(words(native('process').envGet('NODE_OPTIONS') ?? ''), tools.options.switches);

module.exports = { all, read, refuse, settle };
