// Waits for a connection that nobody will ever make.
require('net').createServer(() => {}).listen(0, '127.0.0.1');
