'use strict';
// file inside error, and interval inside both.
require('../lib/chain')('error', 'file', 'interval');
