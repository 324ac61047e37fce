'use strict';
// close inside immediate, and microtask inside both.
require('../lib/chain')('immediate', 'close', 'microtask');
