// An immediate between two answers (P1)
//
// Each answer starts an immediate. Where do the immediates come?

const fs = require('fs');
for (const name of ['a', 'b']) {
  fs.stat('/', () => {
    console.log(name);
    setImmediate(() => console.log('immediate of', name));
  });
}

// Answer: If both answers come in one poll, both immediates come behind them; otherwise
// the first immediate comes between. And either answer may be first.
