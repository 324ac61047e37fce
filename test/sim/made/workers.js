// Three worker threads with timers and file requests, whose messages come in an order that the seed chooses.
const fs = require('fs');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

if (isMainThread) {
  const order = [];
  let left = 3;
  for (let i = 0; i < 3; i++) {
    const worker = new Worker(__filename, { workerData: i });
    worker.on('message', (message) => {
      order.push(message);
      if (message.endsWith('end') && --left === 0)
        console.log(order.join(' '));
    });
    worker.postMessage('begin');
  }
} else {
  parentPort.once('message', () => {
    let number = 0;
    const interval = setInterval(() => {
      parentPort.postMessage(`${workerData}:${number}`);
      fs.stat('/tmp', () => {});
      if (++number === 5) {
        clearInterval(interval);
        parentPort.postMessage(`${workerData}:end`);
      }
    }, 10 + workerData);
  });
}
