'use strict';
// immediate inside tick, and immediate inside both.
require('../lib/chain')('tick', 'immediate', 'immediate');
