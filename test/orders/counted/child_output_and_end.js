// 2: a child's output and its end are heard of in either order, and close comes behind both
const child = require('child_process').spawn('echo', ['x']);
child.stdout.on('data', () => console.log('data'));
child.on('exit', () => console.log('exit'));
child.on('close', () => console.log('close'));
