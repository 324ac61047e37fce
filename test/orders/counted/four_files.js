// 24: 4! orders
const fs = require('fs');
for (const name of ['a', 'b', 'c', 'd']) fs.stat('/', () => console.log(name));
