'use strict';
// Signatures: sign() and verify() of whole messages, and Sign and Verify, which take them in pieces.

const { ArrayBufferIsView, over } = intrinsics;
const binding = native('crypto');
const { Buffer } = require('buffer');
const { Writable } = require('stream');
const {
  coded, invalidArgType, invalidArgValue, validateFunction, validateString,
} = require('internal/errors');
const { bytesArg, call, callLater, dataArg, encoded, invalidDigest, thrownByC } = require('internal/crypto/library');
const { TO_SIGN, TO_VERIFY, keyReader } = require('internal/crypto/key_input');

const kToken = Symbol('kHandle');
const keyNeeded = () => coded(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');

// A number of 32 bits, or undefined.
function numberOption(options, name) {
  const value = options[name];
  if (value !== undefined && value !== value >> 0) throw invalidArgValue(`options.${name}`, value);
  return value;
}

function isPlainForm({ dsaEncoding }) {
  if (dsaEncoding === undefined || dsaEncoding === 'der') return false;
  if (dsaEncoding === 'ieee-p1363') return true;
  throw invalidArgValue('options.dsaEncoding', dsaEncoding);
}

// [padding, length of the salt, form]
function settingsOf(key) {
  return [numberOption(key, 'padding'), numberOption(key, 'saltLength'), isPlainForm(key)];
}

// --- in pieces -------------------------------------------------------------------------------------

function begin(self, algorithm, options) {
  validateString(algorithm, 'algorithm');
  // An old name, here only.
  if (algorithm === 'DSS1' || algorithm === 'dss1') algorithm = 'sha1';
  const token = binding.digest(algorithm, -1);
  if (token === undefined) throw thrownByC(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest');
  self[kToken] = { token, algorithm };
  Reflect.apply(Writable, self, [options]);
}

// The digest, once.
function finish(self) {
  const state = self[kToken];
  if (state.token === undefined) throw thrownByC(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
  const digest = Buffer.from(new ArrayBuffer(binding.digestSize(state.token)));
  binding.digestFinish(state.token, digest);
  state.token = undefined;
  return digest;
}

const methods = {
  _write(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  },

  update(data, encoding) {
    const bytes = dataArg(data, encoding);
    const { token } = this[kToken];
    if (token === undefined) throw thrownByC(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    binding.digestUpdate(token, bytes);
    return this;
  },
};

function Sign(algorithm, options) {
  if (!(this instanceof Sign)) return new Sign(algorithm, options);
  begin(this, algorithm, options);
}
Object.setPrototypeOf(Sign.prototype, Writable.prototype);
Object.setPrototypeOf(Sign, Writable);
Object.assign(Sign.prototype, methods, {
  sign(options, encoding) {
    if (!options) throw keyNeeded();
    const read = keyReader(options, TO_SIGN);
    const settings = settingsOf(options);
    const { algorithm } = this[kToken];
    return encoded(Reflect.apply(call, undefined, ['signDigest', read(), algorithm, finish(this), ...over(settings)]), encoding);
  },
});

function Verify(algorithm, options) {
  if (!(this instanceof Verify)) return new Verify(algorithm, options);
  begin(this, algorithm, options);
}
Object.setPrototypeOf(Verify.prototype, Writable.prototype);
Object.setPrototypeOf(Verify, Writable);
Object.assign(Verify.prototype, methods, {
  verify(options, signature, sigEncoding) {
    const read = keyReader(options, TO_VERIFY);
    const settings = settingsOf(options);
    const bytes = bytesArg(signature, 'signature', sigEncoding);
    const { algorithm } = this[kToken];
    return Reflect.apply(call, undefined, ['verifyDigest', read(), algorithm, finish(this), ...over(settings), bytes]);
  },
});

// --- at one go ----------------------------------------------------------------------------------------

function digestArg(algorithm) {
  if (algorithm === undefined || algorithm === null) return undefined;
  validateString(algorithm, 'algorithm');
  if (!binding.isDigest(algorithm)) throw invalidDigest(algorithm);
  return algorithm;
}

function run(operation, args, callback) {
  if (callback === undefined) return Reflect.apply(call, undefined, [operation, ...over(args)]);
  callLater(operation, args, callback);
  return undefined;
}

function sign(algorithm, data, key, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  const message = bytesArg(data, 'data');
  if (!key) throw keyNeeded();
  const settings = settingsOf(key);
  const read = keyReader(key, TO_SIGN);
  return run('sign', [read(), digestArg(algorithm), message, ...over(settings)], callback);
}

function verify(algorithm, data, key, signature, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  const message = bytesArg(data, 'data');
  const settings = settingsOf(key);
  if (!ArrayBufferIsView(signature)) throw invalidArgType('signature', 'an instance of Buffer, TypedArray, or DataView', signature);
  const read = keyReader(key, TO_VERIFY);
  return run('verify', [read(), digestArg(algorithm), message, ...over(settings), signature], callback);
}

module.exports = { Sign, Verify, sign, verify };
