// 2: the answer takes longer than the timer, or not
setTimeout(() => console.log('timer'), 5);
require('fs').stat('/', () => console.log('file'));
