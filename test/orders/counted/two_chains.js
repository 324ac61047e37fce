// 6: two rows of two, mixed: 4 over 2
const fs = require('fs');
for (const name of ['a', 'b']) {
  fs.stat('/', () => {
    console.log(name + 1);
    fs.stat('/', () => console.log(name + 2));
  });
}
