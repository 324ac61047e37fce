// Requests and responses that break the rules: which are refused, with which error, and what is
// seen of the others. A server that reads where one request ends otherwise than the proxy before it
// can be made to take one request for two.
'use strict';
const http = require('http');
const net = require('net');

const HOST = 'Host: a\r\n';
const REQUESTS = {
  good: `GET / HTTP/1.1\r\n${HOST}\r\n`,
  'no host': 'GET / HTTP/1.1\r\n\r\n',
  'version 1.0': 'GET / HTTP/1.0\r\n\r\n',
  'version 1.2': `GET / HTTP/1.2\r\n${HOST}\r\n`,
  'version 2.0': `GET / HTTP/2.0\r\n${HOST}\r\n`,
  'version 0.9': `GET / HTTP/0.9\r\n${HOST}\r\n`,
  'no version': 'GET /\r\n\r\n',
  'no protocol': `GET / FTP/1.1\r\n${HOST}\r\n`,
  'version in small letters': `GET / http/1.1\r\n${HOST}\r\n`,
  'method in small letters': `get / HTTP/1.1\r\n${HOST}\r\n`,
  'unknown method': `HELLO / HTTP/1.1\r\n${HOST}\r\n`,
  'empty line first': `\r\n\r\nGET / HTTP/1.1\r\n${HOST}\r\n`,
  'space first': ` GET / HTTP/1.1\r\n${HOST}\r\n`,
  'two spaces': `GET  / HTTP/1.1\r\n${HOST}\r\n`,
  'tab in the line': `GET\t/ HTTP/1.1\r\n${HOST}\r\n`,
  'space in the path': `GET /a b HTTP/1.1\r\n${HOST}\r\n`,
  'space after the version': `GET / HTTP/1.1 \r\n${HOST}\r\n`,
  'control in the path': `GET /\x01 HTTP/1.1\r\n${HOST}\r\n`,
  'latin in the path': `GET /\xe9 HTTP/1.1\r\n${HOST}\r\n`,
  'a whole URL': `GET http://a/b HTTP/1.1\r\n${HOST}\r\n`,
  'a star': `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  'two hosts': `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`,
  'space before colon': `GET / HTTP/1.1\r\n${HOST}A : 1\r\n\r\n`,
  'space in the name': `GET / HTTP/1.1\r\n${HOST}A B: 1\r\n\r\n`,
  'no colon': `GET / HTTP/1.1\r\n${HOST}A\r\n\r\n`,
  'no name': `GET / HTTP/1.1\r\n${HOST}: 1\r\n\r\n`,
  'control in the name': `GET / HTTP/1.1\r\n${HOST}A\x01: 1\r\n\r\n`,
  'latin in the name': `GET / HTTP/1.1\r\n${HOST}A\xe9: 1\r\n\r\n`,
  'empty value': `GET / HTTP/1.1\r\n${HOST}A:\r\nB: \r\n\r\n`,
  'spaces around the value': `GET / HTTP/1.1\r\n${HOST}A: \t 1 2 \t \r\n\r\n`,
  'control in the value': `GET / HTTP/1.1\r\n${HOST}A: \x01\r\n\r\n`,
  'NUL in the value': `GET / HTTP/1.1\r\n${HOST}A: a\0b\r\n\r\n`,
  'DEL in the value': `GET / HTTP/1.1\r\n${HOST}A: a\x7fb\r\n\r\n`,
  'latin in the value': `GET / HTTP/1.1\r\n${HOST}A: \xe9\r\n\r\n`,
  'folded value': `GET / HTTP/1.1\r\n${HOST}A: 1\r\n 2\r\n\r\n`,
  'folded with tab': `GET / HTTP/1.1\r\n${HOST}A: 1\r\n\t2\r\n\r\n`,
  'folded first': `GET / HTTP/1.1\r\n A: 1\r\n${HOST}\r\n`,
  'LF after the line': `GET / HTTP/1.1\n${HOST}\r\n`,
  'LF after a field': `GET / HTTP/1.1\r\nHost: a\nB: 1\r\n\r\n`,
  'LF at the end': `GET / HTTP/1.1\r\n${HOST}\n`,
  'LF only': 'GET / HTTP/1.1\nHost: a\n\n',
  'CR in a value': `GET / HTTP/1.1\r\n${HOST}A: 1\rB: 2\r\n\r\n`,
  'CR without LF': `GET / HTTP/1.1\r\n${HOST}A: 1\r\r\n\r\n`,
  'CR at the end': `GET / HTTP/1.1\r\n${HOST}\r\r\n`,
  'both lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'both lengths, other order': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  'two lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
  'two equal lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`,
  'list of lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3, 3\r\n\r\nabc`,
  'length with sign': `POST / HTTP/1.1\r\n${HOST}Content-Length: +3\r\n\r\nabc`,
  'negative length': `POST / HTTP/1.1\r\n${HOST}Content-Length: -3\r\n\r\nabc`,
  'length of letters': `POST / HTTP/1.1\r\n${HOST}Content-Length: abc\r\n\r\nabc`,
  'empty length': `POST / HTTP/1.1\r\n${HOST}Content-Length:\r\n\r\n`,
  'length with spaces': `POST / HTTP/1.1\r\n${HOST}Content-Length: 3 \r\n\r\nabc`,
  'length with a space inside': `POST / HTTP/1.1\r\n${HOST}Content-Length: 1 2\r\n\r\nabc`,
  'hexadecimal length': `POST / HTTP/1.1\r\n${HOST}Content-Length: 0x3\r\n\r\nabc`,
  'length too large': `POST / HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999\r\n\r\nabc`,
  'largest length': `POST / HTTP/1.1\r\n${HOST}Content-Length: 18446744073709551616\r\n\r\nabc`,
  'length and GET': `GET / HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`,
  chunked: `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'chunked, capital': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: CHUNKED\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'gzip, chunked': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'chunked, gzip': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked, gzip\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'unknown encoding': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'chunked with a mark': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked;a\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'identity': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n\r\nabc`,
  'empty encoding': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding:\r\n\r\nabc`,
  'two encodings': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'two other encodings': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'encoding in 1.0': 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'chunk size of letters': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n`,
  'empty chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n\r\nabc\r\n0\r\n\r\n`,
  'negative chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n`,
  'chunk size with 0x': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n`,
  'chunk size too large': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\nabc\r\n0\r\n\r\n`,
  'space after the chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3 \r\nabc\r\n0\r\n\r\n`,
  'space before the chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n 3\r\nabc\r\n0\r\n\r\n`,
  'zeros before the chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0003\r\nabc\r\n0\r\n\r\n`,
  'chunk extension': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n`,
  'quoted chunk extension': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;a="b c"\r\nabc\r\n0\r\n\r\n`,
  'bad chunk extension': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;a\x01\r\nabc\r\n0\r\n\r\n`,
  'LF after the chunk size': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n`,
  'LF after a chunk': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\n0\r\n\r\n`,
  'LF in a chunk extension': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;\nabc\r\n0\r\n\r\n`,
  'chunk longer than said': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n`,
  'chunk without end': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc0\r\n\r\n`,
  trailers: `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: 1\r\nB: 2\r\n\r\n`,
  'bad trailer': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA : 1\r\n\r\n`,
  'length in a trailer': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n`,
  'after close': `GET /1 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n`,
  'after 1.0': `GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n`,
  'pipelined': `GET /1 HTTP/1.1\r\n${HOST}\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n`,
  'second is bad': `GET /1 HTTP/1.1\r\n${HOST}\r\nNONSENSE\r\n\r\n`,
  'body without length': `POST / HTTP/1.1\r\n${HOST}\r\nabc`,
  'upgrade nobody wants': `GET / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: x\r\n\r\n`,
  'upgrade with a body': `POST / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nabc`,
  'header too large': `GET / HTTP/1.1\r\n${HOST}A: ${'a'.repeat(20000)}\r\n\r\n`,
  'path too large': `GET /${'a'.repeat(20000)} HTTP/1.1\r\n${HOST}\r\n`,
  'many headers': `GET / HTTP/1.1\r\n${HOST}${'A: 1\r\n'.repeat(1500)}\r\n`,
  'chunk extension too large': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;${'a'.repeat(20000)}\r\nabc\r\n0\r\n\r\n`,
  'TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a response': 'HTTP/1.1 200 OK\r\n\r\n',
  'cut in the line': 'GET / HT',
  'cut in the header': `GET / HTTP/1.1\r\n${HOST}A: 1`,
  'cut in the body': `POST / HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\nabc`,
  'cut in a chunk': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`,
};

