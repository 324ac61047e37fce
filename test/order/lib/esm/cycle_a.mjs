import { b, callA, peek } from './cycle_b.mjs';
export const a = 'a';
export function hoisted() { return 'hoisted from a'; }
console.log('cycle a runs', b, callA(), peek());
