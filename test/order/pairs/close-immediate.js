'use strict';
// immediate inside close, and microtask inside both.
require('../lib/chain')('close', 'immediate', 'microtask');
