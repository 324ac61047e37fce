'use strict';
process.on('unhandledRejection', (reason) => console.log('unhandled', reason));
process.on('rejectionHandled', (promise) => console.log('handled late', promise === rejected));
const rejected = Promise.reject('why');
setTimeout(() => rejected.catch((reason) => console.log('caught', reason)), 10);
setTimeout(() => console.log('end'), 30);
