'use strict';
// A stream hands its data out in ticks.
const { Readable } = require('stream');
const stream = Readable.from(['a', 'b', 'c']);
stream.on('data', (chunk) => console.log('data', chunk));
stream.on('end', () => console.log('end'));
stream.on('close', () => console.log('close'));
setTimeout(() => console.log('timer'), 50);
console.log('main');
