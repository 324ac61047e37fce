export { count as counted, default as passed } from './counter.mjs';
export * as everything from './star_one.mjs';
export * from './star_one.mjs';
export * from './star_two.mjs';
export const own = 'own goes first';
