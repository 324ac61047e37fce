'use strict';
// socket inside rejection, and file inside both.
require('../lib/chain')('rejection', 'socket', 'file');
