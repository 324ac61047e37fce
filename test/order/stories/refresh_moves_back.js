'use strict';
// refresh() counts anew, so a timer comes behind its equals; one that has fired starts
// again.
const a = setTimeout(() => {
  console.log('a');
  let again = true;
  const c = setTimeout(() => {
    console.log('c');
    if (again) {
      again = false;
      c.refresh();
    }
  }, 5);
}, 30);
setTimeout(() => console.log('b'), 30);
setTimeout(() => a.refresh(), 10);
