// Requests that come whole and byte by byte, over a stream that is no socket: what is seen is the same.
'use strict';
const http = require('http');
const { Duplex } = require('stream');

const HOST = 'Host: a\r\n';
const CHUNKED = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
const CASES = {
  plain: `GET /path HTTP/1.1\r\n${HOST}A: 1\r\nB:  2 \r\nC:\r\n\r\n`,
  body: `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
  chunks: `${CHUNKED}3;x=y\r\nabc\r\n00002\r\nde\r\n0\r\nT: 1\r\n\r\n`,
  pipelined: `GET /1 HTTP/1.1\r\n${HOST}\r\nPOST /2 HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nabGET /3 HTTP/1.1\r\n${HOST}\r\n`,
  'chunked and another': `${CHUNKED}1\r\na\r\n0\r\n\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n`,
  'bare LF': 'GET / HTTP/1.1\r\nHost: a\nB: 1\r\n\r\n',
  'LF after the line': `GET / HTTP/1.1\n${HOST}\r\n`,
  'LF at the end': `GET / HTTP/1.1\r\n${HOST}\n`,
  folded: `GET / HTTP/1.1\r\n${HOST}A: 1\r\n 2\r\n\r\n`,
  'no name': `GET / HTTP/1.1\r\n${HOST}: 1\r\n\r\n`,
  'both lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'bad LF in the second': `GET /1 HTTP/1.1\r\n${HOST}\r\nGET /2 HTTP/1.1\r\nHost: a\n\r\n`,
  'folded trailer': `${CHUNKED}0\r\nT: 1\r\n 2\r\n\r\n`,
  'LF after a trailer': `${CHUNKED}0\r\nT: 1\n\r\n`,
  'LF after the trailers': `${CHUNKED}0\r\nT: 1\r\n\n`,
  'length in a trailer': `${CHUNKED}0\r\nContent-Length: 1\r\n\r\n`,
  'bad chunk size': `${CHUNKED}x\r\n`,
  'space before colon': `GET / HTTP/1.1\r\n${HOST}A : 1\r\n\r\n`,
};

class Wire extends Duplex {
  constructor() {
    super({ allowHalfOpen: true });
    this.written = '';
  }
  _read() {}
  _write(bytes, encoding, callback) {
    this.written += bytes.toString('latin1');
    callback();
  }
}

function send(text, pieces) {
  return new Promise((resolve) => {
    const seen = [];
    const server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (bytes) => body += bytes);
      request.on('error', (error) => seen.push(`fails: ${error.code}`));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)} ${JSON.stringify(body)} ${JSON.stringify(request.rawTrailers)}`);
        response.end();
      });
    });
    server.on('clientError', (error, wire) => {
      seen.push(`error ${error.code} ${error.reason}`);
      wire.destroy();
    });
    const wire = new Wire();
    wire.on('error', () => {});
    server.emit('connection', wire);
    let at = 0;
    const step = () => {
      if (at < text.length && !wire.destroyed) {
        wire.push(Buffer.from(text.slice(at, at + pieces), 'latin1'));
        at += pieces;
        setImmediate(step);
      } else {
        setImmediate(() => setImmediate(() => {
          wire.destroy();
          resolve(seen.join('; '));
        }));
      }
    };
    step();
  });
}

(async () => {
  for (const name in CASES) {
    const whole = await send(CASES[name], CASES[name].length);
    console.log(`${name}: ${whole}`);
    for (const size of [1, 2, 3, 7, 16]) {
      const split = await send(CASES[name], size);
      if (split !== whole) console.log(`  in pieces of ${size}: ${split}`);
    }
  }
})();
