'use strict';
// socket inside interval, and error inside both.
require('../lib/chain')('interval', 'socket', 'error');
