'use strict';
// The old name of stream.Readable, which packages still ask for.
module.exports = require('stream').Readable;
