'use strict';
// tick inside rejection, and rejection inside both.
require('../lib/chain')('rejection', 'tick', 'rejection');
