'use strict';
// The commands of a prompt: words that begin with a dot.

const { arrayForEach, arrayJoin, arraySort, stringPadEnd, stringSplit } = intrinsics;
const fs = require('fs');

const EDITOR = '// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n';

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

function defineAll(repl) {
  repl.defineCommand('break', {
    help: 'Sometimes you get stuck, this gets you out',
    action() {
      this.clearBufferedCommand();
      this.displayPrompt();
    },
  });
  repl.defineCommand('clear', {
    help: repl.useGlobal ? 'Alias for .break' : 'Break, and also clear the local context',
    action() {
      this.clearBufferedCommand();
      if (!this.useGlobal) {
        this.output.write('Clearing context...\n');
        this.resetContext();
      }
      this.displayPrompt();
    },
  });
  repl.defineCommand('exit', {
    help: 'Exit the REPL',
    action() { this.close(); },
  });
  repl.defineCommand('help', {
    help: 'Print this help message',
    action() {
      const names = arraySort.call(Object.keys(this.commands));
      let width = 0;
      arrayForEach.call(names, (name) => { width = Math.max(width, name.length); });
      arrayForEach.call(names, (name) => {
        const { help } = this.commands[name];
        this.output.write(help ? `.${stringPadEnd.call(name, width)}   ${help}\n` : `.${name}\n`);
      });
      this.output.write('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n');
      this.displayPrompt();
    },
  });
  repl.defineCommand('save', {
    help: 'Save all evaluated commands in this REPL session to a file',
    action(file) {
      try {
        if (file === '') throw new Error('The "file" argument must be specified');
        fs.writeFileSync(file, arrayJoin.call(this.lines, '\n'));
        this.output.write(`Session saved to: ${file}\n`);
      } catch {
        this.output.write(file === '' ? 'The "file" argument must be specified\n' : `Failed to save: ${file}\n`);
      }
      this.displayPrompt();
    },
  });
  repl.defineCommand('load', {
    help: 'Load JS from a file into the REPL session',
    action(file) {
      let text;
      try {
        if (file !== '' && fs.statSync(file).isFile()) text = fs.readFileSync(file, 'utf8');
      } catch {
        // Said below.
      }
      if (text !== undefined) feed(this, text);
      else if (file === '') this.output.write('The "file" argument must be specified\n');
      else this.output.write(fs.existsSync(file) ? `Failed to load: ${file} is not a valid file\n` : `Failed to load: ${file}\n`);
      this.displayPrompt();
    },
  });
  if (repl.terminal)
    repl.defineCommand('editor', {
      help: 'Enter editor mode',
      action() {
        this._turnOnEditor();
        this.output.write(EDITOR);
      },
    });
}

module.exports = { defineAll };
