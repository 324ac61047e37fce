'use strict';
// queue inside socket, and close inside both.
require('../lib/chain')('socket', 'queue', 'close');
