'use strict';
// file inside child, and microtask inside both.
require('../lib/chain')('child', 'file', 'microtask');
