// What is imported: by default, by name, as a namespace; live, through cycles, passed on.
import fs, { readFileSync, existsSync as exists } from 'node:fs';
import * as path from 'path';
import { EventEmitter } from 'events'
import made, { count, increment, receiver, Thing, p, r, rest, others, text, odd, later, tag, default2, 'a name that is none' as strange } from '../lib/esm/counter.mjs';
import * as counter from '../lib/esm/counter.mjs';
import '../lib/esm/cycle_a.mjs'
import { counted, passed, everything, one, two, own, shared } from '../lib/esm/passed_on.mjs';
import * as passedOn from '../lib/esm/passed_on.mjs';
import anonymous from '../lib/esm/anonymous_function.mjs';
import Anonymous from '../lib/esm/anonymous_class.mjs';
import Subclass from '../lib/esm/anonymous_subclass.mjs';
import generator from '../lib/esm/named_function.mjs';
import value from '../lib/esm/value.mjs';

console.log(fs.readFileSync === readFileSync, exists(import.meta.filename), path.join('a', 'b'), new EventEmitter() instanceof EventEmitter);
console.log(count, strange, counter.count, counted);
increment();
default2()
increment()
console.log(count, strange, counter.count, counted, new Thing().seen, made(), made.name, later)
console.log(p, r, rest, others, text, odd, one, two, own, shared, passed === made);

// Called as values, whatever is around: no `this`.
console.log(receiver(), receiver?.(), (receiver)(), counter.receiver() === counter, tag`a${1}b`, [receiver()], { receiver: receiver() });
const object = { receiver() { return 'method'; }, increment: () => 'property', tag };
class Own { receiver() { return 'of a class'; } static increment() { return 'static'; } field = receiver() }
console.log(object.receiver(), object.increment(), object.tag`x`[0] === object, new Own().receiver(), Own.increment(), new Own().field)
{
  const receiver = () => 'of a block';
  console.log(receiver());
}
function shadows(count, increment = () => 'a parameter') { return [count, increment()]; }
console.log(shadows(7), ((receiver) => receiver())(() => 'an argument'));
if (count)
  receiver()
else
  increment()
const unended = receiver
receiver()
console.log(typeof unended, this, typeof require, typeof module, typeof __filename);
try {
  count = 5;
} catch (error) {
  console.log(error.name);
}

console.log(anonymous.name, Anonymous.name, Anonymous.field, Subclass.name, new Subclass() instanceof Array, generator.name, value);
console.log(Object.keys(passedOn), passedOn.both, Object.prototype.toString.call(passedOn), everything.default, Object.getPrototypeOf(passedOn));
console.log(passedOn, 'both' in passedOn, Object.isExtensible(passedOn));
try {
  passedOn.own = 1;
} catch (error) {
  console.log(error.name);
}
console.log(import.meta.url === `file://${import.meta.filename}`, import.meta.dirname === path.dirname(import.meta.filename));
console.log(Object.keys(import.meta), import.meta.resolve('./x.mjs').endsWith('/stories/x.mjs'), import.meta.resolve('fs'));
export { count as default, count };
