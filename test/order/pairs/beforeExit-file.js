'use strict';
// file inside beforeExit, and timer inside both.
require('../lib/chain')('beforeExit', 'file', 'timer');
