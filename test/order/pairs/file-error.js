'use strict';
// error inside file, and interval inside both.
require('../lib/chain')('file', 'error', 'interval');
