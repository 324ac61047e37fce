'use strict';
// error inside immediate, and timer inside both.
require('../lib/chain')('immediate', 'error', 'timer');
