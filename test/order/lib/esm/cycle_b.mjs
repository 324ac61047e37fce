import { a, hoisted } from './cycle_a.mjs';
import * as itself from './cycle_b.mjs';
export const b = 'b';
export const callA = () => hoisted();
export const peek = () => a;
let early;
try {
  early = a;
} catch (error) {
  early = error.name;
}
console.log('cycle b runs', early, hoisted(), typeof itself.callA);
