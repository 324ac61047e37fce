'use strict';
// Runs a program with the options of the command line: what is loaded before it, a check instead of it, a prompt after it.

const { over } = intrinsics;
const switches = require('internal/switches');
const tools = require('internal/tools');
const { options } = tools;

function preload(list) {
  if (list.length === 0) return;
  const { Module } = require('internal/loader');
  const parent = new Module('internal/preload');
  parent.path = process.cwd();
  parent.paths = Module._nodeModulePaths(parent.path);
  for (const name of over(list)) Module._load(name, parent, false);
}

async function importAll(list) {
  const { importFrom } = require('internal/esm/modules');
  for (const name of over(list)) await importFrom(name, `${process.cwd()}/[import]`);
}

function runModuleText(text, name) {
  require('internal/esm/modules').runText(text, name);
}

function runText(settings, text, name) {
  if (settings.inputType === 'module') {
    if (options.print) switches.refuse('--print cannot be used with ES modules');
    runModuleText(text, name);
    return;
  }
  const value = require('internal/loader').runCode(text, name);
  if (options.print) require('internal/console').log(value);
}

function runMainPart(settings, runProgram) {
  const isFile = options.file !== undefined && options.file !== '-';
  if (settings.isCheck) {
    require('internal/check').check(isFile ? process.argv[1] : undefined, settings.inputType);
    return;
  }
  if (settings.inputType !== undefined && isFile) switches.refuse('--input-type can only be used with string input via --eval, --print, or STDIN');
  if (settings.isInteractive) {
    if (settings.inputType !== undefined) {
      native('stdio').write(2, 'Cannot specify --input-type for REPL\n');
      native('process').leave(1);
    }
    if (options.code !== undefined) runText(settings, options.code, '[eval]');
    else if (isFile) runProgram();
    require('internal/prompt').start();
  } else if (options.code !== undefined && settings.inputType !== undefined) {
    runText(settings, options.code, '[eval1]');
  } else if (!isFile && settings.inputType !== undefined) {
    runText(settings, native('stdio').readText(0), '[stdin]');
  } else {
    runProgram();
  }
}

// runProgram: runs what the command line names.
function runWith(settings, runProgram) {
  switches.settle(settings);
  if (settings.isWatch) {
    require('internal/watch_mode').watch(settings);
    return;
  }
  if (process.env.RONDO_WATCHED !== undefined) require('internal/watch_mode').report();
  preload(settings.required);
  if (settings.imported.length === 0) {
    runMainPart(settings, runProgram);
    return;
  }
  (async () => {
    try {
      await importAll(settings.imported);
      runMainPart(settings, runProgram);
    } catch (error) {
      native('process').uncaught(error);
    }
  })();
}

module.exports = { runWith };
