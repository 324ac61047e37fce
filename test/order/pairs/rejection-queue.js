'use strict';
// queue inside rejection, and microtask inside both.
require('../lib/chain')('rejection', 'queue', 'microtask');
