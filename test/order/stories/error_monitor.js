'use strict';
process.on('uncaughtExceptionMonitor', (error, origin) => console.log('monitor', error.message, origin));
process.on('uncaughtException', (error, origin) => console.log('caught', error.message, origin));
setImmediate(() => {
  throw new Error('a');
});
Promise.reject(new Error('b'));
