'use strict';
// microtask inside file, and socket inside both.
require('../lib/chain')('file', 'microtask', 'socket');
