'use strict';
// An older name of a part of http.
const { validateHeaderName, validateHeaderValue } = require('internal/http/words');
const { OutgoingMessage, kRoom, kUnique, uniqueNames } = require('internal/http/outgoing');
module.exports = {
  kHighWaterMark: kRoom, kUniqueHeaders: kUnique, parseUniqueHeadersOption: uniqueNames, validateHeaderName, validateHeaderValue,
  OutgoingMessage,
};
