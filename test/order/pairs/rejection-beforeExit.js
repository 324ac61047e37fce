'use strict';
// beforeExit inside rejection, and close inside both.
require('../lib/chain')('rejection', 'beforeExit', 'close');
