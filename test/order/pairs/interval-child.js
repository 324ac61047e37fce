'use strict';
// child inside interval, and rejection inside both.
require('../lib/chain')('interval', 'child', 'rejection');
