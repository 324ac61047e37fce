'use strict';
// close inside rejection, and child inside both.
require('../lib/chain')('rejection', 'close', 'child');
