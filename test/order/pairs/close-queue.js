'use strict';
// queue inside close, and error inside both.
require('../lib/chain')('close', 'queue', 'error');
