'use strict';
// beforeExit inside immediate, and queue inside both.
require('../lib/chain')('immediate', 'beforeExit', 'queue');
