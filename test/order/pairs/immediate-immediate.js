'use strict';
// immediate inside immediate, and beforeExit inside both.
require('../lib/chain')('immediate', 'immediate', 'beforeExit');
