'use strict';
// timer inside immediate, and child inside both.
require('../lib/chain')('immediate', 'timer', 'child');
