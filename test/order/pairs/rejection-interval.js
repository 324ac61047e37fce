'use strict';
// interval inside rejection, and timer inside both.
require('../lib/chain')('rejection', 'interval', 'timer');
