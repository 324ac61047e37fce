'use strict';
// rejection inside beforeExit, and close inside both.
require('../lib/chain')('beforeExit', 'rejection', 'close');
