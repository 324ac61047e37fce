'use strict';
// child inside queue, and beforeExit inside both.
require('../lib/chain')('queue', 'child', 'beforeExit');
