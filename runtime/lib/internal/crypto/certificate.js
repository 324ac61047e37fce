'use strict';
// X509Certificate.

const { ArrayBufferIsView, SymbolFor, arrayPush, numberToString, over, stringIndexOf, stringSlice, stringSplit, stringToUpperCase } = intrinsics;
const { Buffer } = require('buffer');
const {
  invalidArgType, invalidArgValue, validateBoolean, validateObject, validateString,
} = require('internal/errors');
const { call } = require('internal/crypto/library');
const { isKeyObject, publicOf, tokenOf: keyTokenOf } = require('internal/crypto/key_object');

const OWN = Symbol('own');
let tokenOf; // undefined for what is no certificate
let read; // a field that is kept once it has been asked for

// --- names as objects, for older programs -------------------------------------------------------------

function put(object, name, value) {
  const before = object[name];
  if (before === undefined) object[name] = value;
  else if (typeof before === 'object') arrayPush.call(before, value);
  else object[name] = [before, value];
}

function nameObject(parts) {
  const object = { __proto__: null };
  for (let i = 0; i < parts.length; i += 2) put(object, parts[i], Buffer.from(parts[i + 1]).toString());
  return object;
}

function accessObject(text) {
  if (text === undefined) return undefined;
  const object = { __proto__: null };
  for (const line of over(stringSplit.call(text, '\n'))) {
    const at = stringIndexOf.call(line, ':');
    const name = stringSlice.call(line, 0, at);
    const value = stringSlice.call(line, at + 1);
    arrayPush.call(object[name] ??= [], value[0] === '"' ? JSON.parse(value) : value);
  }
  return object;
}

function keyFields(facts) {
  if (facts[0] === 'rsa') {
    const { 1: modulus, 2: bits, 3: exponent, 4: pubkey } = facts;
    return { modulus, bits, exponent: `0x${numberHex(exponent)}`, pubkey: Buffer.from(pubkey) };
  }
  if (facts[0] !== 'ec') return {};
  const { 1: bits, 2: pubkey, 3: asn1Curve, 4: nistCurve } = facts;
  return { bits, pubkey: Buffer.from(pubkey), asn1Curve, nistCurve };
}
const numberHex = (number) => numberToString.call(number, 16);

// --- questions and their options ---------------------------------------------------------------------------

const FLAGS = { ALWAYS_SUBJECT: 1, NO_WILDCARDS: 2, NO_PARTIAL: 4, MULTI_LABEL: 8, SINGLE_LABEL: 16, NEVER_SUBJECT: 32 };
const SUBJECT_FLAGS = { __proto__: null, default: 0, always: FLAGS.ALWAYS_SUBJECT, never: FLAGS.NEVER_SUBJECT };

function subjectFlags({ subject = 'default' }) {
  validateString(subject, 'options.subject');
  if (SUBJECT_FLAGS[subject] === undefined) throw invalidArgValue('options.subject', subject);
  return SUBJECT_FLAGS[subject];
}

function hostFlags(options) {
  if (options === undefined) return 0;
  validateObject(options, 'options');
  const { wildcards = true, partialWildcards = true, multiLabelWildcards = false, singleLabelSubdomains = false } = options;
  validateBoolean(wildcards, 'options.wildcards');
  validateBoolean(partialWildcards, 'options.partialWildcards');
  validateBoolean(multiLabelWildcards, 'options.multiLabelWildcards');
  validateBoolean(singleLabelSubdomains, 'options.singleLabelSubdomains');
  return subjectFlags(options) | (wildcards ? 0 : FLAGS.NO_WILDCARDS) | (partialWildcards ? 0 : FLAGS.NO_PARTIAL) |
    (multiLabelWildcards ? FLAGS.MULTI_LABEL : 0) | (singleLabelSubdomains ? FLAGS.SINGLE_LABEL : 0);
}

function emailFlags(options) {
  if (options === undefined) return 0;
  validateObject(options, 'options');
  return subjectFlags(options);
}

function keyArg(pkey, type) {
  if (!isKeyObject(pkey)) throw invalidArgType('pkey', 'an instance of KeyObject', pkey);
  if (pkey.type !== type) throw invalidArgValue('pkey', pkey);
  return keyTokenOf(pkey);
}

function otherCertificate(value) {
  const token = tokenOf(value);
  if (token === undefined) throw invalidArgType('otherCert', 'an instance of X509Certificate', value);
  return token;
}

// --- the class -----------------------------------------------------------------------------------------------

function fingerprintOf(token, digest) {
  const hex = stringToUpperCase.call(call('certificateFingerprint', token, digest).toString('hex'));
  let text = '';
  for (let i = 0; i < hex.length; i += 2) text += (i > 0 ? ':' : '') + stringSlice.call(hex, i, i + 2);
  return text;
}

const textOf = (bytes) => bytes === undefined ? undefined : bytes.toString();

class X509Certificate {
  #token;
  #kept = { __proto__: null };

