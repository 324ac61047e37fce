'use strict';
process.on('uncaughtException', (error) => console.log('caught', error.message));
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('microtask'));
setImmediate(() => console.log('immediate'));
process.on('exit', (code) => console.log('exit', code));
throw new Error('main');
