'use strict';
// child inside socket, and queue inside both.
require('../lib/chain')('socket', 'child', 'queue');
