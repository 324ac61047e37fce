'use strict';
// socket inside child, and queue inside both.
require('../lib/chain')('child', 'socket', 'queue');
