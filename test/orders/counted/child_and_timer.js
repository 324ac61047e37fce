// 2: the child takes longer than the timer, or not
setTimeout(() => console.log('timer'), 200);
require('child_process').spawn('true', { stdio: 'ignore' }).on('exit', () => console.log('exit'));
