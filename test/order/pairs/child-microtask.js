'use strict';
// microtask inside child, and close inside both.
require('../lib/chain')('child', 'microtask', 'close');
