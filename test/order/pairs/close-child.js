'use strict';
// child inside close, and interval inside both.
require('../lib/chain')('close', 'child', 'interval');
