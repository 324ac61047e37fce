// Globals in a module with imported names: shadowed by imports, classes, parameters and blocks, or not.
import { x, change, Array, Map as Imported } from '../lib/esm/globals.mjs';

class Set {
  constructor() { this.own = true; }
}

change();
console.log(x, Array, Imported, new Set().own, typeof undefined, NaN, typeof Nope, Object.keys({ a: 1 }));
console.log(new Map([[1, 2]]).size, { Map }.Map === globalThis.Map, { Error: 1 }.Error, Math.max(1, 2), `${[undefined]}`);
console.log(((Object) => Object)(3), (function (Symbol) { return typeof Symbol; })('text'));
{
  let JSON = 'block';
  console.log(JSON);
}
console.log(JSON.stringify({ x }), (() => { const Number = 4; return Number; })(), Number('5'));
try {
  undefined.x;
} catch (error) {
  console.log(error instanceof TypeError, error.constructor === globalThis.TypeError);
}
try {
  missing;
} catch (error) {
  console.log(error.name);
}
