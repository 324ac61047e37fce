'use strict';
// socket inside socket, and microtask inside both.
require('../lib/chain')('socket', 'socket', 'microtask');
