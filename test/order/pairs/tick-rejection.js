'use strict';
// rejection inside tick, and rejection inside both.
require('../lib/chain')('tick', 'rejection', 'rejection');
