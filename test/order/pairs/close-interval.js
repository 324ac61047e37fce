'use strict';
// interval inside close, and tick inside both.
require('../lib/chain')('close', 'interval', 'tick');
