'use strict';
// error inside socket, and immediate inside both.
require('../lib/chain')('socket', 'error', 'immediate');
