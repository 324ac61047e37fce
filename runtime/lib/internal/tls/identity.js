'use strict';
// Whether a certificate is that of a host: by its other names, or its common name if it has none
// of those.

const {
  ArrayIsArray, arrayEvery, arrayFilter, arrayIncludes, arrayJoin, arrayMap, arrayPush, arraySlice, arraySome, over, regexpExec,
  regexpTest, stringCharCodeAt, stringEndsWith, stringIncludes, stringIndexOf, stringSlice, stringSplit, stringStartsWith, stringToLowerCase,
} = intrinsics;
const binding = native('tls');
const { coded } = require('internal/errors');
const { isIP } = require('internal/net/util');

const DNS = 'DNS:';
const IP = 'IP Address:';

const withoutDot = (name) => stringEndsWith.call(name, '.') ? stringSlice.call(name, 0, -1) : name;

// Letters of other alphabets stay as they are: only ASCII has one lower case for all.
function partsOf(name) {
  let small = '';
  for (const letter of over(withoutDot(name))) small += letter >= 'A' && letter <= 'Z' ? stringToLowerCase.call(letter) : letter;
  return stringSplit.call(small, '.');
}

// "f*o" stands for names that begin with f and end with o, in one label.
function fitsWildcard(label, pattern) {
  const star = stringIndexOf.call(pattern, '*');
  const before = stringSlice.call(pattern, 0, star);
  const after = stringSlice.call(pattern, star + 1);
  return !stringIncludes.call(after, '*') && label.length >= before.length + after.length &&
    stringStartsWith.call(label, before) && stringEndsWith.call(label, after);
}

// A wildcard stands in the first label only, never in front of a top level domain, and never in a
// name in Punycode, of which it would be a part without meaning.
function fits(host, name) {
  if (!name) return false;
  const pattern = partsOf(name);
  const sound = arrayEvery.call(pattern, (part) => part !== '' && !regexpTest(/[^\u0021-\u007f]/u, part));
  if (!sound || pattern.length !== host.length) return false;
  for (let i = 1; i < host.length; i++) if (host[i] !== pattern[i]) return false;
  if (!stringIncludes.call(pattern[0], '*') || stringIncludes.call(pattern[0], 'xn--')) return host[0] === pattern[0];
  return pattern.length > 2 && fitsWildcard(host[0], pattern[0]);
}

const badFormat = () => coded(SyntaxError, 'ERR_TLS_CERT_ALTNAME_FORMAT', 'Invalid subject alternative name string');

function unquoted(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw badFormat();
  }
}

// "DNS:a, IP Address:b", where a name that could be taken for a list of names is a JSON text.
function namesOf(text) {
  if (!stringIncludes.call(text, '"')) return stringSplit.call(text, ', ');
  const names = [];
  let name = '';
  for (let at = 0; at < text.length;) {
    const quote = text[at] === '"' ? regexpExec.call(/^"(?:[^"\\]|\\.)*"/, stringSlice.call(text, at)) : undefined;
    if (quote === null) throw badFormat();
    if (quote !== undefined) {
      name += unquoted(quote[0]);
      at += quote[0].length;
    } else if (stringStartsWith.call(stringSlice.call(text, at, at + 2), ', ')) {
      arrayPush.call(names, name);
      name = '';
      at += 2;
    } else {
      name += text[at++];
    }
  }
  arrayPush.call(names, name);
  return names;
}

const ofKind = (names, kind) => arrayMap.call(arrayFilter.call(names, (name) => stringStartsWith.call(name, kind)),
  (name) => stringSlice.call(name, kind.length));

// Why the certificate isn't that of the host, or undefined.
function complaint(host, cert) {
  const { subjectaltname: others } = cert;
  const names = others ? namesOf(others) : [];
  if (isIP(host)) {
    const list = arrayMap.call(ofKind(names, IP), binding.canonicalIP);
    return arrayIncludes.call(list, binding.canonicalIP(host)) ? undefined : `IP: ${host} is not in the cert's list: ${arrayJoin.call(list, ', ')}`;
  }
  const hosts = ofKind(names, DNS);
  const parts = partsOf(host);
  if (hosts.length > 0)
    return arraySome.call(hosts, (name) => fits(parts, name)) ? undefined : `Host: ${host}. is not in the cert's altnames: ${others}`;
  const common = cert.subject?.CN;
  if (!common) return 'Cert does not contain a DNS name';
  return arraySome.call(ArrayIsArray(common) ? common : [common], (name) => fits(parts, name)) ? undefined : `Host: ${host}. is not cert's CN: ${common}`;
}

function checkServerIdentity(hostname, cert) {
  const host = withoutDot(`${hostname}`);
  const reason = complaint(host, cert);
  if (reason === undefined) return undefined;
  return Object.assign(coded(Error, 'ERR_TLS_CERT_ALTNAME_INVALID', `Hostname/IP does not match certificate's altnames: ${reason}`), { reason, host, cert });
}

// The same question about a certificate of which only the names that decide are read.
const isNamed = (hostname, certificate) => complaint(withoutDot(`${hostname}`), {
  get subjectaltname() { return certificate.subjectAltName; },
  get subject() { return certificate.toLegacyObject().subject; },
}) === undefined;

module.exports = { checkServerIdentity, isNamed };
