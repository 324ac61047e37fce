'use strict';
// all, race, allSettled and any, over promises that are resolved one after the other.
const resolvers = [];
const later = (value) => new Promise((resolve) => resolvers.push(() => resolve(value)));
const first = later('first');
const second = later('second');
const third = later('third');
Promise.all([third, first, 'plain']).then((all) => console.log('all', all));
Promise.race([third, second, first]).then((value) => console.log('race', value));
Promise.allSettled([first, Promise.reject(new Error('x'))])
  .then((all) => console.log('settled', all.map((each) => each.status)));
Promise.any([Promise.reject(new Error('y')), second, third]).then((value) => console.log('any', value));
Promise.any([Promise.reject(new Error('z'))]).catch((error) => console.log(error.constructor.name, error.errors.length));
(function next() {
  const resolve = resolvers.shift();
  if (resolve === undefined) return;
  console.log('one more');
  resolve();
  setTimeout(next, 1);
})();
console.log('main');
