'use strict';
// close inside socket, and timer inside both.
require('../lib/chain')('socket', 'close', 'timer');
