// The language's own functions, saved before any code of a program has run. A program may
// replace Array.prototype.push, Object.keys or the global Map, on purpose or through a
// polyfill; the runtime's JavaScript never reaches them by way of what a program can change.
//
// How a file of runtime/lib is written (tools/lint-js checks it):
//
// - Names: every global that a file may use is one of this object's fields; the wrapper
//   around a file (runtime/embed.c) puts the constructors and namespaces among them into
//   scope. `Object`, `Reflect`, `JSON` and `Math` are copies, so that
//   `Object.keys(x)` is safe as it stands. `Map`, `Set`, `WeakMap` and `WeakSet` are classes
//   of our own with prototypes of their own: `map.get(k)` is safe, but none of them is handed
//   to a program. The others are the genuine constructors: good for `new` and `instanceof`.
// - Methods: `const { arrayPush, stringSlice } = intrinsics;`, then `arrayPush.call(list, v)`.
//   A method here has a `call` and an `apply` of its own, so that neither of them can be
//   replaced, and the engine inlines such a call as it does `list.push(v)`. Nothing but
//   `.call` and `.apply` is done with a name that begins with a small letter; the names of
//   helpers (`over`, `given`, `regexpTest`, …, below) are called as they are.
// - Statics of genuine constructors have a capital letter: `ArrayIsArray(x)`, `DateNow()`.
// - A function of the program is called as `fn(a)`, `Reflect.apply(fn, self, list)` or
//   `invoke(fn, self, a, b)`, never by way of its own `call` or `apply`.
// - Iteration: `for (const item of over(list))` or an index; `{ 0: a, 1: b } = list` instead
//   of `[a, b] = list`; `Reflect.apply(f, self, list)` instead of `f(...list)`. Where the
//   program's own iterator is meant, `given(iterable)` says so.
// - Promises: `await`, or `promiseThen.call(promise, …)`.
// - Descriptors begin with `__proto__: null`, or a polluted Object.prototype would be read.
(function (global, names) {
  'use strict';

  const { Map, Object, Promise, RegExp, Set, Symbol } = global;
  const { defineProperties, getOwnPropertyDescriptor, getOwnPropertyDescriptors, getPrototypeOf, hasOwn, setPrototypeOf } = Object;
  const { isArray } = global.Array;
  const { isView } = global.ArrayBuffer;
  const { apply, ownKeys, getOwnPropertyDescriptor: reflectDescriptor } = global.Reflect;
  const saved = { __proto__: null };
  const scope = { __proto__: null };
  for (const name of names) scope[name] = global[name];

  // --- namespaces and methods: an owner and what is saved of it ------------------------------

  const namespaces = {
    Object: 'assign create defineProperties defineProperty entries freeze fromEntries getOwnPropertyDescriptor ' +
      'getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf hasOwn is isExtensible isFrozen ' +
      'isSealed keys preventExtensions prototype seal setPrototypeOf values',
    Reflect: 'apply construct defineProperty deleteProperty get getOwnPropertyDescriptor getPrototypeOf has ownKeys set',
    JSON: 'parse stringify',
    Math: 'LN2 abs ceil floor log log10 max min pow random round sign sqrt trunc',
  };
  const statics = {
    Array: 'from isArray',
    ArrayBuffer: 'isView',
    Date: 'UTC now parse',
    Number: 'isFinite isInteger isNaN isSafeInteger parseFloat parseInt',
    String: 'fromCharCode fromCodePoint raw',
    Symbol: 'for keyFor',
  };
  const methods = {
    Array: 'at concat every fill filter find findIndex findLast flat flatMap forEach includes indexOf join lastIndexOf map pop ' +
      'push reduce reverse shift slice some sort splice unshift',
    ArrayBuffer: 'slice',
    BigInt: 'toString valueOf',
    Boolean: 'valueOf',
    Date: 'getTime getTimezoneOffset toISOString toString toUTCString getFullYear getMonth getDate getHours getMinutes getSeconds',
    Error: 'toString',
    Function: 'bind toString',
    Map: 'delete entries forEach get has keys set values',
    Number: 'toFixed toString valueOf',
    Object: 'hasOwnProperty isPrototypeOf propertyIsEnumerable toString',
    Promise: 'then',
    RegExp: 'exec toString',
    Set: 'add delete forEach has values',
    String: 'at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare normalize padEnd ' +
      'padStart repeat replace replaceAll slice split startsWith substring toLowerCase toUpperCase toWellFormed trim trimEnd ' +
      'trimStart valueOf',
    Symbol: 'toString valueOf',
    TypedArray: 'fill includes indexOf join lastIndexOf set slice subarray',
    WeakMap: 'has',
    WeakRef: 'deref',
    WeakSet: 'has',
  };
  const getters = {
    ArrayBuffer: 'byteLength',
    DataView: 'buffer byteLength byteOffset',
    Map: 'size',
    RegExp: 'flags source',
    Set: 'size',
    Symbol: 'description',
    TypedArray: 'buffer byteLength byteOffset length',
  };

  const { apply: genuineApply, call: genuineCall } = global.Function.prototype;
  const own = {
    __proto__: null,
    call: { __proto__: null, value: genuineCall, configurable: true },
    apply: { __proto__: null, value: genuineApply, configurable: true },
  };
  const callable = (method) => defineProperties(method, own);
  const capital = (name) => name[0].toUpperCase() + name.slice(1);
  const TypedArray = saved.TypedArray = getPrototypeOf(global.Uint8Array);
  const ownerOf = (name) => name === 'TypedArray' ? TypedArray : global[name];
  for (const owner in namespaces) {
    const from = global[owner];
    const picked = scope[owner] = { __proto__: null };
    for (const name of namespaces[owner].split(' ')) picked[name] = from[name];
  }
  // A descriptor that is passed on must not have what a program puts into Object.prototype.
  const bare = (descriptor) => descriptor === undefined ? undefined : setPrototypeOf(descriptor, null);
  scope.Object.getOwnPropertyDescriptor = (object, key) => bare(getOwnPropertyDescriptor(object, key));
  scope.Reflect.getOwnPropertyDescriptor = (object, key) => bare(reflectDescriptor(object, key));
  scope.Object.getOwnPropertyDescriptors = (object) => {
    const all = setPrototypeOf(getOwnPropertyDescriptors(object), null);
    for (const key of ownKeys(all)) setPrototypeOf(all[key], null);
    return all;
  };
  for (const owner in statics)
    for (const name of statics[owner].split(' ')) saved[owner + capital(name)] = global[owner][name];
  for (const owner in methods) {
    const { prototype } = ownerOf(owner);
    const small = owner.toLowerCase();
    for (const name of methods[owner].split(' ')) saved[small + capital(name)] = callable(prototype[name]);
  }
  for (const owner in getters) {
    const { prototype } = ownerOf(owner);
    for (const name of getters[owner].split(' '))
      saved[`${owner.toLowerCase()}Get${capital(name)}`] = callable(getOwnPropertyDescriptor(prototype, name).get);
  }
  saved.typedarrayGetTag = callable(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
  // `resolve` and the like must be called on the constructor.
  for (const name of ['all', 'allSettled', 'any', 'race', 'reject', 'resolve']) {
    const method = callable(Promise[name]);
    saved[`Promise${capital(name)}`] = (value) => method.call(Promise, value);
  }
  saved.AsyncFunction = (async () => {}).constructor;
  saved.AsyncGeneratorFunction = (async function* () {}).constructor;
  saved.GeneratorFunction = (function* () {}).constructor;
  // The genuine classes, for values that a program gets or passes.
  saved.GenuineMap = Map;
  saved.GenuineObject = Object;
  saved.GenuineSet = Set;
  const mapNext = (saved.MapIteratorPrototype = getPrototypeOf(new Map().values())).next;
  const setNext = (saved.SetIteratorPrototype = getPrototypeOf(new Set().values())).next;
  const stringBegin = callable(global.String.prototype[Symbol.iterator]);
  const stringNext = getPrototypeOf(''[Symbol.iterator]()).next;
  const replace = callable(RegExp.prototype[Symbol.replace]);
  const split = callable(RegExp.prototype[Symbol.split]);

  // --- iteration -----------------------------------------------------------------------------

  // over(list): an iterator over an array that uses only the array's indices.
  class Each {
    constructor(list) {
      this.list = list;
      this.index = 0;
    }
    next() {
      const { list, index } = this;
      if (index >= list.length) return { done: true, value: undefined };
      this.index = index + 1;
      return { done: false, value: list[index] };
    }
    [Symbol.iterator]() {
      return this;
    }
  }
  // An iterator of the engine's, whose `next` is taken from here.
  class Steps {
    constructor(inner, step) {
      this.inner = inner;
      this.step = step;
    }
    next() {
      return apply(this.step, this.inner, []);
    }
    [Symbol.iterator]() {
      return this;
    }
  }
  setPrototypeOf(Each.prototype, null);
  setPrototypeOf(Steps.prototype, null);

  // Arrays and what resembles them; texts by code points; Map and Set of ours; generators,
  // which may inherit a `length` of the program's.
  const isListLike = (list) => isView(list) || hasOwn(list, 'length');
  saved.over = (list) => {
    if (isArray(list)) return new Each(list);
    if (typeof list === 'string') return new Steps(stringBegin.call(list), stringNext);
    return isListLike(list) ? new Each(list) : list[Symbol.iterator]();
  };
  saved.given = (iterable) => iterable;
  // The items of a program's Map or Set, whatever the program has changed on them.
  saved.mapItems = (map) => new Steps(saved.mapEntries.call(map), mapNext);
  saved.setItems = (set) => new Steps(saved.setValues.call(set), setNext);

  // --- collections ---------------------------------------------------------------------------

  function safe(Base, add, next) {
    const Class = {
      [Base.name]: class extends Base {
        constructor(items) {
          super();
          if (items !== undefined && items !== null) for (const item of saved.over(items)) add(this, item);
        }
      },
    }[Base.name];
    const descriptors = getOwnPropertyDescriptors(Base.prototype);
    descriptors.constructor.value = Class;
    if (next !== undefined) {
      const begin = (method) => callable(method) && function () {
        return new Steps(method.call(this), next);
      };
      descriptors.keys.value = begin(descriptors.keys.value);
      descriptors.entries.value = begin(descriptors.entries.value);
      descriptors.values.value = begin(Base.prototype.values);
      descriptors[Symbol.iterator].value = Base === Map ? descriptors.entries.value : descriptors.values.value;
    }
    defineProperties(Class.prototype, descriptors);
    setPrototypeOf(Class.prototype, null);
    return Class;
  }
  scope.Map = safe(Map, (map, { 0: key, 1: item }) => map.set(key, item), mapNext);
  scope.Set = safe(Set, (set, item) => set.add(item), setNext);
  scope.WeakMap = safe(global.WeakMap, (map, { 0: key, 1: item }) => map.set(key, item));
  scope.WeakSet = safe(global.WeakSet, (set, item) => set.add(item));

  // --- helpers ---------------------------------------------------------------------------------

  // Calls a function of the program, even if it has a `call` of its own.
  saved.invoke = (fn, self, ...args) => fn.apply === genuineApply ? fn.apply(self, args) : apply(fn, self, args);

  const { arrayPush, regexpExec, regexpGetFlags, regexpGetSource, stringIncludes, stringReplaceAll, stringSlice } = saved;
  saved.regexpTest = (pattern, text) => regexpExec.call(pattern, text) !== null;

  // The engine's replace calls RegExp.prototype.exec; if a program has replaced that, the matches
  // are found here. In a replacement text, $& and $1 are supported.
  const isGenuine = () => RegExp.prototype.exec === regexpExec;
  function matches(pattern, text, visit) {
    const isGlobal = stringIncludes.call(regexpGetFlags.call(pattern), 'g');
    pattern.lastIndex = 0;
    let match;
    while ((match = regexpExec.call(pattern, text)) !== null) {
      visit(match);
      if (!isGlobal) break;
      if (match[0] === '') pattern.lastIndex++;
    }
    pattern.lastIndex = 0;
  }
  const expand = (text, match) => stringReplaceAll.call(stringReplaceAll.call(text, '$&', () => match[0]), '$1', () => match[1]);
  saved.regexpReplace = (pattern, text, replacement) => {
    if (isGenuine()) return replace.call(pattern, text, replacement);
    let result = '';
    let end = 0;
    matches(pattern, text, (match) => {
      const by = typeof replacement === 'string' ? expand(replacement, match) : apply(replacement, undefined, match);
      result += stringSlice.call(text, end, match.index) + by;
      end = match.index + match[0].length;
    });
    return result + stringSlice.call(text, end);
  };
  saved.regexpMatchAll = (pattern, text) => {
    const list = [];
    matches(pattern, text, (match) => arrayPush.call(list, match));
    return list;
  };
  // For patterns without groups.
  saved.regexpSplit = (pattern, text) => {
    if (isGenuine()) return split.call(pattern, text);
    const parts = [];
    let end = 0;
    const flags = regexpGetFlags.call(pattern);
    const all = stringIncludes.call(flags, 'g') ? pattern : new RegExp(regexpGetSource.call(pattern), `${flags}g`);
    matches(all, text, (match) => {
      if (match[0] === '' && (match.index === 0 || match.index === text.length)) return;
      arrayPush.call(parts, stringSlice.call(text, end, match.index));
      end = match.index + match[0].length;
    });
    arrayPush.call(parts, stringSlice.call(text, end));
    return parts;
  };

  return { intrinsics: saved, scope };
})
