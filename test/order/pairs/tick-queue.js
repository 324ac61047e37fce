'use strict';
// queue inside tick, and queue inside both.
require('../lib/chain')('tick', 'queue', 'queue');
