// 6: three things in any order
const fs = require('fs');
setTimeout(() => console.log('timer'), 5);
for (const name of ['a', 'b']) fs.stat('/', () => console.log(name));
