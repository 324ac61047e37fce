'use strict';
// immediate inside beforeExit, and queue inside both.
require('../lib/chain')('beforeExit', 'immediate', 'queue');
