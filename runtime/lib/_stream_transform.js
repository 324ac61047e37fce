'use strict';
// The old name of stream.Transform, which packages still ask for.
module.exports = require('stream').Transform;
