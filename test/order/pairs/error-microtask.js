'use strict';
// microtask inside error, and rejection inside both.
require('../lib/chain')('error', 'microtask', 'rejection');
