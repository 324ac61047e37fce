'use strict';
// Key objects as PEM, DER and JSON Web Keys.

const { invalidArgValue, validateObject } = require('internal/errors');
const { call } = require('internal/crypto/library');
const { tokenOf } = require('internal/crypto/key_object');
const { dataBytes, formatOf, incompatible, isData, optionName, typeOf } = require('internal/crypto/key_input');

// --- what is asked for, checked ----------------------------------------------------------------------

// owner: the name of the option that has the encoding, if it isn't `options` itself
function publicEncoding(options, keyType, owner) {
  validateObject(options, 'options');
  const format = formatOf(options, undefined, owner);
  return { format, type: typeOf(options, format !== 'jwk', keyType, true, owner) };
}

function privateEncoding(options, keyType, owner) {
  validateObject(options, 'options');
  const format = formatOf(options, undefined, owner);
  const type = typeOf(options, format !== 'jwk', keyType, false, owner);
  const { cipher, encoding, passphrase } = options;
  const isEncrypted = cipher !== undefined && cipher !== null;
  if (isEncrypted) {
    if (typeof cipher !== 'string') throw invalidArgValue(optionName('cipher', owner), cipher);
    if (format === 'der' && type !== 'pkcs8') throw incompatible(type, 'does not support encryption');
    if (!isData(passphrase)) throw invalidArgValue(optionName('passphrase', owner), passphrase);
  } else if (passphrase !== undefined) {
    throw invalidArgValue(optionName('cipher', owner), cipher);
  }
  return { format, type, cipher: isEncrypted ? cipher : undefined, passphrase: isEncrypted ? dataBytes(passphrase, encoding) : undefined };
}

// --- written -------------------------------------------------------------------------------------------

const written = (bytes, format) => format === 'pem' ? bytes.toString() : bytes;

function writePublic(keyObject, { format, type }) {
  if (format === 'jwk') return require('internal/crypto/jwk').jwkOf(keyObject);
  return written(call('keyWritePublic', tokenOf(keyObject), format, type), format);
}

function writePrivate(keyObject, { format, type, cipher, passphrase }) {
  if (format === 'jwk') return require('internal/crypto/jwk').jwkOf(keyObject);
  return written(call('keyWritePrivate', tokenOf(keyObject), format, type, cipher, passphrase), format);
}

function exportPublic(keyObject, options) {
  if (options?.format === 'jwk') return writePublic(keyObject, options);
  return writePublic(keyObject, publicEncoding(options, keyObject.asymmetricKeyType));
}

function exportPrivate(keyObject, options) {
  if (options?.format === 'jwk') {
    if (options.passphrase !== undefined) throw incompatible('jwk', 'does not support encryption');
    return writePrivate(keyObject, options);
  }
  return writePrivate(keyObject, privateEncoding(options, keyObject.asymmetricKeyType));
}

module.exports = { exportPrivate, exportPublic, privateEncoding, publicEncoding, writePrivate, writePublic };
