// Copies a tree with fs.cp.
'use strict';
require('node:fs').promises.cp(process.argv[2], process.argv[3], { recursive: true });
