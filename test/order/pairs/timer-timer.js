'use strict';
// timer inside timer, and file inside both.
require('../lib/chain')('timer', 'timer', 'file');
