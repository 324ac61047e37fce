'use strict';
// interval inside interval, and child inside both.
require('../lib/chain')('interval', 'interval', 'child');
