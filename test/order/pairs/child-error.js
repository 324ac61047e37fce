'use strict';
// error inside child, and file inside both.
require('../lib/chain')('child', 'error', 'file');
