'use strict';
// rejection inside queue, and microtask inside both.
require('../lib/chain')('queue', 'rejection', 'microtask');
