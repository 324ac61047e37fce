'use strict';
// Hashes and ciphers as streams, what is done on the pool, the global crypto.
const own = require('crypto');
console.log(own.getHashes().join());
console.log(own.getCiphers().join());
console.log(own.constants.RSA_PKCS1_PADDING, own.constants.TLS1_2_VERSION);
const h = own.createHash('sha256');
h.on('readable', () => {
  const d2 = h.read();
  if (d2)
    console.log('stream', d2.toString('hex'));
});
h.write('abc');
h.end();
const cp = own.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16));
const l = [];
cp.on('data', (d2) => l.push(d2)).on('end', () => console.log('cipher', Buffer.concat(l).toString('hex')));
cp.end('hello');
const d = own.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16));
d.on('error', (e) => console.log(e.code, e.message));
d.end(Buffer.alloc(32));
// After the stream's end the digest can be asked for once more.
const late = own.createHash('sha3-256');
late.on('data', (bytes) => console.log('late', bytes.toString('hex') === late.digest('hex'))).on('end', () => {
  try {
    late.digest();
  } catch (error) {
    console.log(error.code);
  }
});
late.end('x');
console.log(own.createHash('shake128', { outputLength: 2 }).copy().digest('hex'));
own.createHash('md5').end('x').setEncoding('hex').on('data', (x) => console.log('md5', x));
console.log(Object.keys(own.createHash('md5')), own.createHash('md5') instanceof require('stream').Transform, own.createHash('md5').readable);
own.randomBytes(8, (e, b) => {
  console.log(e, b.length, Buffer.isBuffer(b));
  own.pbkdf2('p', 's', 1, 8, 'sha1', (e2, k2) => {
    console.log(e2, k2.toString('hex'));
    own.scrypt('p', 's', 8, { N: 2 }, (e3, k3) => {
      console.log(e3, k3);
      own.hkdf('md5', 'k', 's', 'i', 8, (e4, k4) => {
        console.log(e4, k4);
        own.randomFill(new Uint16Array(3), 1, (e5, b2) => {
          console.log(e5, b2.constructor.name, b2[0]);
          own.generateKey('aes', { length: 128 }, (e6, k5) => {
            console.log(e6, k5.symmetricKeySize, k5);
            own.randomInt(5, (e7, n) => {
              console.log(e7, n < 5);
            });
          });
        });
      });
    });
  });
});
console.log(crypto === own.webcrypto, Object.prototype.toString.call(crypto), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
const k = own.createSecretKey('abc');
console.log(k, require('util').types.isKeyObject(k), Object.prototype.toString.call(k));
const h1 = own.createHash('sha1').update('a');
const h2 = h1.copy();
console.log(h1.update('b').digest('hex'), h2.digest('base64'));
console.log(own.createHash('shake256', { outputLength: 4 }).update('a').copy({ outputLength: 2 }).digest('hex'));
for (const v of [1, new Float32Array(1), new Uint8Array(65537), new DataView(new ArrayBuffer(1))])
  try {
    crypto.getRandomValues(v);
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
;
try {
  crypto.getRandomValues.call(1, new Uint8Array(1));
} catch (e) {
  console.log(e.name, e.code, e.message);
}
;
try {
  new crypto.constructor();
} catch (e) {
  console.log(e.name, e.code, e.message);
}
console.log(crypto.getRandomValues(new Uint32Array(2)).length, own.getRandomValues(new BigInt64Array(2)).length, own.fips, own.getFips(), own.rng === own.randomBytes, own.webcrypto.constructor.name);
