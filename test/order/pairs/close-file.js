'use strict';
// file inside close, and queue inside both.
require('../lib/chain')('close', 'file', 'queue');
