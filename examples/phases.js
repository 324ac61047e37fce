'use strict';
// The phases of the loop, ticks and microtasks, in the order they run, each line with the
// reason. Run it: build/rondo examples/phases.js (Node prints the same).

const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

let line = 0;
const say = (what, why) => console.log(`${String(++line).padStart(2)}  ${what.padEnd(28)}${why}`);

// Ticks and microtasks that follow whatever runs right now.
function around(what) {
  process.nextTick(() => say(`  tick of ${what}`, 'after the callback that queued it, before anything else'));
  Promise.resolve().then(() => say(`  microtask of ${what}`, 'when no tick is left'));
}

process.once('beforeExit', () => {
  say('beforeExit', 'nothing is left to do: a last chance to start something');
  setImmediate(() => say('immediate', 'started by beforeExit, so the loop turns once more'));
});
process.on('exit', () => say('exit', 'the end; nothing that is started here will run'));

setTimeout(() => {
  say('timer', 'timers phase: 1 ms have passed');
  around('timer');
}, 1);
setTimeout(() => say('second timer', 'same duration, so right behind the first and its ticks'), 1);

setImmediate(() => {
  say('immediate', 'check phase: behind the timers, which were due by then');
  around('immediate');
  setImmediate(() => {
    say('immediate of an immediate', 'check phase of the next turn: no phase starves the others');
    openFile();
  });
});

function openFile() {
  fs.readFile(__filename, () => {
    say('file', 'poll phase: the file has been read');
    around('file');
    setTimeout(() => {
      say('timer', 'timers phase of the turn after');
      closeSocket();
    }, 0);
    setImmediate(() => say('immediate', 'before the timer: check follows poll'));
  });
}

function closeSocket() {
  const name = path.join(os.tmpdir(), `rondo-phases-${process.pid}.sock`);
  const server = net.createServer((socket) => socket.end());
  server.listen(name, () => {
    const socket = net.connect(name, () => {
      say('socket', 'poll phase: the connection is there');
      server.close();
      socket.destroy();
      setImmediate(() => say('immediate', 'check phase, still ahead of the closing phase'));
    });
    socket.on('close', () => {
      say('close', 'closing phase, the last of a turn');
      around('close');
    });
  });
}

say('main script', 'runs to its end before the loop begins');
around('main script');
const start = Date.now();
while (Date.now() - start < 5); // now the timers are due when the loop begins
say('main script ends', 'its ticks come next, then its microtasks');
