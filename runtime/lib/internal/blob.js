'use strict';
// Blob and File: bytes that don't change, in parts that blobs share with each other. A part may
// also be a range of a file, which is read on demand.

const {
  ArrayBufferIsView, DateNow, PromiseResolve, SymbolFor, arrayIncludes, arrayPush, given, numberToString, over,
  promiseThen, regexpReplace, regexpTest, stringToLowerCase, typedarraySet, typedarraySlice, typedarraySubarray,
} = intrinsics;
const { coded, invalidArgType, invalidArgValue, missingArgs, notImplemented } = require('internal/errors');
const kinds = require('internal/kinds');

const inspectCustom = SymbolFor('nodejs.util.inspect.custom');
const kMake = Symbol('make');

const isRange = (part) => part.path !== undefined;
const lengthOf = (part) => isRange(part) ? part.end - part.start : part.length;
const cut = (part, from, to) => isRange(part) ?
  { ...part, start: part.start + from, end: part.start + to } : typedarraySubarray.call(part, from, to);

// A type must consist of characters that headers may contain; otherwise it is "".
const typeOf = (type) => regexpTest(/^[ -~]*$/, type) ? stringToLowerCase.call(type) : '';
const wellFormed = (text) => require('buffer').Buffer.from(text).toString();

function partsFrom(source, native) {
  if (isBlob(source)) return blobParts(source);
  if (ArrayBufferIsView(source))
    return [typedarraySlice.call(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))];
  if (kinds.isAnyArrayBuffer(source)) return [typedarraySlice.call(new Uint8Array(source))];
  const text = `${source}`;
  return [require('buffer').Buffer.from(native ? regexpReplace(/\r\n/g, text, '\n') : text)];
}

// --- reading --------------------------------------------------------------------------------------

const unreadable = () => new (require('internal/clone').DOMException)('The blob could not be read', 'NotReadableError');

