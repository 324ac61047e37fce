// A child's output and its end (I5)
//
// Does exit come behind the last data?

const child = require('child_process').spawn('echo', ['hello']);
child.stdout.on('data', () => console.log('data'));
child.on('exit', () => console.log('exit'));
child.on('close', () => console.log('close'));

// Answer: Not for sure. Only close says that the child has ended and its output has been
// read.
