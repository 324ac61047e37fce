'use strict';
// close inside beforeExit, and file inside both.
require('../lib/chain')('beforeExit', 'close', 'file');
