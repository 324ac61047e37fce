'use strict';
// dns: names to addresses. Queries to name servers (resolve and the like) are not implemented, and
// throw an error that says so.

const { arrayMap, over, stringSplit } = intrinsics;
const { notImplemented } = require('internal/errors');
const dns = require('internal/dns');
const binding = native('dns');

const ERRORS = stringSplit.call('NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED ' +
  'TIMEOUT EOF FILE NOMEM DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ' +
  'ADDRGETNETWORKPARAMS CANCELLED', ' ');
const RECORDS = ['', '4', '6', 'Any', 'Caa', 'Cname', 'Mx', 'Naptr', 'Ns', 'Ptr', 'Soa', 'Srv', 'Txt'];
const QUERIES = ['getServers', 'setServers', ...over(arrayMap.call(RECORDS, (kind) => `resolve${kind}`)), 'reverse', 'Resolver'];

module.exports = {
  ...dns,
  ADDRCONFIG: binding.ADDRCONFIG,
  ALL: binding.ALL,
  V4MAPPED: binding.V4MAPPED,
};
for (const name of over(ERRORS)) module.exports[name] = dns.promises[name] = `E${name}`;
for (const name of over(QUERIES)) {
  // Functions that may be called with `new`.
  module.exports[name] = function () { throw notImplemented(`dns.${name}`); };
  dns.promises[name] = function () { throw notImplemented(`dns.promises.${name}`); };
}
