'use strict';
// microtask inside rejection, and tick inside both.
require('../lib/chain')('rejection', 'microtask', 'tick');
