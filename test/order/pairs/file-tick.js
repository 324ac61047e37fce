'use strict';
// tick inside file, and file inside both.
require('../lib/chain')('file', 'tick', 'file');
