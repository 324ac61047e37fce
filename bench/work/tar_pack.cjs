// Packs a tree into a compressed archive, with npm's tar.
'use strict';
const tar = require(require('node:path').join(process.cwd(), 'node_modules', 'tar'));
tar.create({ gzip: { level: 1 }, file: process.argv[3], cwd: process.argv[2] }, ['.']);
