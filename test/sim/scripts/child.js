// A child that sleeps longer than its parent's timer takes.
const { spawn } = require('child_process');
const began = Date.now();
spawn('sleep', ['100']).on('exit', () => console.log('child', Date.now() - began));
setTimeout(() => console.log('timer', Date.now() - began), 50000);
