import { one } from './waits_1.mjs'; console.log('after waits 1:', one); export { one };
