'use strict';
// child inside rejection, and socket inside both.
require('../lib/chain')('rejection', 'child', 'socket');
