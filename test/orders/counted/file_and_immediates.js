// 4: either answer first, and the immediate of the first between them or not
const fs = require('fs');
for (const name of ['a', 'b']) {
  fs.stat('/', () => {
    console.log(name);
    setImmediate(() => console.log('i' + name));
  });
}
