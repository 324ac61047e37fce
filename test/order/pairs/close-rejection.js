'use strict';
// rejection inside close, and child inside both.
require('../lib/chain')('close', 'rejection', 'child');
