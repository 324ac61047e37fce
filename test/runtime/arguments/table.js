'use strict';
// Every function below with every wrong value in the place of each of its arguments: what is
// thrown (name, code, message), or that nothing is. Runs on Node and on rondo alike; a line is
//   module.function(place = value) what
// usage: table.js [MODULE ...] | --list

const fs = require('fs');
const os = require('os');
const path = require('path');

const f = function named() {};
const VALUES = [
  ['undefined', undefined], ['null', null], ['-1', -1], ['NaN', NaN], ['1.5', 1.5], ['2**53', 2 ** 53], ["''", ''], ["'x'", 'x'],
  ['{}', () => ({})], ['[]', () => []], ['Symbol', Symbol('s')], ['function', () => f], ['true', true], ['1n', 1n],
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-arguments-'));
process.chdir(folder);
fs.writeFileSync('file', 'content');
fs.mkdirSync('folder');
const fd = fs.openSync('file', 'r+');
const cb = () => {};
const bytes = Buffer.from('abcdefgh');

// Calls by module: name → [how to make the function, its arguments]; `only` limits the places.
const calls = {};
const add = (module, name, make, args, only) => (calls[module] ??= []).push({ name, make, args, only });
// Functions of an object, called on it.
const all = (module, object, table) => {
  for (const [name, args, only] of table) add(module, name, () => (...given) => object[name](...given), args, only);
};
// Methods of a fresh object each time.
const methods = (module, title, make, table) => {
  for (const [name, args, only] of table)
    add(module, `${title}.${name}`, () => {
      const object = make();
      object.on?.('error', () => {});
      return (...given) => {
        try {
          return object[name](...given);
        } finally {
          object.destroy?.();
          if (title === 'dgram') try { object.close(); } catch {}
        }
      };
    }, args, only);
};

module.exports = { add, all, bytes, calls, cb, f, fd, folder, methods };
require('./calls_fs.js');
require('./calls_events.js');
require('./calls_net.js');
require('./calls_data.js');
require('./calls_system.js');

// Calls that end Node 20 itself.
const isFatal = (module, name, shown) => module === 'fs' && shown === 'Symbol' && FATAL.test(name);
const FATAL = /^(close|f[a-z]+|readv?|writev?)(Sync)?$/;

const clean = (text) => String(text).replaceAll(folder, '<folder>').replace(/\n[^]*/, '').slice(0, 220);

function described(error) {
  if (error === null || typeof error !== 'object') return `threw ${typeof error}`;
  return `${error.name} ${error.code} ${clean(error.message)}`;
}

const told = [];
const SHOWN = process.env.ARGUMENTS_SHOWN === '1'; // each call before it is made, for one that ends the program
async function tried(title, call, args) {
  if (SHOWN) fs.writeSync(2, `${title}\n`);
  let result;
  try {
    result = call(...args);
  } catch (error) {
    told.push(`${title} throws ${described(error)}`);
    return;
  }
  if (typeof result?.then !== 'function') {
    told.push(`${title} ok`);
    return;
  }
  // What a promise says at once counts; what waits for the world doesn't.
  let settled = 'ok promise';
  result.then(() => {}, (error) => { settled = `rejects ${described(error)}`; });
  for (let i = 0; i < 20; i++) await undefined;
  told.push(`${title} ${settled}`);
}

process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // what process.kill takes for none
process.removeAllListeners('warning');

(async () => {
  const wanted = process.argv.slice(2);
  if (wanted[0] === '--list') return void console.log(Object.keys(calls).join('\n'));
  for (const module of Object.keys(calls)) {
    if (wanted.length > 0 && !wanted.includes(module)) continue;
    for (const { name, make, args, only } of calls[module]) {
      let places = args.map((_, place) => place);
      if (only !== undefined) places = only;
      for (const place of places)
        for (const [shown, value] of VALUES) {
          const given = args.map((arg) => typeof arg === 'function' && arg.fresh ? arg() : arg);
          given[place] = typeof value === 'function' ? value() : value;
          if (!isFatal(module, name, shown)) await tried(`${module}.${name}(${place} = ${shown})`, make(), given);
        }
      for (let count = 0; count < args.length; count++)
        if (only === undefined) await tried(`${module}.${name}(${count} arguments)`, make(), args.slice(0, count));
    }
  }
  const text = Buffer.from(`${told.join('\n')}\n`);
  for (let at = 0; at < text.length;) {
    try {
      at += fs.writeSync(1, text, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error; // a pipe that is full, and doesn't block
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  process.chdir('/');
  fs.rmSync(folder, { recursive: true, force: true });
  process.reallyExit(0);
})();
