'use strict';
// immediate inside error, and timer inside both.
require('../lib/chain')('error', 'immediate', 'timer');
