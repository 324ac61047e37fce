'use strict';
// Random values, hashes, HMAC, derived keys and key objects: values, and what is refused with which words.
const crypto = require('crypto');
const outcomes = new Map();
// Outcomes, and what leads to each.
const show = (name, run) => {
  let outcome;
  try {
    const value = run();
    outcome = Buffer.isBuffer(value) ? `bytes ${value.toString('hex').slice(0, 64)}` : value instanceof ArrayBuffer ? `a buffer of ${value.byteLength}` : typeof value === 'object' && value !== null ? `${value.constructor.name} ${JSON.stringify(value)}` : String(value);
  } catch (error) {
    const { stack, opensslErrorStack, ...fields } = error;
    outcome = `${error.name} ${Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(' ')} ${error.message.split('\n')[0].replace(/ Received .*/, '')}`;
  }
  outcomes.set(outcome, [...outcomes.get(outcome) ?? [], name]);
};
const W = [undefined, null, -1, 1.5, NaN, 2 ** 31, 2 ** 53, 'x', {}, true];
const s = (v) => v === undefined ? 'undefined' : typeof v === 'number' ? String(v) : JSON.stringify(v);
show('hash x', () => crypto.createHash('x'));
for (const v of [undefined, null, 1, {}]) {
  show('hash ' + s(v), () => crypto.createHash(v));
  show('update ' + s(v), () => crypto.createHash('md5').update(v));
  show('hmac ' + s(v), () => crypto.createHmac('md5', v));
  show('hmac alg ' + s(v), () => crypto.createHmac(v, 'k'));
}
show('hmac x', () => crypto.createHmac('x', 'k'));
show('digest twice', () => {
  const h = crypto.createHash('md5');
  h.digest();
  h.digest();
});
show('update after', () => {
  const h = crypto.createHash('md5');
  h.digest();
  h.update('x');
});
show('copy after', () => {
  const h = crypto.createHash('md5');
  h.digest();
  h.copy();
});
show('hmac digest twice', () => {
  const h = crypto.createHmac('md5', 'k');
  h.digest('hex');
  return h.digest('hex');
});
show('hmac update after', () => {
  const h = crypto.createHmac('md5', 'k');
  h.digest();
  h.update('x');
});
for (const enc of ['hex', 'base64', 'base64url', 'latin1', 'binary', 'buffer', 'utf8', 'ucs2', 'x', undefined, null, 1, 'HEX']) {
  show('digest enc ' + s(enc), () => crypto.createHash('md5').update('a').digest(enc));
  show('upd enc ' + s(enc), () => crypto.createHash('md5').update('61', enc).digest('hex'));
  show('hmac dig ' + s(enc), () => crypto.createHmac('md5', 'k').update('a').digest(enc));
}
for (const l of [0, 5, 32, 64, -1, 1.5, 2 ** 32, 'x']) {
  show('shake ' + l, () => crypto.createHash('shake128', { outputLength: l }).update('a').digest('hex').slice(0, 80));
  show('sha outlen ' + l, () => crypto.createHash('sha256', { outputLength: l }).digest('hex').length);
}
show('RSA-SHA256', () => crypto.createHash('RSA-SHA256').digest('hex'));
show('SHA256', () => crypto.createHash('SHA256').digest('hex'));
show('sha512/256', () => crypto.createHash('sha512/256'));
show('whirlpool', () => crypto.createHash('whirlpool'));
show('md4', () => crypto.createHash('md4'));
for (const v of W) {
  show('rb ' + s(v), () => crypto.randomBytes(v).length);
  show('ri ' + s(v), () => crypto.randomInt(v) >= 0);
  show('ri2 ' + s(v), () => crypto.randomInt(5, v) >= 0);
  show('rfs ' + s(v), () => crypto.randomFillSync(v));
  show('rfs off ' + s(v), () => crypto.randomFillSync(Buffer.alloc(5), v).length);
  show('rfs size ' + s(v), () => crypto.randomFillSync(Buffer.alloc(5), 1, v).length);
  show('uuid ' + s(v), () => crypto.randomUUID(v).length);
  show('uuid opt ' + s(v), () => crypto.randomUUID({ disableEntropyCache: v }).length);
  show('rb cb ' + s(v), () => crypto.randomBytes(1, v) === undefined);
  show('rf cb ' + s(v), () => crypto.randomFill(Buffer.alloc(1), v));
  show('tse ' + s(v), () => crypto.timingSafeEqual(v, Buffer.alloc(1)));
  show('tse2 ' + s(v), () => crypto.timingSafeEqual(Buffer.alloc(1), v));
}
show('tse len', () => crypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)));
show('ri order', () => crypto.randomInt(5, 3));
show('ri big', () => crypto.randomInt(0, 2 ** 48));
show('ri eq', () => crypto.randomInt(0, 2 ** 48 - 1) >= 0);
show('rfs off>', () => crypto.randomFillSync(Buffer.alloc(5), 6));
show('rfs size>', () => crypto.randomFillSync(Buffer.alloc(5), 3, 3));
show('rfs u16', () => crypto.randomFillSync(new Uint16Array(5), 6));
show('rfs f', () => crypto.randomFillSync(new Float64Array(2)).length);
show('rfs ab', () => crypto.randomFillSync(new ArrayBuffer(5)));
for (const v of W) {
  show('pb pw ' + s(v), () => crypto.pbkdf2Sync(v, 's', 1, 8, 'md5'));
  show('pb salt ' + s(v), () => crypto.pbkdf2Sync('p', v, 1, 8, 'md5'));
  show('pb it ' + s(v), () => v === 2 ** 31 ? 0 : crypto.pbkdf2Sync('p', 's', v, 8, 'md5'));
  show('pb len ' + s(v), () => crypto.pbkdf2Sync('p', 's', 1, v, 'md5'));
  show('pb dig ' + s(v), () => crypto.pbkdf2Sync('p', 's', 1, 8, v));
  show('pb cb ' + s(v), () => crypto.pbkdf2('p', 's', 1, 8, 'md5', v));
  show('sc N ' + s(v), () => crypto.scryptSync('p', 's', 8, { N: v }));
  show('sc cost ' + s(v), () => crypto.scryptSync('p', 's', 8, { cost: v }));
  show('sc r ' + s(v), () => crypto.scryptSync('p', 's', 8, { N: 2, r: v }));
  show('sc p ' + s(v), () => crypto.scryptSync('p', 's', 8, { N: 2, p: v }));
  show('sc mm ' + s(v), () => crypto.scryptSync('p', 's', 8, { N: 2, maxmem: v }));
  show('sc len ' + s(v), () => crypto.scryptSync('p', 's', v, { N: 2 }));
  show('sc opt ' + s(v), () => crypto.scryptSync('p', 's', 8, v));
  show('sc pw ' + s(v), () => crypto.scryptSync(v, 's', 8));
  show('hk dig ' + s(v), () => crypto.hkdfSync(v, 'k', 's', 'i', 8));
  show('hk key ' + s(v), () => crypto.hkdfSync('md5', v, 's', 'i', 8));
  show('hk salt ' + s(v), () => crypto.hkdfSync('md5', 'k', v, 'i', 8));
  show('hk info ' + s(v), () => crypto.hkdfSync('md5', 'k', 's', v, 8));
  show('hk len ' + s(v), () => crypto.hkdfSync('md5', 'k', 's', 'i', v));
  show('hk cb ' + s(v), () => crypto.hkdf('md5', 'k', 's', 'i', 8, v));
  show('sc cb ' + s(v), () => crypto.scrypt('p', 's', 8, v));
}
show('sc both', () => crypto.scryptSync('p', 's', 8, { N: 2, cost: 2 }));
show('sc N3', () => crypto.scryptSync('p', 's', 8, { N: 3 }));
show('sc mem', () => crypto.scryptSync('p', 's', 8, { N: 2 ** 20 }));
show('hk long', () => crypto.hkdfSync('md5', 'k', 's', 'i', 256 * 16));
show('hk info long', () => crypto.hkdfSync('md5', 'k', 's', 'i'.repeat(1025), 8));
show('pb 0', () => crypto.pbkdf2Sync('p', 's', 1, 0, 'md5'));
show('hk empty key', () => crypto.hkdfSync('md5', '', 's', 'i', 8));
for (const v of W) {
  show('sk ' + s(v), () => crypto.createSecretKey(v));
  show('sk enc ' + s(v), () => crypto.createSecretKey('61', v));
  show('hash one ' + s(v), () => crypto.hash(v, 'a'));
  show('hash enc ' + s(v), () => crypto.hash('md5', 'a', v));
  show('gk ' + s(v), () => crypto.generateKeySync(v, { length: 128 }));
  show('gk len ' + s(v), () => crypto.generateKeySync('hmac', { length: v }));
  show('gk aes len ' + s(v), () => crypto.generateKeySync('aes', { length: v }));
}
const k = crypto.createSecretKey(Buffer.from('abc'));
show('k type', () => [k.type, k.symmetricKeySize, k.asymmetricKeyType]);
for (const f of [undefined, 'buffer', 'jwk', 'der', 'x', 1])
  show('k export ' + s(f), () => k.export(f === undefined ? undefined : { format: f }));
show('k export str', () => k.export('x'));
show('k eq', () => k.equals(crypto.createSecretKey(Buffer.from('abc'))));
show('k eq x', () => k.equals('x'));
show('hmac key', () => crypto.createHmac('md5', k).digest('hex'));
show('KeyObject', () => new crypto.KeyObject('secret'));
show('KeyObject2', () => new crypto.KeyObject('x', {}));
show('KO.from', () => crypto.KeyObject.from(1));
for (const [outcome, names] of outcomes)
  console.log(`${outcome} <- ${names.join(', ')}`);
