'use strict';
// Stats, BigIntStats, StatFs and Dirent. The native functions leave a result's numbers in
// a shared array and call the makers set here.

const binding = native('fs');
const path = require('path');
const c = require('internal/fs/constants');

const numbers = binding.statNumbers;
let bigs; // a view of the same numbers as BigInts, made at the first use

const KINDS = {
  isDirectory: c.S_IFDIR,
  isFile: c.S_IFREG,
  isBlockDevice: c.S_IFBLK,
  isCharacterDevice: c.S_IFCHR,
  isSymbolicLink: c.S_IFLNK,
  isFIFO: c.S_IFIFO,
  isSocket: c.S_IFSOCK,
};

const time = (ms) => new Date(Math.round(ms));

class StatsBase {
  constructor(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks) {
    this.dev = dev;
    this.mode = mode;
    this.nlink = nlink;
    this.uid = uid;
    this.gid = gid;
    this.rdev = rdev;
    this.blksize = blksize;
    this.ino = ino;
    this.size = size;
    this.blocks = blocks;
  }
}
for (const [name, kind] of Object.entries(KINDS)) {
  Object.defineProperty(StatsBase.prototype, name, {
    value() {
      return (Number(this.mode) & c.S_IFMT) === kind;
    },
    writable: true, configurable: true, enumerable: true,
  });
}

class Stats extends StatsBase {
  constructor(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks,
              atimeMs, mtimeMs, ctimeMs, birthtimeMs) {
    super(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
    this.atimeMs = atimeMs;
    this.mtimeMs = mtimeMs;
    this.ctimeMs = ctimeMs;
    this.birthtimeMs = birthtimeMs;
    this.atime = time(atimeMs);
    this.mtime = time(mtimeMs);
    this.ctime = time(ctimeMs);
    this.birthtime = time(birthtimeMs);
  }
}

class BigIntStats extends StatsBase {
  constructor(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks,
              atimeNs, mtimeNs, ctimeNs, birthtimeNs) {
    super(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
    this.atimeMs = atimeNs / 1000000n;
    this.mtimeMs = mtimeNs / 1000000n;
    this.ctimeMs = ctimeNs / 1000000n;
    this.birthtimeMs = birthtimeNs / 1000000n;
    this.atimeNs = atimeNs;
    this.mtimeNs = mtimeNs;
    this.ctimeNs = ctimeNs;
    this.birthtimeNs = birthtimeNs;
    this.atime = time(Number(this.atimeMs));
    this.mtime = time(Number(this.mtimeMs));
    this.ctime = time(Number(this.ctimeMs));
    this.birthtime = time(Number(this.birthtimeMs));
  }
}

const ms = (n, at) => n[at] * 1000 + n[at + 1] / 1000000;

function makeStats() {
  const n = numbers;
  return new Stats(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9],
    ms(n, 10), ms(n, 12), ms(n, 14), ms(n, 16));
}

function makeBigStats() {
  const n = bigs ??= new BigInt64Array(binding.statBytes.buffer);
  const ns = (at) => n[at] * 1000000000n + n[at + 1];
  return new BigIntStats(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9],
    ns(10), ns(12), ns(14), ns(16));
}

class StatFs {
  constructor(type, bsize, blocks, bfree, bavail, files, ffree) {
    this.type = type;
    this.bsize = bsize;
    this.blocks = blocks;
    this.bfree = bfree;
    this.bavail = bavail;
    this.files = files;
    this.ffree = ffree;
  }
}

function makeStatfs(big) {
  if (!big) return new StatFs(...numbers.subarray(0, 7));
  bigs ??= new BigInt64Array(binding.statBytes.buffer);
  return new StatFs(...bigs.subarray(0, 7));
}
binding.setStats(makeStats, makeBigStats, makeStatfs);

const kType = Symbol('type');

class Dirent {
  constructor(name, type, parent) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    this[kType] = type;
  }
  isDirectory() { return this[kType] === c.UV_DIRENT_DIR; }
  isFile() { return this[kType] === c.UV_DIRENT_FILE; }
  isBlockDevice() { return this[kType] === c.UV_DIRENT_BLOCK; }
  isCharacterDevice() { return this[kType] === c.UV_DIRENT_CHAR; }
  isSymbolicLink() { return this[kType] === c.UV_DIRENT_LINK; }
  isFIFO() { return this[kType] === c.UV_DIRENT_FIFO; }
  isSocket() { return this[kType] === c.UV_DIRENT_SOCKET; }
}

const TYPES = [
  [c.S_IFREG, c.UV_DIRENT_FILE], [c.S_IFDIR, c.UV_DIRENT_DIR], [c.S_IFLNK, c.UV_DIRENT_LINK],
  [c.S_IFIFO, c.UV_DIRENT_FIFO], [c.S_IFSOCK, c.UV_DIRENT_SOCKET], [c.S_IFCHR, c.UV_DIRENT_CHAR],
  [c.S_IFBLK, c.UV_DIRENT_BLOCK],
];

// Some file systems don't tell types in a directory: ask each entry then.
function typeOf(type, parent, name) {
  if (type !== c.UV_DIRENT_UNKNOWN) return type;
  try {
    const mode = binding.lstat(path.join(String(parent), String(name)), false).mode & c.S_IFMT;
    return TYPES.find(([bits]) => bits === mode)[1];
  } catch {
    return c.UV_DIRENT_UNKNOWN;
  }
}

// Dirents of names and types in turn.
function makeDirents(entries, parent, encode) {
  const dirents = [];
  for (let i = 0; i < entries.length; i += 2)
    dirents.push(new Dirent(encode(entries[i]), typeOf(entries[i + 1], parent, entries[i]), parent));
  return dirents;
}

module.exports = { BigIntStats, Dirent, StatFs, Stats, makeDirents };
