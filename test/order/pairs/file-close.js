'use strict';
// close inside file, and queue inside both.
require('../lib/chain')('file', 'close', 'queue');
