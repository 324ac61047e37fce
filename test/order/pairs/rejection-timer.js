'use strict';
// timer inside rejection, and queue inside both.
require('../lib/chain')('rejection', 'timer', 'queue');
