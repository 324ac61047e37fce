'use strict';
// What the recorder of `rondo trace` calls the program's functions. Loaded only while a
// loop is recorded.
//
// The engine doesn't say where a function is defined. Its text is looked for in the files
// that the program has loaded; if it stands there once, that is the place.

// own methods: names, places
const { arrayFind, functionToString, invoke, regexpReplace, stringIndexOf, stringSlice, stringStartsWith } = intrinsics;
const tools = require('internal/tools');
const { EventEmitter } = require('events');
const { listeners } = EventEmitter.prototype;

const PLACES_MOST = 10000;
const URL_MOST = 200;
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
    arrayFind.call(invoke(listeners, subject, 'connection'), (fn) => placeOf(fn) !== '') ??
    arrayFind.call(invoke(listeners, subject, 'request'), (fn) => placeOf(fn) !== '');
}

const nameOfCall = (fn, subject) => nameOf(placeOf(fn) === '' ? listenerOf(subject) ?? fn : fn);

native('names').set(nameOfCall);

// The callback that is running only calls this function of the program's.
tools.nameAfter = (fn) => {
  if (typeof fn === 'function' && placeOf(fn) !== '') native('names').nameRunning(nameOf(fn));
};

// The callback that has brought a request is called by it: "GET /page showPage /app/server.js:9".
tools.nameRequest = ({ method, url }, server) => {
  const path = regexpReplace(/[?#][^]*/, stringSlice.call(url, 0, URL_MOST), '');
  const handler = invoke(listeners, server, 'request')[0];
  native('names').nameRunning(`${method} ${path}${handler === undefined ? '' : ` ${nameOf(handler)}`}`);
};

module.exports = { nameOf };
