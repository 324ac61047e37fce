'use strict';
// tick inside error, and error inside both.
require('../lib/chain')('error', 'tick', 'error');
