// A worker thread with a timer of its own.
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) {
  const began = Date.now();
  new Worker(__filename).on('message', () => console.log('worker', Date.now() - began));
  setTimeout(() => console.log('main', Date.now() - began), 5000);
} else {
  setTimeout(() => parentPort.postMessage(''), 10000);
}
