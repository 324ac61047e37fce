'use strict';
// error inside interval, and queue inside both.
require('../lib/chain')('interval', 'error', 'queue');
