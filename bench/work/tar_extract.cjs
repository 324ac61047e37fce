// Unpacks an archive, with npm's tar.
'use strict';
require('node:fs').mkdirSync(process.argv[3]);
const tar = require(require('node:path').join(process.cwd(), 'node_modules', 'tar'));
tar.extract({ file: process.argv[2], cwd: process.argv[3] });
