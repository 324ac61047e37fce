'use strict';
// The history of a prompt in a file that only its user can read: one line each, the newest first, replaced as
// a whole, so that a program that is killed loses nothing.

const { arrayJoin, arrayFilter, arraySlice, regexpSplit } = intrinsics;
const fs = require('fs');
const path = require('path');

const MODE = 0o600;

// Returns an error, if there is one.
function write(file, lines) {
  try {
    let target = file;
    try {
      target = fs.realpathSync(file);
    } catch {
      // The file doesn't exist yet.
    }
    const beside = `${target}.${process.pid}`;
    fs.writeFileSync(beside, `${arrayJoin.call(lines, '\n')}\n`, { mode: MODE });
    fs.renameSync(beside, target);
    return undefined;
  } catch (error) {
    return error;
  }
}

// Reads the file and keeps it up to date. Calls back with (error, repl); without a file the history stays in memory.
function setupHistory(repl, file, callback) {
  const warn = (words) => {
    repl._writeToOutput(`\n${words}\nREPL session history will not be persisted.\n`);
    repl._refreshLine?.();
  };
  if (typeof file !== 'string' || file === '') {
    callback(null, repl);
    return;
  }
  let text = '';
  try {
    text = fs.readFileSync(file, 'utf8');
    if (fs.statSync(file).isFile()) fs.chmodSync(file, MODE);
  } catch (error) {
    if (error.code !== 'ENOENT') {
      warn(`Error: Could not open history file (${error.code}).`);
      callback(null, repl);
      return;
    }
    const failed = fs.existsSync(path.dirname(file)) ? write(file, []) : error;
    if (failed !== undefined) {
      warn(`Error: Could not open history file (${failed.code}).`);
      callback(null, repl);
      return;
    }
  }
  const old = arrayFilter.call(regexpSplit(/[\r\n]+/, text), (line) => line !== '');
  repl.history = arraySlice.call(old, 0, repl.historySize);
  let hasFailed = false;
  const save = () => {
    if (!hasFailed && write(file, repl.history) !== undefined) {
      hasFailed = true;
      warn('Error: Could not write the history file.');
    }
  };
  repl.on('history', save);
  repl._saveHistory = save;
  callback(null, repl);
}

module.exports = { setupHistory };
