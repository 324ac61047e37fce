'use strict';
// child inside microtask, and close inside both.
require('../lib/chain')('microtask', 'child', 'close');
