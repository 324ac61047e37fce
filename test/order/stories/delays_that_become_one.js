'use strict';
// Not a number, negative, zero, fractions: all are 1 ms and share a list.
const delays = [0, 1, -5, NaN, undefined, null, 'x', '1', 1.7, false, true, Infinity - Infinity];
delays.forEach((delay, index) => setTimeout(() => console.log(index, String(delay)), delay));
const start = Date.now();
while (Date.now() - start < 5);
