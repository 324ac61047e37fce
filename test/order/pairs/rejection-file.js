'use strict';
// file inside rejection, and immediate inside both.
require('../lib/chain')('rejection', 'file', 'immediate');
