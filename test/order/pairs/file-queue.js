'use strict';
// queue inside file, and child inside both.
require('../lib/chain')('file', 'queue', 'child');
