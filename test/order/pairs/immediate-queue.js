'use strict';
// queue inside immediate, and socket inside both.
require('../lib/chain')('immediate', 'queue', 'socket');
