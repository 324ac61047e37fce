'use strict';
// rejection inside immediate, and interval inside both.
require('../lib/chain')('immediate', 'rejection', 'interval');
