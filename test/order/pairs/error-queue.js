'use strict';
// queue inside error, and tick inside both.
require('../lib/chain')('error', 'queue', 'tick');
