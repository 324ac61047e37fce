'use strict';
// timer inside error, and microtask inside both.
require('../lib/chain')('error', 'timer', 'microtask');
