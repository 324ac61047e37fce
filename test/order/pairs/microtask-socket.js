'use strict';
// socket inside microtask, and child inside both.
require('../lib/chain')('microtask', 'socket', 'child');
