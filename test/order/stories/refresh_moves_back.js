'use strict';
// refresh() counts anew; a timer that has fired starts again.
const a = setTimeout(() => console.log('a'), 30);
setTimeout(() => console.log('b'), 30);
setTimeout(() => a.refresh(), 15);
let again = true;
const c = setTimeout(() => {
  console.log('c');
  if (again) {
    again = false;
    c.refresh();
  }
}, 80);
