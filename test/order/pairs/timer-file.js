'use strict';
// file inside timer, and close inside both.
require('../lib/chain')('timer', 'file', 'close');
