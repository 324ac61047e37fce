'use strict';
// error inside close, and socket inside both.
require('../lib/chain')('close', 'error', 'socket');
