'use strict';
// immediate inside socket, and rejection inside both.
require('../lib/chain')('socket', 'immediate', 'rejection');
