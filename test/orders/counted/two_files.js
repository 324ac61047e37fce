// 2: 2! orders
const fs = require('fs');
for (const name of ['a', 'b']) fs.stat('/', () => console.log(name));
