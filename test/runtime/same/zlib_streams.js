'use strict';
// zlib's streams: the order of their events, flushing, changing parameters, closing early, and
// sizes of chunks, which are those of the output buffers.
const zlib = require('zlib');
const { pipeline, Readable } = require('stream');
const { log } = console;
const packed = zlib.gzipSync('hello');

const watch = (name, stream, events = ['data', 'end', 'finish', 'close', 'error', 'drain', 'prefinish']) => {
  for (const event of events) stream.on(event, (value) => log(name, event, value === undefined ? '' : value instanceof Error ? value.code : String(value)));
  return stream;
};
const code = (error) => error?.code;
const steps = [
  (next) => { // padding is skipped, anything else is the head of another member
    const gunzip = watch('members', zlib.createGunzip()).on('close', next);
    gunzip.write(packed);
    gunzip.write(Buffer.alloc(10), (error) => log('zeros written', code(error)));
    gunzip.write('more', (error) => log('more written', code(error)));
    gunzip.end((error) => log('ended', code(error)));
  },
  (next) => {
    const deflate = zlib.createDeflate();
    let size = 0;
    deflate.on('data', (part) => { size += part.length; });
    deflate.write('abc');
    deflate.flush(() => {
      log('flushed', size > 0);
      deflate.params(9, 0, (error) => {
        log('changed', code(error), deflate._level);
        deflate.end('x', () => log('ended', deflate.bytesWritten));
        deflate.flush(() => log('flushed after the end was asked for'));
      });
    });
    deflate.on('close', () => {
      deflate.flush((error) => log('flushed after finish', code(error)));
      deflate.on('error', (error) => log('error', error.code));
      deflate.write('x', (error) => log('written after', error.code));
      setImmediate(next);
    });
  },
  (next) => {
    const inflate = watch('junk', zlib.createInflate()).on('close', next);
    inflate.on('error', (error) => log(error.message, error.errno, Object.keys(error), inflate._closed, inflate.destroyed, inflate.bytesWritten));
    inflate.write('junk', (error) => log('junk written', code(error)));
    inflate.write('more', (error) => log('more written', code(error)));
  },
  (next) => {
    const gzip = watch('closed', zlib.createGzip());
    gzip.write('abc', (error) => { // the work was under way
      log('abc written', code(error));
      next();
    });
    gzip.close((error) => log('closed', code(error)));
    log(gzip._closed, gzip.destroyed);
  },
  (next) => {
    const gunzip = watch('cut', zlib.createGunzip()).on('close', next);
    gunzip.end(packed.subarray(0, -2));
  },
  (next) => { // begun anew, it is two members
    const gzip = zlib.createGzip();
    const parts = [];
    gzip.write('abc');
    gzip.flush(zlib.constants.Z_FINISH, () => {
      gzip.reset();
      gzip.end('def');
    });
    gzip.on('data', (part) => parts.push(part)).on('end', () => log('reset', String(zlib.gunzipSync(Buffer.concat(parts))))).on('close', next);
  },
  (next) => { // sizes of chunks, with a reader that pauses
    const sizes = [];
    const gunzip = zlib.createGunzip({ chunkSize: 1000, highWaterMark: 100 });
    gunzip.on('readable', () => {
      for (let part; (part = gunzip.read()) !== null;) sizes.push(part.length);
    });
    gunzip.on('end', () => log('sizes', sizes.reduce((sum, size) => sum + size), sizes[0])).on('close', next);
    gunzip.end(zlib.gzipSync(Buffer.alloc(5500, 'abcdefg')));
  },
  (next) => {
    const sizes = [];
    zlib.createInflate({ chunkSize: 64 }).on('data', (part) => sizes.push(part.length)).on('close', () => {
      log('small', sizes.join());
      next();
    }).end(zlib.deflateSync('z'.repeat(300)));
  },
  (next) => { // one byte at a time, both ways
    const bytes = function* (buffer) { for (const byte of buffer) yield Buffer.from([byte]); };
    const parts = [];
    pipeline(Readable.from(bytes(Buffer.from('byte by byte '.repeat(20)))), zlib.createBrotliCompress(), zlib.createBrotliDecompress(),
      zlib.createDeflateRaw(), zlib.createInflateRaw(), zlib.createGzip(), zlib.createUnzip(), async function (source) {
        for await (const part of source) parts.push(part);
      }, (error) => {
        log('pipeline', code(error), Buffer.concat(parts).length);
        pipeline(Readable.from(bytes(packed)), zlib.createUnzip(), async function (source) {
          for await (const part of source) log('unzipped', String(part));
        }, next);
      });
  },
  (next) => { // more than the pool's threads at once
    let left = 10;
    for (let i = 0; i < 10; i++)
      zlib.gzip(Buffer.alloc(100000, i), (error, data) => zlib.unzip(data, (failed, back) => {
        if (failed || back.length !== 100000 || back[5] !== i) log('wrong', i);
        if (--left === 0) next();
      }));
  },
  (next) => { // an error in a callback reaches the program
    process.once('uncaughtException', (error) => {
      log('caught', error.message);
      next();
    });
    zlib.deflate('x', () => { throw new Error('mine'); });
  },
  (next) => { // destroyed in a listener of its data
    const gunzip = watch('destroyed', zlib.createGunzip({ chunkSize: 64 }), ['end', 'close', 'error']).on('close', next);
    gunzip.once('data', (part) => {
      log(part.length);
      gunzip.destroy();
    });
    gunzip.end(zlib.gzipSync(Buffer.alloc(1000)));
  },
  (next) => {
    const brotli = zlib.createBrotliCompress();
    const parts = [];
    brotli.on('data', (part) => parts.push(part));
    brotli.write('abc');
    brotli.flush(() => {
      log('brotli flushed', parts.length > 0);
      brotli.flush(zlib.constants.BROTLI_OPERATION_FLUSH);
      brotli.end('def', () => log('brotli finished'));
    });
    brotli.on('end', () => log(String(zlib.brotliDecompressSync(Buffer.concat(parts))))).on('close', next);
  },
  (next) => { // a dictionary
    const dictionary = Buffer.from('a long dictionary');
    const deflate = zlib.createDeflate({ dictionary });
    const inflate = zlib.createInflate({ dictionary });
    deflate.pipe(inflate).on('data', (part) => log(String(part))).on('close', next);
    deflate.end('a dictionary');
  },
  (next) => { // the last chunks are finished with, also a flush
    const gzip = zlib.createGzip();
    const parts = [];
    for (const text of ['abc', 'def']) {
      gzip.write(text, () => log('written', text));
      gzip.flush(zlib.constants.Z_PARTIAL_FLUSH, () => parts.push(gzip.read()));
    }
    gzip.end(() => {
      log('ended', parts.map((part) => part.length > 0).join());
      gzip.resume();
    });
    gzip.on('end', next);
  },
  (next) => { // flush: everything that is written comes at once
    const gzip = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH });
    let size = 0;
    gzip.on('data', (part) => { size += part.length; });
    gzip.write('abc', () => setImmediate(() => {
      log('came at once', size > 10);
      gzip.end();
    }));
    gzip.on('close', next);
  },
  (next) => {
    zlib.gunzip(zlib.gzipSync(Buffer.alloc(1e6)), { maxOutputLength: 1000 }, (error, data) => {
      log(error.name, error.code, error.message, data);
      zlib.gzip('x', { info: true }, (failed, result) => {
        log(failed, Object.keys(result), result.engine.bytesWritten, result.engine._handle);
        next();
      });
    });
  },
  (next) => {
    const gunzip = zlib.promisified ?? require('util').promisify(zlib.gunzip);
    gunzip('junk').catch((error) => log('rejected', error.code)).then(() => gunzip(packed)).then((data) => {
      log('resolved', String(data));
      next();
    });
  },
  (next) => {
    const gzip = zlib.createGzip();
    process.once('warning', (warning) => {
      log(warning.code, gzip.bytesWritten);
      next();
    });
    process.removeAllListeners('warning');
    process.once('warning', (warning) => {
      log(warning.code, gzip.bytesWritten);
      next();
    });
    gzip.bytesRead = 5;
    log(gzip.bytesRead);
  },
];
(function next() {
  const step = steps.shift();
  if (step !== undefined) step(() => setImmediate(next));
})();
