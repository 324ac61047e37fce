'use strict';
// rejection inside microtask, and tick inside both.
require('../lib/chain')('microtask', 'rejection', 'tick');
