export { default as imported } from 'both'; export { default as sub } from 'both/sub/a'; export { default as legacy } from 'legacy';
