'use strict';
// file inside queue, and child inside both.
require('../lib/chain')('queue', 'file', 'child');
