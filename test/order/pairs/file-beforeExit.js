'use strict';
// beforeExit inside file, and timer inside both.
require('../lib/chain')('file', 'beforeExit', 'timer');
