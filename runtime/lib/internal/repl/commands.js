'use strict';
// The commands of a prompt: words that begin with a dot. A command does its work and returns what it
// has to say; the prompt follows, unless it returns QUIET.

const { arrayForEach, arrayJoin, arraySort, over, stringPadEnd, stringSplit } = intrinsics;
const fs = require('fs');

const QUIET = Symbol('no prompt');
const NO_FILE = 'The "file" argument must be specified\n';

// --- what the commands do ---------------------------------------------------------------------------

function forget(repl) {
  repl.clearBufferedCommand();
  return '';
}

function forgetAll(repl) {
  forget(repl);
  if (repl.useGlobal) return '';
  repl.output.write('Clearing context...\n'); // before listeners of 'reset' write
  repl.resetContext();
  return '';
}

function leave(repl) {
  repl.close();
  return QUIET;
}

function list(repl) {
  const { commands } = repl;
  const names = arraySort.call(Object.keys(commands));
  let text = '';
  let width = 0;
  for (const { length } of over(names)) width = Math.max(width, length);
  for (const name of over(names)) {
    const { help } = commands[name];
    text += help ? `.${stringPadEnd.call(name, width + 3)}${help}\n` : `.${name}\n`;
  }
  return `${text}\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n`;
}

function save(repl, file) {
  if (file === '') return NO_FILE;
  try {
    fs.writeFileSync(file, arrayJoin.call(repl.lines, '\n'));
    return `Session saved to: ${file}\n`;
  } catch {
    return `Failed to save: ${file}\n`;
  }
}

// The text of a file, or undefined; a folder or a device has none.
function textOf(file) {
  return fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : undefined;
}

function load(repl, file) {
  if (file === '') return NO_FILE;
  let text;
  try {
    text = textOf(file);
  } catch {
    return `Failed to load: ${file}\n`;
  }
  if (text === undefined) return `Failed to load: ${file} is not a valid file\n`;
  feed(repl, text);
  return '';
}

// A text of several lines, as if typed. Editor mode keeps it in one piece.
function feed(repl, text) {
  repl._turnOnEditor();
  repl._isLoading = true;
  const lines = stringSplit.call(text, '\n');
  arrayForEach.call(lines, (line, index) => {
    if (index < lines.length - 1) repl.write(`${line}\n`);
    else if (line !== '') repl.write(line);
  });
  repl._isLoading = false;
  repl._turnOffEditor();
  repl.write('\n');
}

function edit(repl) {
  repl._turnOnEditor();
  repl.output.write('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
  return QUIET;
}

// --- their names --------------------------------------------------------------------------------------

const tableOf = ({ terminal, useGlobal }) => [
  ['break', forget, 'Sometimes you get stuck, this gets you out'],
  ['clear', forgetAll, useGlobal ? 'Alias for .break' : 'Break, and also clear the local context'],
  ['exit', leave, 'Exit the REPL'],
  ['help', list, 'Print this help message'],
  ['save', save, 'Save all evaluated commands in this REPL session to a file'],
  ['load', load, 'Load JS from a file into the REPL session'],
  ...over(terminal ? [['editor', edit, 'Enter editor mode']] : []),
];

function defineAll(repl) {
  for (const { 0: name, 1: command, 2: help } of over(tableOf(repl))) {
    repl.defineCommand(name, {
      help,
      action(argument) {
        const said = command(this, argument);
        if (said === QUIET) return;
        if (said !== '') this.output.write(said);
        if (this._isRunning) this._owesPrompt = true;
        else this.displayPrompt();
      },
    });
  }
}

module.exports = { defineAll };
