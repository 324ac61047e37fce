'use strict';
// The old name of stream.Writable, which packages still ask for.
module.exports = require('stream').Writable;
