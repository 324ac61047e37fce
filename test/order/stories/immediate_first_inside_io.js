'use strict';
// Inside an I/O callback the immediate always comes before the timeout.
const fs = require('fs');
fs.readFile(__filename, () => {
  setTimeout(() => console.log('timeout'), 0);
  setImmediate(() => console.log('immediate'));
});
