'use strict';
// Encryption with the keys of RSA.

const { validateString } = require('internal/errors');
const { bytesArg, call, isBytes, KEY_TYPES, thrownByC } = require('internal/crypto/library');
const { TO_SIGN, TO_VERIFY, keyReader } = require('internal/crypto/key_input');
const { invalidArgType } = require('internal/errors');
const { Buffer } = require('buffer');

const binding = native('crypto');

const PKCS1 = 1;
const OAEP = 4;

function labelArg(label, encoding) {
  if (label === undefined) return undefined;
  if (typeof label === 'string') return Buffer.from(label, encoding === 'buffer' ? 'utf8' : encoding);
  if (!isBytes(label)) throw invalidArgType('key.oaepLabel', KEY_TYPES, label);
  return label;
}

const way = (operation, use, usual) => ({
  [operation](key, buffer) {
    const read = keyReader(key, use);
    const { padding, oaepHash, oaepLabel, encoding } = key ?? {};
    if (oaepHash !== undefined) validateString(oaepHash, 'key.oaepHash');
    const label = labelArg(oaepLabel, encoding);
    const data = bytesArg(buffer, 'buffer', encoding);
    if (oaepHash !== undefined && !binding.isDigest(oaepHash)) throw thrownByC(Error, 'ERR_OSSL_EVP_INVALID_DIGEST', 'Invalid digest used');
    return call(operation, read(), padding === undefined ? usual : padding >>> 0, oaepHash, label, data);
  },
})[operation];

module.exports = {
  privateDecrypt: way('privateDecrypt', TO_SIGN, OAEP),
  privateEncrypt: way('privateEncrypt', TO_SIGN, PKCS1),
  publicDecrypt: way('publicDecrypt', TO_VERIFY, PKCS1),
  publicEncrypt: way('publicEncrypt', TO_VERIFY, OAEP),
};
