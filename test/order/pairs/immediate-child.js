'use strict';
// child inside immediate, and tick inside both.
require('../lib/chain')('immediate', 'child', 'tick');
