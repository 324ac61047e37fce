'use strict';
// file inside microtask, and socket inside both.
require('../lib/chain')('microtask', 'file', 'socket');
