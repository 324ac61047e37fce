'use strict';
// Ciphers: values, and what is refused with which words.
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
const W = [undefined, null, -1, 1.5, 'x', {}, true];
const s = (v) => v === undefined ? 'undefined' : typeof v === 'number' ? String(v) : JSON.stringify(v);
const k = Buffer.alloc(16, 1), iv = Buffer.alloc(16, 2);
for (const v of W) {
  show('alg ' + s(v), () => crypto.createCipheriv(v, k, iv));
  show('key ' + s(v), () => crypto.createCipheriv('aes-128-cbc', v, iv));
  show('iv ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, v));
  show('iv ecb ' + s(v), () => crypto.createCipheriv('aes-128-ecb', k, v));
  show('update ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv).update(v));
  show('update enc ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv).update('61'.repeat(16), v));
  show('update out ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv).update('61'.repeat(16), 'hex', v));
  show('final out ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv).final(v));
  show('aad ' + s(v), () => crypto.createCipheriv('aes-128-gcm', k, iv).setAAD(v));
  show('tag ' + s(v), () => crypto.createDecipheriv('aes-128-gcm', k, iv).setAuthTag(v));
  show('taglen ' + s(v), () => crypto.createCipheriv('aes-128-gcm', k, iv, { authTagLength: v }));
  show('taglen ccm ' + s(v), () => crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: v }));
  show('opts ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv, v));
  show('pad ' + s(v), () => crypto.createCipheriv('aes-128-cbc', k, iv).setAutoPadding(v));
  show('info ' + s(v), () => crypto.getCipherInfo(v));
  show('info opt ' + s(v), () => crypto.getCipherInfo('aes-128-cbc', v));
  show('info kl ' + s(v), () => crypto.getCipherInfo('aes-128-cbc', { keyLength: v }));
  show('info ivl ' + s(v), () => crypto.getCipherInfo('aes-128-gcm', { ivLength: v }));
}
show('short key', () => crypto.createCipheriv('aes-128-cbc', Buffer.alloc(15), iv));
show('short iv', () => crypto.createCipheriv('aes-128-cbc', k, Buffer.alloc(15)));
show('gcm iv0', () => crypto.createCipheriv('aes-128-gcm', k, Buffer.alloc(0)));
show('cbc iv null', () => crypto.createCipheriv('aes-128-cbc', k, null));
show('ecb iv', () => crypto.createCipheriv('aes-128-ecb', k, iv));
show('ecb', () => crypto.createCipheriv('aes-128-ecb', k, null).update('a'.repeat(16)));
for (const n of ['aes-128-cbc', 'AES-128-CBC', 'aes128', 'aes-256-gcm', 'chacha20-poly1305', 'aes-128-ctr', 'aes-128-ccm', 'id-aes128-GCM', 'aes-128-wrap', 'aes128-wrap', 'des-ede3-cbc', 'aes-128-ocb', 'aes-128-xts', 'chacha20', 'rc4', 'bf-cbc', 'aes-128-cbc-hmac-sha1', 'aes-128-cfb8', 'camellia-128-cbc', 419, 9999])
  show('info ' + n, () => crypto.getCipherInfo(n));
show('info kl16', () => crypto.getCipherInfo('aes-128-cbc', { keyLength: 16 }));
show('info kl1', () => crypto.getCipherInfo('aes-128-cbc', { keyLength: 1 }));
show('info iv5', () => crypto.getCipherInfo('aes-128-cbc', { ivLength: 5 }));
show('info gcm iv5', () => crypto.getCipherInfo('aes-128-gcm', { ivLength: 5 }));
show('info ccm iv5', () => crypto.getCipherInfo('aes-128-ccm', { ivLength: 5 }));
show('info ccm iv7', () => crypto.getCipherInfo('aes-128-ccm', { ivLength: 7 }));
show('info ocb iv16', () => crypto.getCipherInfo('aes-128-ocb', { ivLength: 16 }));
show('final twice', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  e.final();
  e.final();
});
// Node leaves what a lookup above met to the next call that fails.
try {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  e.final();
  e.update('x');
} catch {
}
show('getAuthTag cbc', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  e.final();
  e.getAuthTag();
});
show('getAuthTag early', () => {
  const e = crypto.createCipheriv('aes-128-gcm', k, iv);
  e.getAuthTag();
});
show('setAAD cbc', () => crypto.createCipheriv('aes-128-cbc', k, iv).setAAD(k));
show('setAAD late', () => {
  const e = crypto.createCipheriv('aes-128-gcm', k, iv);
  e.update('x');
  return e.setAAD(k) === e;
});
show('setAAD after final', () => {
  const e = crypto.createCipheriv('aes-128-gcm', k, iv);
  e.final();
  return e.setAAD(k);
});
show('setAuthTag cbc', () => crypto.createDecipheriv('aes-128-cbc', k, iv).setAuthTag(k));
show('setAuthTag len', () => crypto.createDecipheriv('aes-128-gcm', k, iv).setAuthTag(Buffer.alloc(3)));
show('setAuthTag 17', () => crypto.createDecipheriv('aes-128-gcm', k, iv).setAuthTag(Buffer.alloc(17)));
show('setAuthTag twice', () => crypto.createDecipheriv('aes-128-gcm', k, iv).setAuthTag(k).setAuthTag(k));
show('padding after final', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  e.final();
  e.setAutoPadding(false);
});
show('gcm no tag', () => crypto.createDecipheriv('aes-128-gcm', k, iv).final());
show('gcm bad tag', () => {
  const d = crypto.createDecipheriv('aes-128-gcm', k, iv);
  d.setAuthTag(k);
  d.update('x');
  d.final();
});
show('bad decrypt', () => {
  const d = crypto.createDecipheriv('aes-128-cbc', k, iv);
  d.update(Buffer.alloc(32));
  d.final();
});
show('wrong final', () => {
  const d = crypto.createDecipheriv('aes-128-cbc', k, iv);
  d.update(Buffer.alloc(5));
  d.final();
});
show('nopad', () => {
  const d = crypto.createCipheriv('aes-128-cbc', k, iv);
  d.setAutoPadding(false);
  d.update(Buffer.alloc(5));
  d.final();
});
show('gcm tag12', () => {
  const e = crypto.createCipheriv('aes-128-gcm', k, iv, { authTagLength: 12 });
  e.update('x');
  e.final();
  return e.getAuthTag();
});
show('gcm tag 5', () => crypto.createCipheriv('aes-128-gcm', k, iv, { authTagLength: 5 }));
show('gcm settag mism', () => crypto.createDecipheriv('aes-128-gcm', k, iv, { authTagLength: 12 }).setAuthTag(k));
show('ccm no len', () => crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(12)));
show('ccm', () => {
  const e = crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: 16 });
  e.setAAD(k, { plaintextLength: 3 });
  const r = Buffer.concat([e.update('abc'), e.final()]);
  return Buffer.concat([r, e.getAuthTag()]);
});
show('ccm aad no len', () => {
  const e = crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: 16 });
  e.setAAD(k);
});
show('ccm twice', () => {
  const e = crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: 16 });
  e.update('abc');
  e.update('d');
});
show('ccm dec no tag', () => {
  const e = crypto.createDecipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: 16 });
  e.update('abc');
});
show('ccm dec', () => {
  const e = crypto.createDecipheriv('aes-128-ccm', k, Buffer.alloc(12), { authTagLength: 16 });
  e.setAuthTag(k);
  e.update('abc');
  e.final();
});
show('ccm iv 5', () => crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(5), { authTagLength: 16 }));
show('ccm iv 14', () => crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(14), { authTagLength: 16 }));
show('ccm too long', () => {
  const e = crypto.createCipheriv('aes-128-ccm', k, Buffer.alloc(13), { authTagLength: 16 });
  e.update(Buffer.alloc(65536));
});
show('chacha', () => {
  const e = crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 16 });
  e.setAAD(k);
  return Buffer.concat([e.update('abc'), e.final(), e.getAuthTag()]);
});
show('chacha iv13', () => crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(13), { authTagLength: 16 }));
show('chacha iv8', () => crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(8), { authTagLength: 16 }).update('a'));
show('chacha no len', () => crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12)).update('a'));
show('chacha dec no tag', () => crypto.createDecipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 16 }).final());
show('chacha tag 5', () => crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 5 }));
show('chacha tag 17', () => crypto.createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 17 }));
show('ocb', () => {
  const e = crypto.createCipheriv('aes-128-ocb', k, Buffer.alloc(12), { authTagLength: 16 });
  e.setAAD(k);
  return Buffer.concat([e.update('abc'), e.final(), e.getAuthTag()]);
});
show('ocb no len', () => crypto.createCipheriv('aes-128-ocb', k, Buffer.alloc(12)));
show('ocb dec', () => {
  const d = crypto.createDecipheriv('aes-128-ocb', k, Buffer.alloc(12), { authTagLength: 16 });
  d.update('a');
  d.final();
});
show('xts', () => crypto.createCipheriv('aes-128-xts', Buffer.alloc(32), iv).update('a'.repeat(16)));
show('wrap', () => crypto.createCipheriv('aes128-wrap', k, Buffer.alloc(8, 166)).update(k));
show('unwrap', () => {
  const w = crypto.createCipheriv('aes128-wrap', k, Buffer.alloc(8, 166)).update(k);
  return crypto.createDecipheriv('aes128-wrap', k, Buffer.alloc(8, 166)).update(w);
});
show('wrap pad', () => crypto.createCipheriv('id-aes128-wrap-pad', k, Buffer.alloc(4, 166)).update('abc'));
show('des3', () => crypto.createCipheriv('des-ede3-cbc', Buffer.alloc(24, 3), Buffer.alloc(8)).update('12345678'));
show('rc4', () => crypto.createCipheriv('rc4', k, null));
show('bf', () => crypto.createCipheriv('bf-cbc', k, Buffer.alloc(8)));
show('hex pieces', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  return e.update('hello wörld', 'utf8', 'base64') + e.final('base64');
});
show('utf8 pieces', () => {
  const e = crypto.createCipheriv('aes-128-ctr', k, iv);
  const t = Buffer.concat([e.update('ö'.repeat(20)), e.final()]);
  const d = crypto.createDecipheriv('aes-128-ctr', k, iv);
  return d.update(t.subarray(0, 3), null, 'utf8') + d.update(t.subarray(3), null, 'utf8') + d.final('utf8');
});
show('two encodings', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  e.update('a'.repeat(16), 'utf8', 'hex');
  e.final('base64');
});
show('cipher new', () => new crypto.Cipheriv('aes-128-cbc', k, iv).constructor.name + crypto.Cipheriv('aes-128-cbc', k, iv).constructor.name);
show('key obj', () => crypto.createCipheriv('aes-128-cbc', crypto.createSecretKey(k), iv).final());
show('string key', () => crypto.createCipheriv('aes-128-cbc', '0123456789abcdef', '0123456789abcdef').final());
show('empty update', () => crypto.createCipheriv('aes-128-cbc', k, iv).update(''));
show('gcm tagless 4', () => {
  const d = crypto.createDecipheriv('aes-128-gcm', k, iv);
  return d.setAuthTag(Buffer.alloc(4)) === d;
});
show('setAutoPadding ret', () => {
  const e = crypto.createCipheriv('aes-128-cbc', k, iv);
  return e.setAutoPadding() === e;
});
for (const [outcome, names] of outcomes)
  console.log(`${outcome} <- ${names.join(', ')}`);
