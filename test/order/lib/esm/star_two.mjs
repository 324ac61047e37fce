export const two = 2, both = 'of two'; export { shared } from './star_three.mjs';
