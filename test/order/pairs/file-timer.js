'use strict';
// timer inside file, and close inside both.
require('../lib/chain')('file', 'timer', 'close');
