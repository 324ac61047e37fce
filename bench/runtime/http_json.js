'use strict';
// A server's processor time for an answer of 10 KB, made with JSON.stringify; prints ns a request.
require('./http_load').measure('/json', false);
