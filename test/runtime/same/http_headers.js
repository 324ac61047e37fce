// The headers of what is sent: setting, asking, removing, what is written by itself, and what is refused.
'use strict';
const http = require('http');
const net = require('net');

function attempt(name, act) {
  try {
    console.log(name, act());
  } catch (error) {
    console.log(name, `${error.name} ${error.code}: ${error.message}`.replace(/\r/g, 'CR'));
  }
}

const message = new http.OutgoingMessage();
attempt('set', () => message.setHeader('X-One', 1) === message);
attempt('set a list', () => message.setHeader('x-list', ['a', 'b']) && message.getHeader('X-LIST'));
attempt('append', () => message.appendHeader('X-One', 'two').appendHeader('x-new', 'n') && message.getHeader('x-one'));
attempt('append a list', () => message.appendHeader('X-New', ['m', 'l']).getHeader('x-new'));
attempt('names', () => message.getHeaderNames());
attempt('raw names', () => message.getRawHeaderNames());
attempt('headers', () => message.getHeaders());
attempt('has', () => [message.hasHeader('X-ONE'), message.hasHeader('x-two')]);
attempt('remove', () => [message.removeHeader('x-one'), message.hasHeader('x-one')]);
attempt('setHeaders', () => message.setHeaders(new Map([['a', '1'], ['set-cookie', ['x=1', 'y=2']], ['set-cookie ', 1]])));
attempt('setHeaders with a Map', () => message.setHeaders(new Map([['b', '2'], ['set-cookie', 'z=3']])).getHeaders());
for (const value of [undefined, null, {}, [], 'a', 5]) attempt(`setHeaders(${JSON.stringify(value)})`, () => message.setHeaders(value));
for (const name of ['', ' ', 'a b', 'a:b', 'é', 'a\r\nb', 5, null, undefined, {}, 'a(b)', "!#$%&'*+-.^_`|~09azAZ"]) {
  attempt(`name ${JSON.stringify(name)}`, () => message.setHeader(name, 'x') && 'fine');
  attempt(`getHeader ${JSON.stringify(name)}`, () => message.getHeader(name));
}
for (const value of ['', 'a\tb', 'a\r\nb', 'a\nb', 'a\0b', 'é', '日', '\x7f', 5, null, undefined, true, ['a', 'b\n'], [], Symbol.iterator.description])
  attempt(`value ${JSON.stringify(value)}`, () => message.setHeader('x', value) && 'fine');
attempt('validateHeaderName', () => http.validateHeaderName('a b'));
attempt('validateHeaderName with a label', () => http.validateHeaderName('', 'Label'));
attempt('validateHeaderValue', () => http.validateHeaderValue('a', undefined));
attempt('validateHeaderValue with a line', () => http.validateHeaderValue('a', 'b\r\n'));
attempt('write', () => new http.OutgoingMessage().write('a'));
attempt('flushHeaders', () => new http.OutgoingMessage().flushHeaders());
attempt('addTrailers', () => new http.OutgoingMessage().addTrailers({ 'a b': 1 }));
attempt('addTrailers with a line', () => new http.OutgoingMessage().addTrailers({ a: 'b\n' }));
attempt('_implicitHeader', () => new http.OutgoingMessage()._implicitHeader());

