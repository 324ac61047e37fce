// 3: the answer comes before, between or behind
setTimeout(() => console.log('first'), 5);
setTimeout(() => console.log('second'), 50);
require('fs').stat('/', () => console.log('file'));
