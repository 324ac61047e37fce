'use strict';
// dns.lookup: numbers stay, names are found, errors name the host.
const dns = require('dns');
const log = (...args) => console.log(...args);
dns.lookup('127.0.0.1', (error, address, family) => {
  log(error, address, family);
  dns.lookup('::1', { all: true }, (failed, list) => {
    log(failed, list);
    dns.lookup('localhost', { family: 4 }, (none, host, version) => {
      log(none, host, version);
      dns.lookup('name.invalid', (bad) => {
        log(bad.message, bad.code, bad.syscall, bad.hostname);
        dns.lookup('', (e, value, kind) => {
          log(e, value, kind);
          promised();
        });
      });
    });
  });
});
async function promised() {
  log(await dns.promises.lookup('127.0.0.1'));
  log(await dns.promises.lookup('10.0.0.1', { all: true }));
  log(await require('dns/promises').lookup('localhost', 4));
  try {
    await dns.promises.lookup('name.invalid');
  } catch (error) {
    log(error.code, error.message);
  }
  log(await require('util').promisify(dns.lookup)('127.0.0.1'));
}
for (const call of [() => dns.lookup(5, () => {}), () => dns.lookup('x'), () => dns.lookup('x', 5, () => {}), () => dns.lookup('x', { family: 7 }, () => {}),
  () => dns.lookup('x', 'y', () => {}), () => dns.lookup('x', { all: 5 }, () => {})])
  try {
    call();
    log('nothing thrown');
  } catch (error) {
    log(error.name, error.code, error.message);
  }
