'use strict';
// immediate inside timer, and child inside both.
require('../lib/chain')('timer', 'immediate', 'child');
