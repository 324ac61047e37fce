// A server that answers after half a minute, and its client.
const http = require('http');
const server = http.createServer((request, response) => {
  setTimeout(() => response.end('late'), 30000);
});
server.listen(0, '127.0.0.1', () => {
  const began = Date.now();
  http.get({ host: '127.0.0.1', port: server.address().port, agent: false }, (response) => {
    response.on('data', (data) => console.log(String(data), Date.now() - began >= 30000));
    response.on('end', () => server.close());
  });
});