// A file that was written to since can't be read any more.
async function readRange({ path, start, end, size, mtimeMs }) {
  const fs = require('fs/promises');
  let handle;
  try {
    handle = await fs.open(path);
    const now = await handle.stat();
    if (now.size !== size || now.mtimeMs !== mtimeMs) throw unreadable();
    const bytes = new Uint8Array(end - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    if (bytesRead !== bytes.length) throw unreadable();
    return bytes;
  } catch {
    throw unreadable();
  } finally {
    await handle?.close();
  }
}

// Takes as many microtasks as Node for the same number of parts, so that the order is the same.
async function read(blob) {
  const result = new Uint8Array(blob.size);
  let at = 0;
  let isFirst = true;
  for (const part of over(blobParts(blob))) {
    if (!isFirst) await undefined;
    isFirst = false;
    typedarraySet.call(result, isRange(part) ? await readRange(part) : await part, at);
    at += lengthOf(part);
  }
  return result.buffer;
}

// --- classes --------------------------------------------------------------------------------------

let isBlob, blobParts;

// Getters and methods throw for objects that aren't blobs.
function check(value) {
  if (!isBlob(value)) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type Blob');
  return value;
}

class Blob {
  #parts;
  #size = 0;
  #type;

  static {
    isBlob = (value) => value !== null && typeof value === 'object' && #parts in value;
    blobParts = (blob) => blob.#parts;
  }

  constructor(sources = [], options = {}) {
    if (options === kMake) {
      this.#parts = sources.parts;
      this.#type = sources.type;
    } else {
      if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function')
        throw invalidArgType('sources', 'a sequence', sources);
      if (options !== null && typeof options !== 'object' && typeof options !== 'function')
        throw invalidArgType('options', 'a dictionary', options);
      const { type = '', endings = 'transparent' } = options ?? {};
      if (!arrayIncludes.call(['transparent', 'native'], `${endings}`)) throw invalidArgValue('options.endings', `${endings}`);
      this.#parts = [];
      for (const source of given(sources))
        for (const part of over(partsFrom(source, `${endings}` === 'native'))) arrayPush.call(this.#parts, part);
      this.#type = typeOf(`${type}`);
    }
    for (const part of over(this.#parts)) this.#size += lengthOf(part);
  }

  get type() { return check(this).#type; }
  get size() { return check(this).#size; }

  slice(start = 0, end = check(this).#size, type = '') {
    const size = check(this).#size;
    const place = (value) => Math.max(0, Math.min(value < 0 ? size + Math.trunc(value) : Math.trunc(value) || 0, size));
    const { 0: from, 1: to } = [place(start), place(end)];
    const parts = [];
    let at = 0;
    for (const part of over(this.#parts)) {
      const length = lengthOf(part);
      // As in Node, a part that ends where the slice begins is kept as an empty part.
      if (from < to && at < to && from - at <= length)
        arrayPush.call(parts, cut(part, Math.max(from - at, 0), Math.min(to - at, length)));
      at += length;
    }
    return new Blob({ parts, type: typeOf(`${type}`) }, kMake);
  }

  arrayBuffer() { return readChecked(this); }
  text() { return promiseThen.call(readChecked(this), (buffer) => new (require('internal/encoding').TextDecoder)().decode(buffer)); }
  bytes() { return promiseThen.call(readChecked(this), (buffer) => new Uint8Array(buffer)); }

  stream() {
    check(this);
    throw notImplemented('Blob.prototype.stream');
  }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return this;
    const { size, type } = this;
    return describe('Blob', { size, type }, options, inspect);
  }
}

function readChecked(blob) {
  return isBlob(blob) ? read(blob) : promiseThen.call(PromiseResolve(), () => check(blob));
}

const describe = (name, facts, options, inspect) =>
  `${name} ${inspect(facts, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;

class File extends Blob {
  #name;
  #lastModified;

  constructor(fileBits, fileName, options = {}) {
    if (arguments.length < 2) throw missingArgs('The "fileBits" and "fileName" arguments');
    super(fileBits, options);
    const { lastModified } = options ?? {};
    this.#lastModified = lastModified === undefined ? DateNow() : +lastModified || 0;
    this.#name = wellFormed(`${fileName}`);
  }

  get name() { return this.#name; }
  get lastModified() { return this.#lastModified; }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return this;
    const { size, type, name, lastModified } = this;
    return describe('File', { size, type, name, lastModified }, options, inspect);
  }
}

for (const Class of over([Blob, File]))
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value: Class.name, configurable: true });
for (const { 0: Class, 1: names } of over([[Blob, ['type', 'size', 'slice', 'arrayBuffer', 'text', 'stream']], [File, ['name', 'lastModified']]]))
  for (const name of over(names)) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
Object.defineProperty(Blob.prototype.slice, 'length', { __proto__: null, value: 0, configurable: true });

// --- addresses and files ------------------------------------------------------------------------------

const addresses = new Map();

function createObjectURL(blob) {
  if (!isBlob(blob)) throw invalidArgType('obj', 'an instance of Blob', blob);
  const digits = (pattern) => regexpReplace(/x/g, pattern, () => numberToString.call(Math.floor(Math.random() * 16), 16));
  const address = `blob:nodedata:${digits('xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx')}`;
  addresses.set(address, blob);
  return address;
}

const copyOf = (blob) => new Blob({ parts: blobParts(blob), type: blob.type }, kMake);

function resolveObjectURL(address) {
  const blob = addresses.get(`${address}`);
  return blob === undefined ? undefined : copyOf(blob);
}

function openAsBlob(path, options = {}) {
  const fs = require('fs');
  require('internal/errors').validateObject(options, 'options');
  const { type = '' } = options;
  require('internal/errors').validateString(type, 'options.type');
  const name = require('internal/fs/util').pathOf(path);
  const found = fs.statSync(name, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'Unable to open file as blob');
  const { size, mtimeMs } = found;
  return PromiseResolve(new Blob({ parts: [{ path: name, start: 0, end: size, size, mtimeMs }], type: typeOf(type) }, kMake));
}

module.exports = {
  Blob, File, copyOf, createObjectURL, isBlob, openAsBlob, resolveObjectURL,
  revokeObjectURL: (address) => { addresses.delete(`${address}`); },
};
