'use strict';
// timer inside child, and error inside both.
require('../lib/chain')('child', 'timer', 'error');
