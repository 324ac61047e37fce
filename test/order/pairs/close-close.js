'use strict';
// close inside close, and immediate inside both.
require('../lib/chain')('close', 'close', 'immediate');
