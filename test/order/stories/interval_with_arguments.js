'use strict';
process.nextTick((...args) => console.log(args), 'p', 'q');
setImmediate((...args) => {
  console.log(args);
  const interval = setInterval(function (a, b) {
    console.log(a, b, this === interval, this.hasRef());
    this.close();
    setTimeout((...more) => console.log(more), 5, 1, 2, 3);
  }, 5, 'a', 'b');
}, 'x', 'y');
