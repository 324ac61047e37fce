'use strict';
// rejection inside child, and socket inside both.
require('../lib/chain')('child', 'rejection', 'socket');
