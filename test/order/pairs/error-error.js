'use strict';
// error inside error, and close inside both.
require('../lib/chain')('error', 'error', 'close');
