'use strict';
// file inside file, and rejection inside both.
require('../lib/chain')('file', 'file', 'rejection');
