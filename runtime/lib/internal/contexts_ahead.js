'use strict';
// Whether a program will ask for asynchronous contexts, found out before its first line runs, so
// that its `await`s can be read as internal/contexts_awaits says: the main file and what it
// requires, as far as that is written plainly, are searched for the name async_hooks. Only for a
// main file with `await` in it, and not for more than some files; what is read is kept for the
// loader.

const { arrayPush, over, regexpMatchAll, stringIncludes, stringStartsWith } = intrinsics;
const path = require('path');
const stdio = native('stdio');

const FILES_MOST = 16;
const SIZE_MOST = 64 * 1024;
const REQUIRE = /\brequire\(\s*["']([^"'\n]+)["']\s*\)/g;

const texts = new Map(); // file → text

// Takes the text of a file that was read ahead.
function take(file) {
  const text = texts.get(file);
  if (text !== undefined) texts.delete(file);
  return text;
}

function read(file) {
  try {
    const text = stdio.readText(file);
    texts.set(file, text);
    return text;
  } catch {
    return ''; // the loader will say what is wrong with it
  }
}

// load: { isBuiltin(name), resolve(request, file) }
function asksForContexts(main, mainText, load) {
  const queue = [main];
  const seen = new Set(queue);
  for (let i = 0; i < queue.length && i < FILES_MOST; i++) {
    const text = i === 0 ? mainText : read(queue[i]);
    if (text.length > SIZE_MOST) continue;
    if (stringIncludes.call(text, 'async_hooks')) return true;
    for (const { 1: request } of over(regexpMatchAll(REQUIRE, text))) {
      if (queue.length >= FILES_MOST || stringStartsWith.call(request, 'node:') || load.isBuiltin(request)) continue;
      const file = load.resolve(request, queue[i]);
      if (file === undefined || seen.has(file) || path.extname(file) !== '.js') continue;
      seen.add(file);
      arrayPush.call(queue, file);
    }
  }
  return false;
}

module.exports = { asksForContexts, take };
