'use strict';
// process.on('multipleResolves')

process.on('multipleResolves', (type, promise, value) => console.log(type, promise instanceof Promise, value));
process.on('warning', ({ name, code, message }) => console.log(name, code, message));
new Promise((resolve, reject) => {
  resolve(1);
  resolve(1);
  reject(3);
  throw 5;
});
class Own extends Promise {}
const own = new Own((resolve) => {
  resolve(1);
  resolve(2);
});
console.log(own instanceof Own, own.then(() => {}) instanceof Own, own.constructor === Own, Object.getPrototypeOf(Own) === Promise);
new Promise((resolve) => {
  resolve(new Promise(() => {}));
  resolve(7);
});
Promise.all([1, Promise.resolve(2)]).then((values) => console.log('all', values));
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('microtask'));
console.log(Promise.name, Promise.length, require('util').types.isPromise(own));
(async () => {
  await 1;
  throw 6;
})().catch((error) => console.log('caught', error));
new Promise((resolve, reject) => {
  reject(1);
  reject(2);
}).catch(() => console.log('rejected'));
for (const make of [() => Promise(), () => new Promise(), () => new Promise(5)])
  try {
    make();
  } catch (error) {
    console.log(error.name);
  }
