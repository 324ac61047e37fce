'use strict';
// microtask inside close, and beforeExit inside both.
require('../lib/chain')('close', 'microtask', 'beforeExit');
