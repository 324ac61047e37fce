'use strict';
// What the recorder of `rondo trace` calls the program's functions, and what the engine's
// samples say. Loaded only while a loop is recorded.
//
// The engine doesn't say where a function is defined. Its text is looked for in the files
// that the program has loaded; if it stands there once, that is the place.

// own methods: counts, lines, names, places
const {
  arrayFind, arrayJoin, arrayMap, arrayPush, functionToString, invoke, over, regexpReplace, stringIndexOf, stringSlice,
  stringStartsWith,
} = intrinsics;
const tools = require('internal/tools');
const { EventEmitter } = require('events');
const { listeners } = EventEmitter.prototype;

const PLACES_MOST = 10000;
const names = new WeakMap(); // function → its name
const places = new Map(); // a function's text → "file:line", or '' if that isn't known

const pathOf = (file) => stringStartsWith.call(file, 'file://') ? stringSlice.call(file, 7) : file;

function lineAt(text, end) {
  let line = 1;
  for (let at = stringIndexOf.call(text, '\n'); at !== -1 && at < end; at = stringIndexOf.call(text, '\n', at + 1)) line++;
  return line;
}

function findPlace(text) {
  let found = '';
  tools.eachSource((file, source) => {
    const at = stringIndexOf.call(source, text);
    if (at === -1) return;
    const once = found === '' && stringIndexOf.call(source, text, at + 1) === -1;
    found = once ? `${pathOf(file)}:${lineAt(source, at)}` : 'several';
  });
  return found === 'several' ? '' : found;
}

function placeOf(fn) {
  const text = functionToString.call(fn);
  let place = places.get(text);
  if (place === undefined) {
    place = findPlace(text);
    if (places.size >= PLACES_MOST) places.clear();
    places.set(text, place);
  }
  return place;
}

// A function without a name or place is described by the beginning of its code.
function describe(fn) {
  const given = Object.getOwnPropertyDescriptor(fn, 'name')?.value;
  const place = placeOf(fn);
  const name = typeof given === 'string' ? given : '';
  if (place !== '') return `${name === '' ? '(anonymous)' : name} ${place}`;
  return name !== '' ? name :
    stringSlice.call(regexpReplace(/\s+/g, stringSlice.call(functionToString.call(fn), 0, 200), ' '), 0, 48);
}

function nameOf(fn) {
  if (typeof fn !== 'function') return '(anonymous)';
  let name = names.get(fn);
  if (name === undefined) {
    name = describe(fn);
    names.set(fn, name);
  }
  return name;
}

// A function of the runtime that is called for a socket or server: it will call the program's
// listener.
function listenerOf(subject) {
  if (!(subject instanceof EventEmitter)) return undefined;
  return arrayFind.call(invoke(listeners, subject, 'data'), (fn) => placeOf(fn) !== '') ??
    arrayFind.call(invoke(listeners, subject, 'connection'), (fn) => placeOf(fn) !== '');
}

const nameOfCall = (fn, subject) => nameOf(placeOf(fn) === '' ? listenerOf(subject) ?? fn : fn);

// --- the engine's samples ------------------------------------------------------------------

const NO_LINE = 0xffffffff;

// For each function the line with most samples, so that samples which differ only in the line
// become one path.
function commonLines(traces) {
  const lines = new Map();
  for (const { frames } of over(traces))
    for (const { sourceID, name, line } of over(frames)) {
      const key = `${sourceID} ${name}`;
      if (!lines.has(key)) lines.set(key, new Map());
      const counts = lines.get(key);
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  const common = new Map();
  lines.forEach((counts, key) => {
    let most = 0;
    counts.forEach((count, line) => {
      if (count <= most) return;
      most = count;
      common.set(key, line);
    });
  });
  return common;
}

function frameName({ sourceID, name }, files, lines) {
  const file = files.get(sourceID);
  const line = lines.get(`${sourceID} ${name}`);
  const called = name === '' ? '(anonymous)' : name === '(program)' ? '(main script)' : name;
  return file === undefined || line === NO_LINE ? called : `${called} ${file}:${line}`;
}

// A line for each sample since then: the time in microseconds, and its frames.
function readSamples(json, from) {
  const { traces, sources } = JSON.parse(json);
  const files = new Map();
  for (const { sourceID, url } of over(sources)) if (url) files.set(sourceID, pathOf(url));
  const lines = commonLines(traces);
  const list = [];
  for (const { timestamp, frames } of over(traces)) {
    if (timestamp * 1e6 < from) continue;
    const called = arrayMap.call(frames, (frame) => regexpReplace(/[\n\t]/g, frameName(frame, files, lines), ' '));
    arrayPush.call(list, `${Math.round(timestamp * 1e6)}\t${arrayJoin.call(called, '\t')}`);
  }
  return arrayJoin.call(list, '\n');
}

native('names').set(nameOfCall, readSamples);

module.exports = { nameOf };
