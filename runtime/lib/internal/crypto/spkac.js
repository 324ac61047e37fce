'use strict';
// Certificate: signed public keys and challenges (SPKAC).

const { bytesArg, call } = require('internal/crypto/library');

const verifySpkac = ({ verifySpkac(spkac, encoding) {
  return call('spkacVerify', bytesArg(spkac, 'spkac', encoding));
} }).verifySpkac;

const exportPublicKey = ({ exportPublicKey(spkac, encoding) {
  return call('spkacKey', bytesArg(spkac, 'spkac', encoding)) ?? '';
} }).exportPublicKey;

const exportChallenge = ({ exportChallenge(spkac, encoding) {
  return call('spkacChallenge', bytesArg(spkac, 'spkac', encoding)) ?? '';
} }).exportChallenge;

// Its functions are those of its instances, too.
function Certificate() {
  if (!(this instanceof Certificate)) return new Certificate();
}
Object.assign(Certificate.prototype, { verifySpkac, exportPublicKey, exportChallenge });
Object.assign(Certificate, { exportChallenge, exportPublicKey, verifySpkac });

module.exports = { Certificate };
