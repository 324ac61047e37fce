'use strict';
// close inside queue, and error inside both.
require('../lib/chain')('queue', 'close', 'error');
