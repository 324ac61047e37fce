'use strict';
// beforeExit inside close, and file inside both.
require('../lib/chain')('close', 'beforeExit', 'file');
