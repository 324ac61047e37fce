'use strict';
// error inside tick, and error inside both.
require('../lib/chain')('tick', 'error', 'error');
