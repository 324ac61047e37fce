'use strict';
// child inside tick, and child inside both.
require('../lib/chain')('tick', 'child', 'child');
