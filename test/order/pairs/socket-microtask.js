'use strict';
// microtask inside socket, and child inside both.
require('../lib/chain')('socket', 'microtask', 'child');
