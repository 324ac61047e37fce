'use strict';
// The old name of stream.PassThrough, which packages still ask for.
module.exports = require('stream').PassThrough;
