// 1: both queues are emptied behind each callback
Promise.resolve().then(() => console.log('promise'));
process.nextTick(() => console.log('tick'));
setImmediate(() => {
  console.log('immediate');
  process.nextTick(() => console.log('tick of it'));
});
