'use strict';
// rejection inside interval, and timer inside both.
require('../lib/chain')('interval', 'rejection', 'timer');
