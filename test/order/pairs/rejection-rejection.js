'use strict';
// rejection inside rejection, and error inside both.
require('../lib/chain')('rejection', 'rejection', 'error');
