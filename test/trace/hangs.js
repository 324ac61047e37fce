// Hangs in the function named as argument, inside a timer's callback, after it has printed
// its process: what a summary must say of it is known. check_hangs runs it.
'use strict';
const fs = require('fs');

function spin() { for (;;) Math.random(); }

function regex() { /^(a+)+$/.test('a'.repeat(60) + 'b'); }

function compare() { for (;;) Math.random(); }
function sort() { [3, 1, 2].sort(compare); }

function replacer() { for (;;) Math.random(); }
function replace() { 'aaa'.replace(/a/g, replacer); }

function toJSON() { for (;;) Math.random(); }
function json() { JSON.stringify({ toJSON }); }

function wait() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }

function fifo() { fs.readFileSync(process.argv[3]); }

function child() { require('child_process').execSync('sleep 100'); }

function hash() { require('crypto').pbkdf2Sync('password', 'salt', 1e9, 64, 'sha512'); }

function zip() { require('zlib').deflateSync(Buffer.alloc(1 << 30, 'abcdefghij'), { level: 9 }); }

// Of blocking.c.
const addon = (name) => require(process.argv[3])[name]();
function sleep() { addon('sleep'); }
function poll() { addon('poll'); }
function mutex() { addon('mutex'); }
function flock() { addon('flock'); }

const hang = { spin, regex, sort, replace, json, wait, fifo, child, hash, zip, sleep, poll, mutex, flock }[process.argv[2]];
setTimeout(function onTimer() {
  fs.writeSync(1, `${process.pid}\n`);
  hang();
}, 20);
