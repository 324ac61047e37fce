'use strict';
// queue inside child, and beforeExit inside both.
require('../lib/chain')('child', 'queue', 'beforeExit');
