'use strict';
// file inside socket, and tick inside both.
require('../lib/chain')('socket', 'file', 'tick');
