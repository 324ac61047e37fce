'use strict';
// The memory of a server after 180,000 answers of one word; prints megabytes.
require('./http_load').measure('/', true);
