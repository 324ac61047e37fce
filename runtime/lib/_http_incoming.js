'use strict';
// An older name of a part of http.
const { IncomingMessage, startReading, stopReading } = require('internal/http/incoming');
module.exports = { IncomingMessage, readStart: startReading, readStop: stopReading };