// What a lenient parser lets through hangs on the version of llhttp.
const BY_VERSION = {
  'version 1.2': 0, 'no name': 0, 'CR at the end': 0, 'space after the chunk size': 0, 'LF after the chunk size': 0,
  'LF after a chunk': 0, 'LF in a chunk extension': 0, 'chunk longer than said': 0, 'chunk without end': 0, 'method in small letters': 0,
};

const RESPONSES = {
  good: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'no reason': 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok',
  'empty reason': 'HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok',
  'latin in the reason': 'HTTP/1.1 200 \xe9\r\nContent-Length: 2\r\n\r\nok',
  'status of two digits': 'HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok',
  'status of four digits': 'HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok',
  'status of letters': 'HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok',
  'version 3.0': 'HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'no HTTP': 'ICY 200 OK\r\n\r\n',
  'LF only': 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
  'both lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok',
  'until the end': 'HTTP/1.1 200 OK\r\n\r\nok',
  'encoding other than chunked': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok',
  'chunked': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\n\r\n',
  'cut': 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok',
  'cut chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok',
  'nothing': '',
  'folded': 'HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nContent-Length: 2\r\n\r\nok',
  'header too large': `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20000)}\r\n\r\n`,
  'more than said': 'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno',
  '204 with a body': 'HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok',
  '304 with a length': 'HTTP/1.1 304 No\r\nContent-Length: 2\r\n\r\n',
  '100 first': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  '102 and 103 first': 'HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'upgrade nobody asked for': 'HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
};

