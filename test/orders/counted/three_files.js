// 6: 3! orders
const fs = require('fs');
for (const name of ['a', 'b', 'c']) fs.stat('/', () => console.log(name));
