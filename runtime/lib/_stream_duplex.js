'use strict';
// The old name of stream.Duplex, which packages still ask for.
module.exports = require('stream').Duplex;
