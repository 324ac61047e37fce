'use strict';
// immediate inside file, and error inside both.
require('../lib/chain')('file', 'immediate', 'error');
