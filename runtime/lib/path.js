'use strict';
// The package is POSIX, and so are we.

const path = require('vendor/path');

// Node 20 has these two besides.
path.toNamespacedPath = (name) => name;
path.posix = path;

module.exports = path;
