'use strict';
// interval inside error, and queue inside both.
require('../lib/chain')('error', 'interval', 'queue');
