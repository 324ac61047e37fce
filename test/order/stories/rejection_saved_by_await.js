'use strict';
process.on('unhandledRejection', () => console.log('never'));
const rejected = Promise.reject(new Error('x'));
process.nextTick(async () => {
  try {
    await rejected;
  } catch (error) {
    console.log('caught', error.message);
  }
});
