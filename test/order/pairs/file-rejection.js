'use strict';
// rejection inside file, and immediate inside both.
require('../lib/chain')('file', 'rejection', 'immediate');
