'use strict';
// rejection inside timer, and queue inside both.
require('../lib/chain')('timer', 'rejection', 'queue');
