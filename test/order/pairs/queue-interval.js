'use strict';
// interval inside queue, and file inside both.
require('../lib/chain')('queue', 'interval', 'file');
