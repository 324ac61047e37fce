'use strict';
// immediate inside microtask, and file inside both.
require('../lib/chain')('microtask', 'immediate', 'file');
