'use strict';
// file inside tick, and file inside both.
require('../lib/chain')('tick', 'file', 'file');
