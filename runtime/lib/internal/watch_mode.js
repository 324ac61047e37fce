'use strict';
// rondo --watch: runs the program as a child, and again whenever one of its files changes. The child writes the
// name of each file that it loads to a pipe.

const { arrayFilter, arrayForEach, arrayPop, arrayPush, arraySlice, over, regexpTest, stringSplit } = intrinsics;
const tools = require('internal/tools');

const QUIET = 200; // milliseconds in which several changes count as one
const PIPE = 3;

// --- in the child: called before the program is loaded -------------------------------------------------------

function report() {
  delete process.env.RONDO_WATCHED;
  const stdio = native('stdio');
  require('internal/loader'); // sets tools.addSource
  const { addSource } = tools;
  tools.addSource = (file, text, skip) => {
    addSource(file, text, skip);
    stdio.write(PIPE, `${file}\n`);
  };
}

// --- in the parent ---------------------------------------------------------------------------------------------

const isOurs = (word) => regexpTest(/^--watch(?:$|-path|-preserve-output)/, word);

// The command line without the options of this mode.
function commandLine() {
  const { switches } = tools.options;
  const list = [];
  for (let i = 0; i < switches.length; i++) {
    if (!isOurs(switches[i])) arrayPush.call(list, switches[i]);
    else if (switches[i] === '--watch-path') i++;
  }
  return [...over(list), ...over(arraySlice.call(process.argv, 1))];
}

class Watcher {
  constructor(settings) {
    this.settings = settings;
    this.name = tools.options.file ?? '-';
    this.watched = new Map(); // folder → { handle, names }
    this.child = undefined;
    this.timer = undefined;
  }

  say(words) { process.stdout.write(`${words}\n`); }

  start() {
    const { spawn } = require('child_process');
    const child = this.child = spawn(process.execPath, commandLine(), {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env: { ...process.env, RONDO_WATCHED: '1' },
    });
    let rest = '';
    child.stdio[PIPE].on('data', (chunk) => {
      const files = stringSplit.call(rest + String(chunk), '\n');
      rest = arrayPop.call(files);
      if (this.settings.watchPaths.length === 0) arrayForEach.call(files, (file) => this.add(file));
    });
    child.on('error', (error) => this.say(`Failed running '${this.name}': ${error.message}`));
    // At 'close' its pipe is at the end, so that all of its files are watched when its end is reported.
    child.on('close', (code) => {
      if (this.child !== child) return;
      this.child = undefined;
      this.say(code === 0 ? `Completed running '${this.name}'` : `Failed running '${this.name}'`);
    });
  }

  // A file is watched by its folder: editors replace files.
  add(file) {
    if (regexpTest(/^file:/, file)) file = require('url').fileURLToPath(file);
    const path = require('path');
    if (!path.isAbsolute(file)) return;
    const folder = path.dirname(file);
    let entry = this.watched.get(folder);
    if (entry === undefined) {
      entry = { names: new Set(), handle: undefined };
      this.watched.set(folder, entry);
      try {
        entry.handle = require('fs').watch(folder, (event, name) => {
          if (name === null || entry.names.has(name)) this.changed();
        });
        entry.handle.on('error', () => {});
      } catch (error) {
        this.say(`Can't watch ${folder}: ${error.message}`);
      }
    }
    entry.names.add(path.basename(file));
  }

  addTree(place) {
    const fs = require('fs');
    const path = require('path');
    const found = path.resolve(place);
    try {
      if (!fs.statSync(found).isDirectory()) {
        this.add(found);
        return;
      }
      fs.watch(found, () => this.changed()).on('error', () => {});
      arrayForEach.call(arrayFilter.call(fs.readdirSync(found, { withFileTypes: true }), (entry) => entry.isDirectory() && entry.name !== 'node_modules'),
        (entry) => this.addTree(path.join(found, entry.name)));
    } catch (error) {
      switchesRefuse(`--watch-path ${place}: ${error.message}`);
    }
  }

  changed() {
    const { clearTimeout, setTimeout } = require('timers');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.restart(), QUIET);
  }

  restart() {
    if (!this.settings.keepsOutput && process.stdout.isTTY) process.stdout.write('\x1bc');
    this.say(`Restarting '${this.name}'`);
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
      this.start();
      return;
    }
    child.once('exit', () => this.start());
    child.kill('SIGTERM');
  }

  stop(signal, code) {
    const { child } = this;
    if (child === undefined) process.exit(code);
    child.once('exit', () => process.exit(code));
    child.kill(signal);
  }
}
const switchesRefuse = (problem) => require('internal/switches').refuse(problem);

function watch(settings) {
  if (tools.options.file === undefined || tools.options.file === '-') switchesRefuse('--watch needs a script (cure: rondo --watch app.js)');
  const watcher = new Watcher(settings);
  arrayForEach.call(settings.watchPaths, (place) => watcher.addTree(place));
  if (settings.watchPaths.length === 0) watcher.add(process.argv[1]);
  process.on('SIGTERM', () => watcher.stop('SIGTERM', 143));
  process.on('SIGINT', () => watcher.stop('SIGTERM', 130));
  watcher.start();
}

module.exports = { report, watch };
