'use strict';
const interval = setInterval(function (a, b) {
  console.log(a, b, this === interval, this.hasRef());
  this.close();
}, 30, 'a', 'b');
setTimeout((...args) => console.log(args), 90, 1, 2, 3);
setImmediate((...args) => console.log(args), 'x', 'y');
process.nextTick((...args) => console.log(args), 'p', 'q');
