'use strict';
// beforeExit inside queue, and rejection inside both.
require('../lib/chain')('queue', 'beforeExit', 'rejection');
