'use strict';
process.on('warning', (warning) => console.log(warning.name, warning.message));
process.emitWarning('careful', 'CustomWarning');
console.log('main');
Promise.resolve().then(() => console.log('microtask'));
setTimeout(() => console.log('timer'), 2 ** 31);
