'use strict';
// Preloaded into Node by `rondo sim` when a finding is described: reports from which line of the
// program each request and handle comes, before libuv gets it, and what passes over a handle.
// Where anything is missing, nothing is reported, and what isn't certain isn't said.
//
// A handle's description is also kept beside it (DESCRIBED), where names.js finds it for recordings.
(() => {
  let addon;
  try {
    const module = { exports: {} };
    process.dlopen(module, require('path').join(__dirname, 'rondo-node.node'));
    addon = module.exports;
  } catch {
    return; // not on Rondo's library, or a Node without Node-API
  }
  const { relative } = require('path');
  const DESCRIBED = Symbol.for('rondo.described');

  // --- places ------------------------------------------------------------------------------

  const outside = /(?:\(| )((?:file:\/\/)?\/[^()]*):(\d+):\d+\)?$/;

  function stackLines() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const lines = String(new Error().stack).split('\n').slice(1);
    Error.stackTraceLimit = stackTraceLimit;
    return lines;
  }

  // The innermost frame that is neither Node's nor ours.
  function placeIn(lines) {
    for (const line of lines) {
      const found = outside.exec(line);
      if (found === null || found[1].includes(__filename)) continue;
      const file = found[1].replace(/^file:\/\//, '');
      const short = relative(process.cwd(), file);
      return `${short.startsWith('..') ? file : short}:${found[2]}`;
    }
    return '';
  }

  // "server (a.js:4)", and for a second one of that line "server (a.js:4, the 2nd)".
  const seen = new Map();
  function named(what, place) {
    const count = (seen.get(what + place) ?? 0) + 1;
    seen.set(what + place, count);
    const end = count % 100 > 10 && count % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][count % 10] ?? 'th';
    const which = count === 1 ? '' : `the ${count}${end}`;
    const details = [place, which].filter((part) => part !== '').join(', ');
    return details === '' ? what : `${what} (${details})`;
  }

  // --- requests of files, names and the pool -----------------------------------------------

  const FILES = new Set(['FSREQCALLBACK', 'FSREQPROMISE', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP']);

  // Node's names of the resources whose work is done by the pool.
  const WORK = new Map(Object.entries({
    PBKDF2REQUEST: 'pbkdf2', SCRYPTREQUEST: 'scrypt', RANDOMBYTESREQUEST: 'randomBytes', HKDFREQUEST: 'hkdf',
    KEYPAIRGENREQUEST: 'generateKeyPair', KEYGENREQUEST: 'generateKey', SIGNREQUEST: 'sign or verify',
    RANDOMPRIMEREQUEST: 'generatePrime', CHECKPRIMEREQUEST: 'checkPrime', HASHREQUEST: 'hash',
    CIPHERREQUEST: 'encrypt or decrypt', DERIVEBITSREQUEST: 'deriveBits', ARGON2REQUEST: 'argon2',
    DHREQUEST: 'diffieHellman', ECDHREQUEST: 'diffieHellman',
  }));

  // So that a recording calls it alike.
  function mark(resource, what, place) {
    if (place !== '') Object.defineProperty(resource, DESCRIBED, { value: `${what} (${place})`, configurable: true });
  }

  // A compressor gives the pool work whenever it is written to, so long as it lives.
  function watchZlib(handle, place) {
    if (typeof handle.write !== 'function') return;
    const { write } = handle;
    const name = handle.constructor.name === 'Zlib' ? 'zlib' : handle.constructor.name.replace(/(En|De)coder$/, '').toLowerCase();
    mark(handle, `the end of ${name}`, place);
    handle.write = function (...given) {
      addon.work(name);
      addon.origin(place);
      return write.apply(this, given);
    };
  }

  // --- handles -------------------------------------------------------------------------------

  const handles = new Map(); // by the number that async_hooks gives them: what is said of them

  function say(entry) {
    const uses = entry.uses.length === 0 ? '' : `, for ${entry.uses.slice(0, 3).join(' and ')}${entry.uses.length > 3 ? ' …' : ''}`;
    const words = entry.name + uses;
    if (words === entry.said) return;
    entry.said = words;
    addon.describe(entry.id, words);
    try {
      entry.resource[DESCRIBED] = words;
    } catch { /* it can't be extended */ }
  }

  function describe(id, resource, name) {
    const entry = { id, resource, name, uses: [], said: '' };
    handles.set(id, entry);
    say(entry);
    return entry;
  }

  function rename(handle, name) {
    const entry = handles.get(handle?.getAsyncId?.());
    if (entry === undefined) return;
    entry.name = name;
    say(entry);
  }

  const entryOf = (socket) => handles.get((socket?._handle?._parentWrap ?? socket?._handle)?.getAsyncId?.());

  function use(socket, what) {
    const entry = entryOf(socket);
    if (entry === undefined || entry.uses.includes(what)) return;
    entry.uses.push(what);
    say(entry);
  }

  // A request that a parser of HTTP calls back for has come over its connection.
  function nameParser(resource) {
    const get = () => {
      const said = entryOf(resource.socket ?? resource.req?.socket)?.said;
      return said && `what has arrived on ${said}`;
    };
    Object.defineProperty(resource, DESCRIBED, { get });
  }

  function ownerOf(handle) {
    const symbol = Object.getOwnPropertySymbols(handle).find(({ description }) => description === 'owner_symbol');
    return symbol === undefined ? undefined : handle[symbol];
  }

  // A child's streams are known by the child, once it has been started.
  let child; // the one that is being started: its pipes come next
  function nameChild({ resource, place, pipes }) {
    const owner = ownerOf(resource);
    if (owner === undefined) return;
    const file = typeof owner.spawnfile === 'string' ? ` '${owner.spawnfile.split('/').pop()}'` : '';
    const name = named(`child${file}`, place);
    rename(resource, `the end of ${name}`);
    const streams = ['stdin', 'stdout', 'stderr'];
    const others = new Set(pipes);
    (owner.stdio ?? []).forEach((stream, index) => {
      const id = stream?._handle?.getAsyncId?.();
      if (!others.delete(id)) return;
      const entry = handles.get(id);
      entry.name = `${streams[index] ?? `descriptor ${index}`} of ${name}`;
      say(entry);
    });
    // fork() has one pipe that is none of the child's streams.
    if (others.size === 1 && typeof owner.send === 'function') {
      const entry = handles.get([...others][0]);
      entry.name = `the channel of ${name}`;
      say(entry);
    }
  }

  // A worker's ports come with the worker: Node's own, some between main threads, and then the two
  // ends of the program's, of which the first stays here.
  let worker;
  function namePort(id, resource, lines, place) {
    if (worker !== undefined && lines.some((line) => line.includes('new Worker'))) {
      if (lines.some((line) => line.includes('createMainThreadPort'))) return;
      worker.ports++;
      const what = worker.ports === 2 ? 'a message from' : worker.ports === 1 ? "Node's own message from" : 'a port of';
      const entry = describe(id, resource, `${what} a worker (${worker.place})`);
      const { resource: started, place: from } = worker;
      queueMicrotask(() => {
        if (!(started.threadId > 0)) return;
        entry.name = `${what} worker ${started.threadId} (${from})`;
        say(entry);
      });
    } else if (place !== '') {
      describe(id, resource, named('a message to port', place));
    }
  }

  const KINDS = new Map(Object.entries({
    TCPSERVERWRAP: 'server', PIPESERVERWRAP: 'server', UDPWRAP: 'datagram socket', TTYWRAP: 'terminal',
    FSEVENTWRAP: 'watched file', SIGNALWRAP: 'signal', TCPWRAP: 'connection', PIPEWRAP: 'pipe',
  }));


  // A handle that Node makes after a look-up or a tick is from where that is.
  const { executionAsyncId, createHook } = require('async_hooks');
  const PLACES_MOST = 10000;
  const places = new Map();
  function notePlace(id, place) {
    const known = place || places.get(executionAsyncId());
    if (known && places.size < PLACES_MOST) places.set(id, known);
  }

  function nameHandle(id, type, trigger, resource) {
    const lines = stackLines();
    const isServer = type === 'TCPSERVERWRAP' || type === 'PIPESERVERWRAP';
    const place = placeIn(lines) || (isServer ? places.get(executionAsyncId()) ?? '' : '');
    if (type === 'PROCESSWRAP') {
      child = { resource, place, pipes: [] };
      describe(id, resource, named('the end of a child', place));
      const started = child;
      queueMicrotask(() => nameChild(started));
    } else if (type === 'PIPEWRAP' && child !== undefined && lines.some((line) => /spawn|getValidStdio/.test(line))) {
      child.pipes.push(id);
      describe(id, resource, 'a pipe of a child');
    } else if (type === 'WORKER') {
      worker = { resource, place, ports: 0 };
    } else if (type === 'MESSAGEPORT') {
      namePort(id, resource, lines, place);
    } else if (place !== '') {
      describe(id, resource, named(KINDS.get(type), place));
    } else if (handles.has(trigger) && /^server/.test(handles.get(trigger).name)) {
      describe(id, resource, named(`connection of ${handles.get(trigger).name}`, ''));
    }
  }

  function init(id, type, trigger, resource) {
    if (FILES.has(type)) {
      const place = placeIn(stackLines());
      addon.origin(place);
      if (type === 'GETADDRINFOREQWRAP') notePlace(id, place);
    } else if (type === 'TickObject' && places.size < PLACES_MOST) {
      notePlace(id, placeIn(stackLines()));
    } else if (WORK.has(type)) {
      const place = placeIn(stackLines());
      addon.work(WORK.get(type));
      addon.origin(place);
      mark(resource, `the end of ${WORK.get(type)}`, place);
    } else if (type === 'ZLIB') {
      watchZlib(resource, placeIn(stackLines()));
    } else if (type === 'HTTPINCOMINGMESSAGE' || type === 'HTTPCLIENTREQUEST') {
      nameParser(resource);
    } else if (KINDS.has(type) || type === 'PROCESSWRAP' || type === 'WORKER' || type === 'MESSAGEPORT') {
      nameHandle(id, type, trigger, resource);
    }
  }

  createHook({ init }).enable();

  // In a worker the port to its parent was there before this script: it is the handle that keeps the
  // loop alive if the port is to, and doesn't otherwise.
  const { isMainThread, parentPort, threadId } = require('worker_threads');
  const PARENT = 0x7fffffff;
  if (!isMainThread && parentPort) {
    const words = `a message to worker ${threadId}`;
    addon.countReferenced();
    parentPort.ref();
    addon.describeReferenced(PARENT, words);
    parentPort.unref();
    parentPort[DESCRIBED] = words;
  }

  // --- http ------------------------------------------------------------------------------------

  const pathOf = (url) => String(url).split('?')[0];
  const channel = (name, listener) => require('diagnostics_channel').channel(name).subscribe(listener);

  channel('http.server.request.start', ({ request, socket }) => use(socket, `${request.method} ${pathOf(request.url)}`));
  channel('http.client.request.start', ({ request }) => {
    const what = `${request.method} ${pathOf(request.path)}`;
    if (request.socket) use(request.socket, what);
    else request.once('socket', (socket) => use(socket, what));
  });
})();
