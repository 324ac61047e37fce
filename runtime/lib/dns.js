'use strict';
// dns: names to addresses. Queries to name servers themselves (resolve and its kin) are
// not there, and say so.

const { notImplemented } = require('internal/errors');
const dns = require('internal/dns');
const binding = native('dns');

const ERRORS = ('NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED ' +
  'TIMEOUT EOF FILE NOMEM DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ' +
  'ADDRGETNETWORKPARAMS CANCELLED').split(' ');
const QUERIES = ['getServers', 'setServers', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveCaa',
  'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTxt',
  'reverse', 'Resolver'];

module.exports = {
  ...dns,
  ADDRCONFIG: binding.ADDRCONFIG,
  ALL: binding.ALL,
  V4MAPPED: binding.V4MAPPED,
};
for (const name of ERRORS) module.exports[name] = dns.promises[name] = `E${name}`;
for (const name of QUERIES) {
  module.exports[name] = () => { throw notImplemented(`dns.${name}`); };
  dns.promises[name] = () => { throw notImplemented(`dns.promises.${name}`); };
}
