'use strict';
// immediate inside rejection, and interval inside both.
require('../lib/chain')('rejection', 'immediate', 'interval');
