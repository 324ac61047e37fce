'use strict';
// interval inside socket, and error inside both.
require('../lib/chain')('socket', 'interval', 'error');
