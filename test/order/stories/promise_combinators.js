'use strict';
const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
Promise.all([later(120, 'a'), later(20, 'b'), 'c']).then((all) => console.log('all', all));
Promise.race([later(120, 'slow'), later(20, 'quick')]).then((value) => console.log('race', value));
Promise.allSettled([later(20, 1), Promise.reject(new Error('x'))])
  .then((all) => console.log('settled', all.map((each) => each.status)));
Promise.any([Promise.reject(new Error('y')), later(60, 'any')]).then((value) => console.log('any', value));
console.log('main');
