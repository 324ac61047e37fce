'use strict';
// child inside timer, and error inside both.
require('../lib/chain')('timer', 'child', 'error');
