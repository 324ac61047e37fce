'use strict';
// close inside error, and socket inside both.
require('../lib/chain')('error', 'close', 'socket');
