'use strict';
// Stats, BigIntStats, StatFs and Dirent. The native functions leave a result's numbers in
// a shared array and call the makers set here.

const { ArrayFrom, arrayFind, arrayMap, over } = intrinsics;
const binding = native('fs');
const path = require('path');
const c = require('internal/fs/constants');

const numbers = binding.statNumbers;
let bigs; // a view of the same numbers as BigInts, made on first use

// The kinds of files: the name of the question, the bits of a mode and the type of a directory's
// entry.
const KINDS = [
  ['isDirectory', c.S_IFDIR, c.UV_DIRENT_DIR],
  ['isFile', c.S_IFREG, c.UV_DIRENT_FILE],
  ['isBlockDevice', c.S_IFBLK, c.UV_DIRENT_BLOCK],
  ['isCharacterDevice', c.S_IFCHR, c.UV_DIRENT_CHAR],
  ['isSymbolicLink', c.S_IFLNK, c.UV_DIRENT_LINK],
  ['isFIFO', c.S_IFIFO, c.UV_DIRENT_FIFO],
  ['isSocket', c.S_IFSOCK, c.UV_DIRENT_SOCKET],
];
const TIMES = ['atime', 'mtime', 'ctime', 'birthtime'];
const STATFS = ['type', 'bsize', 'blocks', 'bfree', 'bavail', 'files', 'ffree'];

function question(holder, name, value, enumerable) {
  Object.defineProperty(holder.prototype, name, { __proto__: null, value, enumerable, writable: true, configurable: true });
}

// The constructors take their values one by one, in the order of the properties. Thousands of Stats
// are made, so the properties common to all are assigned here explicitly; the rest is driven by
// tables. The constructors are plain functions: programs call them on objects of their own.
function FileFacts(self, given) {
  self.dev = given[0];
  self.mode = given[1];
  self.nlink = given[2];
  self.uid = given[3];
  self.gid = given[4];
  self.rdev = given[5];
  self.blksize = given[6];
  self.ino = given[7];
  self.size = given[8];
  self.blocks = given[9];
}
for (const { 0: name, 1: bits } of over(KINDS))
  question(FileFacts, name, function () { return (Number(this.mode) & c.S_IFMT) === bits; }, true);

const dateOf = (ms) => new Date(Math.round(ms));

function Stats(...given) {
  FileFacts(this, given);
  this.atimeMs = given[10];
  this.mtimeMs = given[11];
  this.ctimeMs = given[12];
  this.birthtimeMs = given[13];
  this.atime = dateOf(given[10]);
  this.mtime = dateOf(given[11]);
  this.ctime = dateOf(given[12]);
  this.birthtime = dateOf(given[13]);
}

function BigIntStats(...given) {
  FileFacts(this, given);
  for (let i = 0; i < TIMES.length; i++) this[`${TIMES[i]}Ms`] = given[10 + i] / 1000000n;
  for (let i = 0; i < TIMES.length; i++) this[`${TIMES[i]}Ns`] = given[10 + i];
  for (let i = 0; i < TIMES.length; i++) this[TIMES[i]] = dateOf(Number(this[`${TIMES[i]}Ms`]));
}

function StatFs(...given) {
  for (let i = 0; i < STATFS.length; i++) this[STATFS[i]] = given[i];
}

for (const made of over([Stats, BigIntStats])) Object.setPrototypeOf(made.prototype, FileFacts.prototype);
for (const { 0: made, 1: length } of over([[Stats, 14], [BigIntStats, 14], [StatFs, STATFS.length]]))
  Object.defineProperty(made, 'length', { __proto__: null, value: length, configurable: true });

// Seconds and nanoseconds are adjacent.
const ms = (n, at) => n[at] * 1000 + n[at + 1] / 1000000;
const bigNumbers = () => bigs ??= new BigInt64Array(binding.statBytes.buffer);

function makeStats() {
  const n = numbers;
  return new Stats(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9],
    ms(n, 10), ms(n, 12), ms(n, 14), ms(n, 16));
}

function makeBigStats() {
  const n = bigNumbers();
  return new BigIntStats(...over(n.subarray(0, 10)), ...over(arrayMap.call(TIMES, (_, i) => n[10 + 2 * i] * 1000000000n + n[11 + 2 * i])));
}

const makeStatfs = (big) => Reflect.construct(StatFs, (big ? bigNumbers() : numbers).subarray(0, STATFS.length));

binding.setStats(makeStats, makeBigStats, makeStatfs);

// --- directory entries -----------------------------------------------------------------------

const kType = Symbol('type');

class Dirent {
  constructor(name, type, parent) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    this[kType] = type;
  }
}
for (const { 0: name, 2: type } of over(KINDS))
  question(Dirent, name, { [name]() { return this[kType] === type; } }[name], false);

// Some file systems don't give types in directories: then each entry is stat'ed.
function typeOf(type, parent, name) {
  if (type !== c.UV_DIRENT_UNKNOWN) return type;
  try {
    const mode = binding.lstat(path.join(String(parent), String(name)), false).mode & c.S_IFMT;
    return arrayFind.call(KINDS, ({ 1: bits }) => bits === mode)[2];
  } catch {
    return c.UV_DIRENT_UNKNOWN;
  }
}

// Dirents from alternating names and types.
function makeDirents(entries, parent, encode) {
  return ArrayFrom({ length: entries.length / 2 }, (_, i) => {
    const { 0: name, 1: type } = [entries[2 * i], entries[2 * i + 1]];
    return new Dirent(encode(name), typeOf(type, parent, name), parent);
  });
}

module.exports = { BigIntStats, Dirent, StatFs, Stats, makeDirents };
