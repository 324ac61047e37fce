'use strict';
// A peer's certificates as plain objects.

const binding = native('tls');
const { Buffer } = require('buffer');
const { bufferOf } = require('internal/tls/library');

// Loaded for the first certificate.
function certificateOf(der) {
  const { X509Certificate } = require('crypto');
  return new X509Certificate(bufferOf(der));
}

const legacy = (der) => certificateOf(der).toLegacyObject();

// With its issuers as far as they are known, each as the `issuerCertificate` of the one before; a
// certificate that issued itself has itself there.
function peerCertificate(token, detailed) {
  const chain = binding.chain(token, Boolean(detailed));
  if (chain === undefined) return undefined;
  const first = legacy(chain[0]);
  let last = first;
  for (let i = 1; i < chain.length; i++) last = last.issuerCertificate = chain[i] === true ? last : legacy(chain[i]);
  return first;
}

function ownCertificate(token) {
  const der = binding.certificate(token, false);
  return der === undefined ? undefined : legacy(der);
}

// Without the issuers.
function peerX509(token) {
  const chain = binding.chain(token, false);
  return chain === undefined ? undefined : certificateOf(chain[0]);
}

// A peer's certificate has its issuer's, as far as that is known.
function x509Of(token, ofPeer) {
  if (!ofPeer) {
    const der = binding.certificate(token, false);
    return der === undefined ? undefined : certificateOf(der);
  }
  const chain = binding.chain(token, true);
  let issuer;
  for (let i = chain === undefined ? -1 : chain.length - 1; i >= 0; i--) {
    if (chain[i] === true) continue;
    const certificate = certificateOf(chain[i]);
    if (issuer !== undefined) Object.defineProperty(certificate, 'issuerCertificate', { __proto__: null, value: issuer, configurable: true });
    issuer = certificate;
  }
  return issuer;
}

module.exports = { ownCertificate, peerCertificate, peerX509, x509Of };
