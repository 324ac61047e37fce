'use strict';
// file inside immediate, and error inside both.
require('../lib/chain')('immediate', 'file', 'error');
