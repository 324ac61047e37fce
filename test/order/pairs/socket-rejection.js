'use strict';
// rejection inside socket, and file inside both.
require('../lib/chain')('socket', 'rejection', 'file');
