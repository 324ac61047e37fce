'use strict';
// microtask inside microtask, and queue inside both.
require('../lib/chain')('microtask', 'microtask', 'queue');
