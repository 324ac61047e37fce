'use strict';
// socket inside immediate, and rejection inside both.
require('../lib/chain')('immediate', 'socket', 'rejection');
