'use strict';
// An older name of a part of http.
module.exports = { ClientRequest: require('internal/http/request').ClientRequest };
