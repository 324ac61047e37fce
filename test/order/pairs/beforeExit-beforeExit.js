'use strict';
// beforeExit inside beforeExit, and socket inside both.
require('../lib/chain')('beforeExit', 'beforeExit', 'socket');
