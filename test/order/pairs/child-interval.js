'use strict';
// interval inside child, and rejection inside both.
require('../lib/chain')('child', 'interval', 'rejection');
