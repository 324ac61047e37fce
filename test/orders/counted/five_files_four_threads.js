// 96: the fifth can't come before one of the first four has: 4 * 4!
const fs = require('fs');
for (const name of ['a', 'b', 'c', 'd', 'e']) fs.stat('/', () => console.log(name));
