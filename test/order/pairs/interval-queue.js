'use strict';
// queue inside interval, and file inside both.
require('../lib/chain')('interval', 'queue', 'file');
