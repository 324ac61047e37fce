'use strict';
// interval inside immediate, and close inside both.
require('../lib/chain')('immediate', 'interval', 'close');
