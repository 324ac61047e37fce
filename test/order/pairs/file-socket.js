'use strict';
// socket inside file, and tick inside both.
require('../lib/chain')('file', 'socket', 'tick');
