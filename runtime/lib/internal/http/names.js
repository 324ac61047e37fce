'use strict';
// What `rondo trace` and `rondo sim` call the requests: "GET /report". Loaded only for them.

const { arrayIncludes, arrayJoin, arrayPush, arraySlice, invoke, stringIndexOf, stringSlice } = intrinsics;
const binding = native('names');
const { listeners } = require('events').prototype;
const tools = require('internal/tools');

const USES_MOST = 3;
const uses = new WeakMap(); // socket → the requests that it was for

// A path goes without its query, which may be long and may be secret.
function pathOf(url) {
  const text = `${url}`;
  const query = stringIndexOf.call(text, '?');
  return query < 0 ? text : stringSlice.call(text, 0, query);
}

// The callback that brings a response is named after its request and the program's listener; what
// brings a request, internal/names names.
function rename(route, emitter, event) {
  const { nameOf } = require('internal/names');
  const listener = invoke(listeners, emitter, event)[0];
  binding.nameRunning(typeof listener === 'function' ? `${route} ${nameOf(listener)}` : route);
}

function describe(socket, route, isServer) {
  const { _handle: handle } = socket;
  if (handle === null || typeof handle !== 'object') return;
  const list = uses.get(socket) ?? [];
  if (arrayIncludes.call(list, route)) return;
  arrayPush.call(list, route);
  uses.set(socket, list);
  const shown = arrayJoin.call(arraySlice.call(list, 0, USES_MOST), ' and ');
  binding.describe(handle, `the ${isServer ? 'connection' : 'socket'} for ${shown}${list.length > USES_MOST ? ' …' : ''}`);
}

// A request has come in, or has got its socket.
tools.noteRequest = (socket, method, url, emitter, event) => {
  const route = `${method} ${pathOf(url)}`;
  if (binding.described) describe(socket, route, event === 'request');
  if (binding.wanted && event !== 'request') rename(route, emitter, event);
};
