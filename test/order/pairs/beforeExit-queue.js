'use strict';
// queue inside beforeExit, and rejection inside both.
require('../lib/chain')('beforeExit', 'queue', 'rejection');
