'use strict';
// immediate inside interval, and close inside both.
require('../lib/chain')('interval', 'immediate', 'close');
