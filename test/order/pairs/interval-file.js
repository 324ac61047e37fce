'use strict';
// file inside interval, and beforeExit inside both.
require('../lib/chain')('interval', 'file', 'beforeExit');
