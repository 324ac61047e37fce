'use strict';
// microtask inside queue, and timer inside both.
require('../lib/chain')('queue', 'microtask', 'timer');
