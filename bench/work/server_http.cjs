// A fastify server; prints its port, and ends with its standard input.
'use strict';
const fastify = require(require('node:path').join(process.cwd(), 'node_modules', 'fastify'))();
const items = Array.from({ length: 20 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] }));
fastify.get('/items/:id', (request) => ({ asked: request.params.id, items }));
fastify.listen({ port: 0, host: '127.0.0.1' }).then(() => console.log(fastify.server.address().port));
process.stdin.on('end', () => process.exit()).resume();
