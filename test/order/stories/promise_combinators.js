'use strict';
const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
Promise.all([later(30, 'a'), later(5, 'b'), 'c']).then((all) => console.log('all', all));
Promise.race([later(30, 'slow'), later(5, 'quick')]).then((value) => console.log('race', value));
Promise.allSettled([later(5, 1), Promise.reject(new Error('x'))])
  .then((all) => console.log('settled', all.map((each) => each.status)));
Promise.any([Promise.reject(new Error('y')), later(15, 'any')]).then((value) => console.log('any', value));
console.log('main');
