'use strict';
// microtask inside immediate, and file inside both.
require('../lib/chain')('immediate', 'microtask', 'file');
