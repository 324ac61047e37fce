'use strict';
// Secure contexts: what connections share, from the options of a server or a client.

// own methods: this, context, made
const { ArrayBufferIsView, ArrayIsArray, over } = intrinsics;
const binding = native('tls');
const { Buffer } = require('buffer');
const {
  coded, invalidArgType, invalidArgValue, validateBuffer, validateInt32, validateInteger, validateObject, validateString,
} = require('internal/errors');
const { VERSIONS, bufferOf, checked, plain, splitCiphers, versionOf } = require('internal/tls/library');

const kToken = Symbol('token');
const CIPHER_SERVER_PREFERENCE = 0x400000;
const TICKET_KEYS = 48;

// enum tls_outcome; TLS_SHORT_DH is a warning.
const SHORT_DH = 6;
const outcomes = {
  __proto__: null,
  2: (method) => plain(TypeError, 'ERR_TLS_INVALID_PROTOCOL_METHOD', `Unknown method: ${method}`),
  3: () => plain(TypeError, 'ERR_TLS_INVALID_PROTOCOL_METHOD', 'SSLv2 methods disabled'),
  4: () => plain(TypeError, 'ERR_TLS_INVALID_PROTOCOL_METHOD', 'SSLv3 methods disabled'),
  5: () => plain(Error, 'ERR_INVALID_ARG_VALUE', 'DH parameter is less than 1024 bits'),
  7: () => plain(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to set ECDH curve'),
  8: () => plain(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to parse CRL'),
  10: () => plain(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Unable to load PFX certificate'),
  11: () => plain(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Unable to load private key from PFX data'),
};

function settled(result, detail) {
  checked(result);
  if (typeof result === 'number' && result in outcomes) throw outcomes[result](detail);
  return result;
}

const bytesOf = (value) => typeof value === 'string' ? Buffer.from(value) : value;

// The object that a program reaches as secureContext.context.
class ContextHandle {
  constructor(method, least, greatest) {
    this[kToken] = settled(binding.context(method, least, greatest), method);
    Object.defineProperty(this, kToken, { __proto__: null, enumerable: false });
  }

  setKey(pem, passphrase) {
    settled(binding.contextSetKey(this[kToken], bytesOf(pem), passphrase ?? undefined));
  }

  setCert(pem) {
    settled(binding.contextSetCert(this[kToken], bytesOf(pem)));
  }

  addCACert(pem) {
    settled(binding.contextAddCA(this[kToken], bytesOf(pem)));
  }

  addCRL(pem) {
    settled(binding.contextAddCRL(this[kToken], bytesOf(pem)));
  }

  addRootCerts() {
    const problem = binding.contextAddRoots(this[kToken]);
    if (problem !== undefined)
      process.emitWarning(`Ignoring extra certs from \`${process.env.NODE_EXTRA_CA_CERTS}\`, load failed: ${problem}`);
  }

  loadPKCS12(pfx, passphrase) {
    const result = binding.contextLoadPFX(this[kToken], bytesOf(pfx), passphrase === undefined ? undefined : String(passphrase));
    // A fault of the file is reported in OpenSSL's words alone.
    if (result instanceof Error && result.reason === 'unsupported') throw plain(Error, 'ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported PKCS12 PFX data');
    if (result instanceof Error) throw new Error(result.reason ?? result.message);
    settled(result);
  }

  setCiphers(list) {
    settled(binding.contextSetCiphers(this[kToken], list));
  }

  setCipherSuites(list) {
    settled(binding.contextSetSuites(this[kToken], list));
  }

  setSigalgs(list) {
    settled(binding.contextSetSigalgs(this[kToken], list));
  }

  setECDHCurve(list) {
    settled(binding.contextSetCurves(this[kToken], list));
  }

  // Returns a warning if the parameters are short.
  setDHParam(params) {
    const result = settled(binding.contextSetDH(this[kToken], params === true ? true : bytesOf(params)));
    return result === SHORT_DH ? 'DH parameter is less than 2048 bits' : undefined;
  }

  setOptions(bits) {
    binding.contextSetOptions(this[kToken], bits);
  }

  setAllowPartialTrustChain() {
    binding.contextSetPartialTrust(this[kToken]);
  }

  setSessionIdContext(name) {
    if (!binding.contextSetSessionName(this[kToken], name))
      throw new TypeError('error:0A000111:SSL routines:SSL_CTX_set_session_id_context:ssl session id context too long');
  }

  setSessionTimeout(seconds) {
    binding.contextSetSessionTimeout(this[kToken], seconds);
  }

  getMinProto() {
    return binding.contextVersion(this[kToken], false);
  }

  getMaxProto() {
    return binding.contextVersion(this[kToken], true);
  }

  setMinProto(version) {
    binding.contextVersion(this[kToken], false, version);
  }

  setMaxProto(version) {
    binding.contextVersion(this[kToken], true, version);
  }

  getTicketKeys() {
    return bufferOf(binding.contextTicketKeys(this[kToken]));
  }

  setTicketKeys(keys) {
    binding.contextTicketKeys(this[kToken], keys);
  }

  getCertificate() {
    return bufferOf(binding.contextCertificate(this[kToken], false)) ?? null;
  }

  getIssuer() {
    return bufferOf(binding.contextCertificate(this[kToken], true)) ?? null;
  }
}

// --- options -----------------------------------------------------------------------------------

const isGiven = (value) => value !== undefined && value !== null;
const listOf = (value) => ArrayIsArray(value) ? value : [value];

function validatePEM(value, name) {
  if (typeof value !== 'string' && !ArrayBufferIsView(value))
    throw invalidArgType(name, 'of type string or an instance of Buffer, TypedArray, or DataView', value);
}

function addEach(list, name, add) {
  for (const value of over(listOf(list))) {
    validatePEM(value, name);
    add(value);
  }
}

function setKeys(context, keys, passphrase, name) {
  // Only in a list a key may be an object with a passphrase of its own.
  for (const item of over(listOf(keys))) {
    const isObject = ArrayIsArray(keys) && item?.pem !== undefined;
    const pem = isObject ? item.pem : item;
    const secret = isObject && item.passphrase !== undefined ? item.passphrase : passphrase;
    validatePEM(pem, `${name}.key`);
    if (isGiven(secret)) validateString(secret, `${name}.passphrase`);
    context.setKey(pem, secret);
  }
}

function loadAll(context, pfx, passphrase) {
  for (const item of over(listOf(pfx))) {
    const secret = item?.passphrase || passphrase;
    const bytes = item?.buf ?? item;
    context.loadPKCS12(bytes, isGiven(secret) ? secret : undefined);
  }
}

function setCiphers(context, ciphers, name) {
  if (isGiven(ciphers)) validateString(ciphers, name);
  const { suites, others } = splitCiphers(ciphers || require('tls').DEFAULT_CIPHERS, name);
  if (suites !== '') context.setCipherSuites(suites);
  context.setCiphers(others);
  // Without older ciphers an older protocol can't be spoken.
  if (others === '' && context.getMinProto() < VERSIONS['TLSv1.3'] && context.getMaxProto() > VERSIONS['TLSv1.2'])
    context.setMinProto(VERSIONS['TLSv1.3']);
}

// In OpenSSL only with an engine, which we don't load.
function refuseEngines(options, name) {
  const { clientCertEngine, privateKeyEngine, privateKeyIdentifier } = options;
  const unsupported = () => coded(Error, 'ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED', 'Custom engines not supported by this OpenSSL');
  const wrong = (field, value) => invalidArgType(`${name}.${field}`, 'of type string or one of null or undefined', value);
  if (isGiven(privateKeyIdentifier)) {
    if (!isGiven(privateKeyEngine)) throw invalidArgValue(`${name}.privateKeyEngine`, privateKeyEngine);
    if (typeof privateKeyEngine !== 'string') throw wrong('privateKeyEngine', privateKeyEngine);
    if (typeof privateKeyIdentifier !== 'string') throw wrong('privateKeyIdentifier', privateKeyIdentifier);
    throw unsupported();
  }
  if (typeof clientCertEngine === 'string') throw unsupported();
  if (isGiven(clientCertEngine)) throw wrong('clientCertEngine', clientCertEngine);
}

function setExchange(context, { dhparam, ecdhCurve = require('tls').DEFAULT_ECDH_CURVE, sigalgs }, name) {
  if (isGiven(sigalgs)) {
    validateString(sigalgs, `${name}.sigalgs`);
    if (sigalgs === '') throw invalidArgValue(`${name}.sigalgs`, sigalgs);
    context.setSigalgs(sigalgs);
  }
  validateString(ecdhCurve, `${name}.ecdhCurve`);
  context.setECDHCurve(ecdhCurve);
  if (!isGiven(dhparam)) return;
  validatePEM(dhparam, `${name}.dhparam`);
  const warning = context.setDHParam(dhparam === 'auto' || dhparam);
  if (warning !== undefined) process.emitWarning(warning, 'SecurityWarning');
}

function setSessions(context, { sessionIdContext, sessionTimeout, ticketKeys }, name) {
  if (isGiven(sessionIdContext)) {
    validateString(sessionIdContext, `${name}.sessionIdContext`);
    context.setSessionIdContext(sessionIdContext);
  }
  if (isGiven(ticketKeys)) {
    validateBuffer(ticketKeys, `${name}.ticketKeys`);
    if (ticketKeys.byteLength !== TICKET_KEYS) throw invalidArgValue(`${name}.ticketKeys`, ticketKeys.byteLength, 'must be exactly 48 bytes');
    context.setTicketKeys(ticketKeys);
  }
  if (isGiven(sessionTimeout)) {
    validateInt32(sessionTimeout, `${name}.sessionTimeout`, 0);
    context.setSessionTimeout(sessionTimeout);
  }
}

// Ciphers come first: their list may raise the level of security, which counts for what follows.
// Authorities come before certificates, whose issuers are looked up among them.
function configure(context, options, name = 'options') {
  validateObject(options, name);
  const { allowPartialTrustChain, ca, cert, crl, key, passphrase, pfx } = options;
  setCiphers(context, options.ciphers, `${name}.ciphers`);
  if (ca) addEach(ca, `${name}.ca`, (pem) => context.addCACert(pem));
  else context.addRootCerts();
  if (allowPartialTrustChain) context.setAllowPartialTrustChain();
  if (cert) addEach(cert, `${name}.cert`, (pem) => context.setCert(pem));
  if (key) setKeys(context, key, passphrase, name);
  refuseEngines(options, name);
  setExchange(context, options, name);
  if (crl) addEach(crl, `${name}.crl`, (pem) => context.addCRL(pem));
  if (pfx) loadAll(context, pfx, passphrase);
  setSessions(context, options, name);
}

function SecureContext(secureProtocol, secureOptions, minVersion, maxVersion) {
  if (!(this instanceof SecureContext)) return new SecureContext(secureProtocol, secureOptions, minVersion, maxVersion);
  if (secureProtocol) {
    for (const version of over([minVersion, maxVersion]))
      if (isGiven(version))
        throw coded(TypeError, 'ERR_TLS_PROTOCOL_VERSION_CONFLICT', `TLS protocol version ${JSON.stringify(version)} conflicts with secureProtocol ${JSON.stringify(secureProtocol)}`);
    // Values that are no text are passed over.
    const method = typeof secureProtocol === 'string' ? secureProtocol : undefined;
    this.context = new ContextHandle(method, method === undefined ? VERSIONS['TLSv1.2'] : 0, method === undefined ? VERSIONS['TLSv1.3'] : 0);
  } else {
    const { DEFAULT_MAX_VERSION, DEFAULT_MIN_VERSION } = require('tls');
    this.context = new ContextHandle(undefined, versionOf('minimum', minVersion, DEFAULT_MIN_VERSION), versionOf('maximum', maxVersion, DEFAULT_MAX_VERSION));
  }
  if (secureOptions) {
    validateInteger(secureOptions, 'secureOptions');
    this.context.setOptions(secureOptions);
  }
}

function createSecureContext(options) {
  const { honorCipherOrder, maxVersion, minVersion, secureProtocol } = options ??= {};
  const bits = honorCipherOrder ? options.secureOptions | CIPHER_SERVER_PREFERENCE : options.secureOptions;
  const made = new SecureContext(secureProtocol, bits, minVersion, maxVersion);
  configure(made.context, options);
  return made;
}

// The native context of a SecureContext, or of what a callback for SNI gives: also its `context`.
const tokenOf = (value) => value?.context?.[kToken] ?? value?.[kToken];

module.exports = { SecureContext, createSecureContext, tokenOf };
