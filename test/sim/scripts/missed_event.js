// Waits for an event after it has read a file: by then the event may have come.
const fs = require('fs');
const { EventEmitter, once } = require('events');
const bus = new EventEmitter();
let seen = false;
setTimeout(() => bus.emit('ready'), 50);
process.on('exit', () => { process.exitCode = seen ? 0 : 1; });
(async () => {
  await fs.promises.readFile(__filename);
  await once(bus, 'ready');
  seen = true;
})();
