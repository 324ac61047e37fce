'use strict';
// A server's processor time for an answer of one word; prints ns a request.
require('./http_load').measure('/', false);
