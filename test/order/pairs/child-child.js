'use strict';
// child inside child, and timer inside both.
require('../lib/chain')('child', 'child', 'timer');
