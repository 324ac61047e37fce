'use strict';
// child inside error, and file inside both.
require('../lib/chain')('error', 'child', 'file');
