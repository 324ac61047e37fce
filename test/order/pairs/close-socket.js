'use strict';
// socket inside close, and timer inside both.
require('../lib/chain')('close', 'socket', 'timer');
