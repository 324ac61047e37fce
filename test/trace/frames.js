// One timer's callback for each way in which a function of a script can be on the stack: behind
// which functions of the engine, in which of its compilers' code. check_frames runs it, traced
// and with --cpu-prof at the same time, and compares. Names say who calls whom.
'use strict';
const MS = 100; // of processor time, for each callback

const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const until = (end) => used() < end;
function work(x) { let s = 0; for (let i = 0; i < 200; i++) s += Math.sqrt(x + i); return s; }
function busy(times) { for (let i = 0; i < times; i++) work(i); }
const numbers = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 2000);
const text = 'x'.repeat(500);
const json = JSON.stringify(numbers.slice(0, 500));

const kinds = {
  sort() {
    function comparator(a, b) { work(a); return a - b; }
    function sorting(end) { while (until(end)) numbers.slice().sort(comparator); }
    return sorting;
  },
  map() {
    function mapper(x) { return work(x); }
    function mapping(end) { while (until(end)) numbers.map(mapper); }
    return mapping;
  },
  reduce() {
    function reducer(sum, x) { return sum + work(x); }
    function reducing(end) { while (until(end)) numbers.reduce(reducer, 0); }
    return reducing;
  },
  from() {
    function maker(_, i) { return work(i); }
    function making(end) { while (until(end)) Array.from({ length: 500 }, maker); }
    return making;
  },
  eachOfMap() {
    const map = new Map(numbers.map((x) => [x, x]));
    function visitor(x) { work(x); }
    function visiting(end) { while (until(end)) map.forEach(visitor); }
    return visiting;
  },
  typedSort() {
    function typedComparator(a, b) { work(a); return a - b; }
    function typedSorting(end) { while (until(end)) Float64Array.from(numbers).sort(typedComparator); }
    return typedSorting;
  },
  replace() {
    function replacement() { work(1); return 'y'; }
    function replacing(end) { while (until(end)) text.replace(/x/g, replacement); }
    return replacing;
  },
  stringify() {
    function replacer(_, value) { work(1); return value; }
    function stringifying(end) { while (until(end)) JSON.stringify(numbers.slice(0, 500), replacer); }
    return stringifying;
  },
  toJSON() {
    const point = { toJSON() { work(1); return 1; } };
    function serializing(end) { while (until(end)) JSON.stringify(Array(500).fill(point)); }
    return serializing;
  },
  parse() {
    function reviver(_, value) { work(1); return value; }
    function parsing(end) { while (until(end)) JSON.parse(json, reviver); }
    return parsing;
  },
  bigJSON() {
    const big = JSON.stringify(Array.from({ length: 20000 }, (_, i) => ({ id: i, name: `n${i}` })));
    function parsingBig(end) { while (until(end)) JSON.parse(big); }
    return parsingBig;
  },
  getter() {
    const account = { get total() { return work(1); } };
    function getting(end) { let s = 0; while (until(end)) s += account.total; return s; }
    return getting;
  },
  proxy() {
    const proxied = new Proxy({}, { get: function trap() { return work(1); } });
    function proxying(end) { let s = 0; while (until(end)) s += proxied.any; return s; }
    return proxying;
  },
  construct() {
    class Point { constructor(x) { this.x = work(x); } }
    function constructing(end) { let last; while (until(end)) last = new Point(1); return last; }
    return constructing;
  },
  iterate() {
    function* generator() { for (let i = 0; i < 500; i++) yield work(i); }
    function iterating(end) { let s = 0; while (until(end)) for (const x of generator()) s += x; return s; }
    return iterating;
  },
  regex() {
    function matching(end) { while (until(end)) /^(a+)+$/.test(`${'a'.repeat(14)}b`); }
    return matching;
  },
  once() {
    // Called once: it goes from the interpreter into compiled code in the middle of its loop.
    function looping(end) { let s = 0; while (until(end)) for (let i = 0; i < 1e5; i++) s += Math.sqrt(i); return s; }
    return looping;
  },
  left() {
    // Called once, it has left its hot loop when it calls: it is in no compiler's code any more.
    function byText(a, b) { return a.localeCompare(b); }
    function leaving() { const rows = []; for (let i = 0; i < 120000; i++) rows.push(`r${(i * 7919) % 120000}`); rows.sort(byText); }
    return leaving;
  },
  deoptimized() {
    function changing(x) { return work(x) + x.length; }
    function deoptimizing(end) { const of = [1, '2', [3], { length: 4 }, null ?? 5]; let s = 0; for (let i = 0; until(end); i++) s += changing(of[(i >> 12) % 5]); return s; }
    return deoptimizing;
  },
  many() {
    // Too many functions for any of them to be compiled well.
    const all = Array.from({ length: 3000 }, (_, i) => new Function('work', `return function rare(x) { return work(x + ${i}); }`)(work));
    function callingMany(end) { while (until(end)) for (const rare of all) rare(1); }
    return callingMany;
  },
  recursion() {
    function descend(depth) { return depth === 0 ? work(1) : descend(depth - 1) + 1; }
    function recursing(end) { while (until(end)) descend(20); }
    return recursing;
  },
  bound() {
    const callee = function target(x) { return work(x); }.bind(null, 1);
    function callingBound(end) { while (until(end)) callee(); }
    return callingBound;
  },
  apply() {
    function applied(...rest) { return work(rest.length); }
    function applying(end) { while (until(end)) Reflect.apply(applied, null, numbers.slice(0, 50)); }
    return applying;
  },
  wasm() {
    // (import "m" "f" (func (param f64) (result f64))) (func (export "run") (loop: call f 1000 times))
    const bytes = Buffer.from('AGFzbQEAAAABCgJgAXwBfGABfwACBwEBbQFmAAADAgEBBwcBA3J1bgABChwBGgADQEQAAAAAAADwPxAAGiAAQQFrIgANAAsL', 'base64');
    function imported(x) { return work(x); }
    const { run } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { m: { f: imported } }).exports;
    function runningWasm(end) { while (until(end)) run(1000); }
    return runningWasm;
  },
  tick() {
    function ticking(end) { if (until(end)) process.nextTick(ticking, end), busy(2000); }
    return ticking;
  },
  microtask() {
    async function stepping(end) { while (until(end)) { await null; resumed(); } }
    function resumed() { busy(500); }
    return stepping;
  },
};

// Each in a turn of its own.
const left = Object.entries(kinds).map(([kind, make]) => [kind, make()]);
function next() {
  if (left.length === 0) return;
  const [kind, run] = left.shift();
  const name = `call_${kind}`;
  setTimeout({ [name]: () => { setTimeout(next, 1); run(used() + MS); } }[name], 1);
}
next();
