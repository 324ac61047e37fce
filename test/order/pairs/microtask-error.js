'use strict';
// error inside microtask, and rejection inside both.
require('../lib/chain')('microtask', 'error', 'rejection');
