'use strict';
// queue inside microtask, and timer inside both.
require('../lib/chain')('microtask', 'queue', 'timer');