// What a server writes, without the date.
const answers = {
  plain: (response) => response.end('text'),
  empty: (response) => response.end(),
  pieces: (response) => {
    response.write('a');
    response.end('b');
  },
  'no content': (response) => response.writeHead(204).end('text'),
  'not modified': (response) => response.writeHead(304).end(),
  reason: (response) => response.writeHead(200, 'Very fine').end(),
  'unknown status': (response) => response.writeHead(299).end(),
  'statusCode and statusMessage': (response) => {
    response.statusCode = 404;
    response.statusMessage = 'Nowhere';
    response.end();
  },
  headers: (response) => response.writeHead(200, { A: 1, b: ['x', 'y'], 'Set-Cookie': ['c=1', 'd=2'] }).end(),
  'a list of headers': (response) => response.writeHead(200, ['A', '1', 'a', '2', 'B', ['3', '4']]).end(),
  'an odd list': (response) => response.writeHead(200, ['A', '1', 'a']).end(),
  'set and written': (response) => {
    response.setHeader('A', '1');
    response.setHeader('B', '2');
    response.writeHead(200, { a: '3', C: '4' }).end();
  },
  'set and a list': (response) => {
    response.setHeader('A', '1');
    response.writeHead(200, ['a', '3', 'a', '4']).end();
  },
  'own length': (response) => response.writeHead(200, { 'Content-Length': 4 }).end('text'),
  'own encoding': (response) => response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end('text'),
  'close': (response) => response.writeHead(200, { Connection: 'close' }).end('text'),
  'keep-alive by itself': (response) => response.writeHead(200, { 'Keep-Alive': 'timeout=1' }).end('text'),
  'no date': (response) => {
    response.sendDate = false;
    response.end();
  },
  'nothing by itself': (response) => {
    for (const name of ['date', 'connection', 'content-length', 'transfer-encoding']) response.removeHeader(name);
    response.end('text');
  },
  'no length': (response) => {
    response.removeHeader('content-length');
    response.end('text');
  },
  'no encoding': (response) => {
    response.removeHeader('transfer-encoding');
    response.write('te');
    response.end('xt');
  },
  trailers: (response) => {
    response.writeHead(200, { Trailer: 'A' });
    response.write('a');
    response.addTrailers({ A: '1', B: ['2', '3'] });
    response.addTrailers([['C', '4']]);
    response.end();
  },
  'trailer with a length': (response) => response.writeHead(200, { Trailer: 'A', 'Content-Length': 1 }).end('x'),
  'early hints': (response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload', 'x-trace': 'id' });
    response.writeEarlyHints({ link: ['</a>; rel=preload; as=style', '</b>; rel="preload"'] });
    response.writeEarlyHints({ link: [] });
    response.writeEarlyHints({});
    response.writeProcessing();
    response.writeContinue();
    response.end();
  },
  'bad hint': (response) => response.writeEarlyHints({ link: 'a' }),
  'bad hints': (response) => response.writeEarlyHints('a'),
  'status 99': (response) => response.writeHead(99),
  'status 1000': (response) => response.writeHead(1000),
  'status of letters': (response) => response.writeHead('abc'),
  'reason with a line': (response) => response.writeHead(200, 'a\r\nb'),
  'header with a line': (response) => response.writeHead(200, { a: 'b\r\nc' }),
  'twice': (response) => response.writeHead(200).writeHead(200),
  'set too late': (response) => response.writeHead(200).setHeader('a', 'b'),
  'append too late': (response) => response.writeHead(200).appendHeader('a', 'b'),
  'remove too late': (response) => response.writeHead(200).removeHeader('a'),
  'a length that is wrong': (response) => {
    response.strictContentLength = true;
    response.writeHead(200, { 'Content-Length': 3 });
    response.write('text');
  },
  'too little': (response) => {
    response.strictContentLength = true;
    response.writeHead(200, { 'Content-Length': 5 });
    response.end('text');
  },
  'null': (response) => response.write(null),
  'a number': (response) => response.write(5),
  'bytes': (response) => response.end(new Uint8Array([104, 105])),
  'latin text': (response) => response.writeHead(200, { 'X-A': 'é' }).end('é', 'latin1'),
  'a name in Latin-1': (response) => response.writeHead(200, { 'Content-Length': 1, 'Content-Disposition': 'filename="é"' }).end('x'),
  corked: (response) => {
    response.cork();
    response.write('a');
    response.write('bc');
    response.uncork();
    response.end();
  },
  'corked after the header': (response) => {
    response.write('a');
    response.cork();
    response.write('b');
    response.write('cd');
    response.uncork();
    response.end('e');
  },
};

function ask(name, method, version, more = '') {
  return new Promise((resolve) => {
    const server = http.createServer({ uniqueHeaders: ['x-unique'] }, (request, response) => {
      try {
        answers[name](response);
      } catch (error) {
        console.log(`${name}: ${error.name} ${error.code}: ${error.message}`);
        request.socket.destroy();
      }
    });
    server.listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1');
      let text = '';
      client.on('data', (bytes) => text += bytes.toString('latin1'));
      client.on('close', () => {
        console.log(`${name} ${method} ${version}: ${JSON.stringify(text.replace(/Date: [^\r]*/g, 'Date: now'))}`);
        server.close(resolve);
      });
      client.write(`${method} / HTTP/${version}\r\nHost: a\r\n${more}\r\n`);
      setTimeout(() => client.end(), 30);
    });
  });
}

(async () => {
  for (const name in answers) await ask(name, 'GET', '1.1');
  for (const name of ['plain', 'pieces', 'own length', 'close']) {
    await ask(name, 'HEAD', '1.1');
    await ask(name, 'GET', '1.0');
    await ask(name, 'GET', '1.0', 'Connection: keep-alive\r\n');
    await ask(name, 'GET', '1.1', 'Connection: close\r\n');
  }
})();
