// The pool has four threads (A2)
//
// Five requests at once. Can the fifth answer be first?

const fs = require('fs');
for (let i = 1; i <= 4; i++) fs.stat('/', () => console.log('one of the first four'));
fs.stat('/', () => console.log('the fifth'));

// Answer: The fifth begins when one of the four threads is free, so one answer has come
// by then. Behind that it may come anywhere.
