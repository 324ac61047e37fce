'use strict';
// child inside file, and microtask inside both.
require('../lib/chain')('file', 'child', 'microtask');
