'use strict';
// timer inside close, and rejection inside both.
require('../lib/chain')('close', 'timer', 'rejection');