const short = (text) => text.length > 200 ? `${text.slice(0, 80)}… (${text.length})` : text;
const latin = (text) => Buffer.from(text, 'latin1');

function ask(name, text, isInsecure) {
  return new Promise((resolve) => {
    const lines = [];
    const server = http.createServer({ insecureHTTPParser: isInsecure }, (request, response) => {
      let body = '';
      request.on('data', (bytes) => body += bytes.toString('latin1'));
      request.on('error', (error) => lines.push(`request fails: ${error.code} ${error.message}`));
      request.on('end', () => {
        lines.push(short(`${request.method} ${request.url} ${request.httpVersion} ${JSON.stringify(request.rawHeaders)} ${JSON.stringify(body)} ${
          JSON.stringify(request.rawTrailers)}`));
        response.end('ok');
      });
    });
    server.on('clientError', (error, socket) => {
      lines.push(`error ${error.code}: ${error.message} (${error.reason}), after ${error.bytesParsed} of ${error.rawPacket?.length}`);
      if (socket.writable) socket.end('HTTP/1.1 400 Bad\r\n\r\n');
    });
    server.listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1');
      let answer = '';
      client.on('data', (bytes) => {
        answer += bytes.toString('latin1');
      });
      client.on('error', () => {});
      client.on('close', () => {
        const status = (answer.match(/HTTP\/1\.1 \d+/g) ?? []).join(', ');
        console.log(`${name}${isInsecure ? ' (insecure)' : ''}: ${status || 'nothing'}`);
        for (const line of lines) console.log(`    ${line}`);
        server.close(resolve);
        server.closeAllConnections();
      });
      client.end(latin(text));
    });
  });
}

function answer(name, text) {
  return new Promise((resolve) => {
    const lines = [];
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(latin(text)));
    });
    server.listen(0, '127.0.0.1', () => {
      const request = http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
        let body = '';
        lines.push(`${response.statusCode} ${JSON.stringify(response.statusMessage)} ${response.httpVersion}`);
        response.on('data', (bytes) => body += bytes.toString('latin1'));
        response.on('end', () => lines.push(`end ${JSON.stringify(body)} ${JSON.stringify(response.rawTrailers)} complete ${response.complete}`));
        response.on('error', (error) => lines.push(`response fails: ${error.code} ${error.message}`));
        response.on('aborted', () => lines.push('aborted'));
      });
      request.on('information', ({ statusCode, statusMessage, rawHeaders }) => lines.push(`information ${statusCode} ${statusMessage} ${rawHeaders}`));
      request.on('error', (error) => lines.push(`error ${error.code}`));
      request.on('close', () => {
        setImmediate(() => {
          console.log(`${name}: ${lines.join('; ')}`);
          server.close(resolve);
        });
      });
    });
  });
}

(async () => {
  for (const name in REQUESTS) await ask(name, REQUESTS[name], false);
  for (const name in REQUESTS) if (!(name in BY_VERSION)) await ask(name, REQUESTS[name], true);
  console.log('\nresponses');
  for (const name in RESPONSES) await answer(name, RESPONSES[name]);
})();
