'use strict';
// tick inside child, and child inside both.
require('../lib/chain')('child', 'tick', 'child');