  constructor(buffer, token = undefined) {
    if (buffer === OWN) {
      this.#token = token;
      return;
    }
    const data = typeof buffer === 'string' ? Buffer.from(buffer) : buffer;
    if (!ArrayBufferIsView(data)) throw invalidArgType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', buffer);
    this.#token = call('certificateRead', data);
  }

  static {
    tokenOf = (value) => typeof value === 'object' && value !== null && #token in value ? value.#token : undefined;
    read = (certificate, name, make) => {
      const kept = certificate.#kept;
      if (!(name in kept)) kept[name] = make(certificate.#token);
      return kept[name];
    };
  }

  get subject() {
    return read(this, 'subject', (token) => textOf(call('certificateName', token, false)));
  }

  get subjectAltName() {
    return read(this, 'subjectAltName', (token) => textOf(call('certificateOtherNames', token)));
  }

  get issuer() {
    return read(this, 'issuer', (token) => textOf(call('certificateName', token, true)));
  }

  // Known of certificates of a connection only.
  get issuerCertificate() {
    return read(this, 'issuerCertificate', () => undefined);
  }

  get infoAccess() {
    return read(this, 'infoAccess', (token) => textOf(call('certificateInfoAccess', token)));
  }

  get validFrom() {
    return read(this, 'validFrom', (token) => textOf(call('certificateDate', token, false)));
  }

  get validTo() {
    return read(this, 'validTo', (token) => textOf(call('certificateDate', token, true)));
  }

  get fingerprint() {
    return read(this, 'fingerprint', (token) => fingerprintOf(token, 'sha1'));
  }

  get fingerprint256() {
    return read(this, 'fingerprint256', (token) => fingerprintOf(token, 'sha256'));
  }

  get fingerprint512() {
    return read(this, 'fingerprint512', (token) => fingerprintOf(token, 'sha512'));
  }

  get keyUsage() {
    return read(this, 'keyUsage', (token) => call('certificateUsages', token));
  }

  get serialNumber() {
    return read(this, 'serialNumber', (token) => call('certificateSerial', token));
  }

  get raw() {
    return read(this, 'raw', (token) => call('certificateRaw', token));
  }

  get publicKey() {
    return read(this, 'publicKey', (token) => publicOf(call('certificateKey', token)));
  }

  toString() {
    return read(this, 'pem', (token) => textOf(call('certificatePem', token)));
  }

  // There is no JSON of certificates; this is what there is.
  toJSON() {
    return this.toString();
  }

  get ca() {
    return read(this, 'ca', (token) => call('certificateIsCa', token));
  }

  checkHost(name, options) {
    validateString(name, 'name');
    return call('certificateHasHost', this.#token, Buffer.from(name), hostFlags(options));
  }

  checkEmail(email, options) {
    validateString(email, 'email');
    return call('certificateHasEmail', this.#token, Buffer.from(email), emailFlags(options)) === undefined ? undefined : email;
  }

  checkIP(ip, options) {
    validateString(ip, 'ip');
    if (options !== undefined) validateObject(options, 'options');
    return call('certificateHasAddress', this.#token, ip, 0) === undefined ? undefined : ip;
  }

  checkIssued(otherCert) {
    return call('certificateIsFrom', this.#token, otherCertificate(otherCert));
  }

  checkPrivateKey(pkey) {
    return call('certificateFits', this.#token, keyArg(pkey, 'private'));
  }

  verify(pkey) {
    return call('certificateVerify', this.#token, keyArg(pkey, 'public'));
  }

  toLegacyObject() {
    const token = this.#token;
    const object = {
      subject: nameObject(call('certificateNameParts', token, false)),
      issuer: nameObject(call('certificateNameParts', token, true)),
      subjectaltname: this.subjectAltName,
      infoAccess: accessObject(this.infoAccess),
      ca: this.ca,
      ...keyFields(call('certificateKeyFacts', token)),
      valid_from: this.validFrom,
      valid_to: this.validTo,
      fingerprint: this.fingerprint,
      fingerprint256: this.fingerprint256,
      fingerprint512: this.fingerprint512,
      ext_key_usage: this.keyUsage,
      serialNumber: this.serialNumber,
      raw: this.raw,
    };
    for (const name of over(Object.keys(object))) if (object[name] === undefined) delete object[name];
    return object;
  }

  [SymbolFor('nodejs.util.inspect.custom')](depth, options) {
    if (depth < 0) return this;
    const shown = {};
    for (const name of over(SHOWN)) shown[name] = this[name];
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `X509Certificate ${require('internal/inspect').inspect(shown, inner)}`;
  }
}
const SHOWN = ['subject', 'subjectAltName', 'issuer', 'infoAccess', 'validFrom', 'validTo', 'fingerprint', 'fingerprint256', 'fingerprint512',
  'keyUsage', 'serialNumber'];

// The certificate of a token (js_crypto_certificate_token), for connections.
const certificateOf = (token) => new X509Certificate(OWN, token);

module.exports = { X509Certificate, certificateOf, tokenOf };
