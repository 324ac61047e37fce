'use strict';
// immediate inside child, and tick inside both.
require('../lib/chain')('child', 'immediate', 'tick');
