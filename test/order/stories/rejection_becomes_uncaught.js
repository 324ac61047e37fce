'use strict';
process.on('uncaughtException', (error, origin) => console.log('caught', error.message, origin));
Promise.reject(new Error('x'));
Promise.reject('text').catch(() => console.log('handled'));
setImmediate(() => console.log('immediate'));
