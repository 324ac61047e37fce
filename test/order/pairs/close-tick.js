'use strict';
// tick inside close, and close inside both.
require('../lib/chain')('close', 'tick', 'close');
