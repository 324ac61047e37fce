'use strict';
// createReadStream and createWriteStream: events in order, ranges, errors, back-pressure.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pipeline } = require('stream');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
const file = (name) => path.join(dir, name);
const clean = (text) => String(text).split(dir).join('DIR');
const log = (...args) => console.log(...args.map((arg) => typeof arg === 'string' ? clean(arg) : arg));
const events = (name, stream) => {
  for (const event of ['open', 'ready', 'drain', 'finish', 'end', 'close', 'error'])
    stream.on(event, (value) => log(name, event, event === 'error' ? value.message : event === 'open' ? typeof value : ''));
  return stream;
};
const w = events('w', fs.createWriteStream(file('a'), { highWaterMark: 8 }));
log(w.path === file('a'), w.flags, w.mode, w.pending, w.fd, w.bytesWritten);
log(w.write('0123'), w.write('456789'), w.writableLength);
w.once('drain', () => {
  log(w.pending, w.bytesWritten, w.write('abcdef'));
  w.end('!', () => log('end callback', w.bytesWritten));
});
w.on('close', () => {
  log(fs.readFileSync(file('a'), 'utf8'));
  const r = events('r', fs.createReadStream(file('a'), { start: 2, end: 9, highWaterMark: 3, encoding: 'latin1' }));
  r.on('data', (chunk) => log('data', chunk, r.bytesRead));
  r.on('close', errors);
});
function errors() {
  events('missing', fs.createReadStream(file('none'))).on('close', () => {
    events('bad', fs.createWriteStream(file('no/dir'))).on('close', () => {
      events('dir', fs.createReadStream(dir)).on('close', append).resume();
    }).write('x', (error) => log('write callback', error.code));
  });
}
function append() {
  const stream = fs.createWriteStream(file('a'), { flags: 'r+', start: 4 });
  stream.end('ABC');
  stream.on('close', () => {
    log(fs.readFileSync(file('a'), 'utf8'));
    const fd = fs.openSync(file('a'));
    const kept = events('kept', fs.createReadStream(null, { fd, autoClose: false }));
    kept.on('data', (chunk) => log('data', chunk.toString()));
    kept.on('end', () => {
      log(fs.fstatSync(fd).size);
      fs.closeSync(fd);
      destroyed();
    });
  });
}
function destroyed() {
  const r = events('destroyed', fs.createReadStream(file('a')));
  r.on('open', () => r.destroy(new Error('enough')));
  r.on('close', async () => {
    const early = events('early', fs.createReadStream(file('a')));
    early.destroy();
    early.on('close', copy);
  });
}
function copy() {
  fs.writeFileSync(file('big'), Buffer.alloc(300000, 'x'));
  pipeline(fs.createReadStream(file('big')), fs.createWriteStream(file('big2')), async (error) => {
    log('pipeline', error, fs.statSync(file('big2')).size);
    let chunks = [];
    for await (const chunk of fs.createReadStream(file('big2'))) chunks.push(chunk.length);
    log(chunks);
    pipeline(fs.createReadStream(file('big')), fs.createWriteStream(file('no/where')), (failed) => {
      log('pipeline', failed.code);
      fs.createReadStream(file('a')).pipe(fs.createWriteStream(file('b'))).on('finish', () => {
        log(fs.readFileSync(file('b'), 'utf8'));
        fs.rmSync(dir, { recursive: true });
      });
    });
  });
}
