'use strict';
// close inside timer, and rejection inside both.
require('../lib/chain')('timer', 'close', 'rejection');
