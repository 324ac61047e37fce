'use strict';
// A returned promise costs two more turns of the microtask queue, a thenable one.
const steps = (name, count) => {
  let promise = Promise.resolve();
  for (let i = 1; i <= count; i++) promise = promise.then(() => console.log(name, i));
};
steps('plain', 6);
Promise.resolve().then(() => Promise.resolve('inner')).then((value) => console.log('promise returned', value));
Promise.resolve().then(() => ({ then: (resolve) => resolve('inner') })).then((value) => console.log('thenable returned', value));
(async () => Promise.resolve('inner'))().then((value) => console.log('async returned', value));
