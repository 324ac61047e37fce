'use strict';
// microtask inside tick, and microtask inside both.
require('../lib/chain')('tick', 'microtask', 'microtask');
