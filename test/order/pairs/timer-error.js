'use strict';
// error inside timer, and microtask inside both.
require('../lib/chain')('timer', 'error', 'microtask');
