// A server that is slow in three ways, and its own client: check_node reads what
// `rondo trace --text` says about it.
const http = require('http');
const fs = require('fs');

const busy = (ms) => {
  const end = Date.now() + ms;
  while (Date.now() < end);
};

// Of the processor's time, so that a busy machine makes this longer, not the rest.
const work = (ms) => {
  const start = process.cpuUsage().user;
  while (process.cpuUsage().user - start < ms * 1000) for (let i = 0; i < 1e5; i++);
};

function onTimer() {
  busy(20);
}

function onFile(error, data, response) {
  busy(20);
  response.end(String(data.length));
}

const server = http.createServer(function onRequest(request, response) {
  if (request.url === '/file') {
    fs.readFile(__filename, function fileRead(error, data) { onFile(error, data, response); });
    return;
  }
  if (request.url.startsWith('/report')) work(400);
  response.end();
});

process.on('uncaughtException', () => {});
setTimeout(onTimer, 10);
setTimeout(() => { throw new Error('nobody catches this'); }, 15);

server.listen(0, '127.0.0.1', async () => {
  for (const path of ['/', '/report?key=secret', '/file', '/'])
    await new Promise((resolve) => {
      http.get({ port: server.address().port, path, agent: false }, (answer) => answer.resume().on('end', resolve));
    });
  server.close();
});
