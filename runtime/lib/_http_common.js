'use strict';
// An older name of parts of http.
const { METHODS_BY_NUMBER, hasBadCharacter, isToken, settings } = require('internal/http/words');
const { alloc, free, kIncoming } = require('internal/http/parsers');
module.exports = {
  _checkInvalidHeaderChar: (text) => hasBadCharacter(`${text}`),
  _checkIsHttpToken: (text) => isToken(`${text}`),
  chunkExpression: /(?:^|\W)chunked(?:$|\W)/i,
  continueExpression: /(?:^|\W)100-continue(?:$|\W)/i,
  CRLF: '\r\n',
  freeParser: free,
  methods: METHODS_BY_NUMBER,
  parsers: { alloc, free },
  kIncomingMessage: kIncoming,
  isLenient: () => settings.isLenient,
};
