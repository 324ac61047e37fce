'use strict';
// The machine.

const binding = native('os');
const signals = native('signals');

const uname = binding.uname();
const errno = {
  E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAGAIN: 11, EBADF: 9, EBUSY: 16, ECANCELED: 125,
  ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104, EEXIST: 17, EHOSTUNREACH: 113, EINTR: 4,
  EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40, EMFILE: 24, EMSGSIZE: 90, ENAMETOOLONG: 36,
  ENETUNREACH: 101, ENFILE: 23, ENOENT: 2, ENOMEM: 12, ENOSPC: 28, ENOSYS: 38, ENOTCONN: 107, ENOTDIR: 20,
  ENOTEMPTY: 39, ENOTSOCK: 88, EPERM: 1, EPIPE: 32, ERANGE: 34, EROFS: 30, ESRCH: 3, ETIMEDOUT: 110, EXDEV: 18,
};
const priority = {
  PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14,
  PRIORITY_HIGHEST: -20,
};

function networkInterfaces() {
  const result = {};
  for (const { name, ...rest } of binding.interfaces()) {
    const { address, netmask, family, mac, internal, scopeid } = rest;
    const bits = family === 'IPv4' ?
      netmask.split('.').reduce((sum, part) => sum + (+part).toString(2).replace(/0/g, '').length, 0) :
      netmask.split(':').reduce((sum, part) => sum + parseInt(part || '0', 16).toString(2).replace(/0/g, '').length, 0);
    const entry = { address, netmask, family, mac, internal, cidr: `${address}/${bits}` };
    if (scopeid !== undefined) entry.scopeid = scopeid;
    (result[name] ??= []).push(entry);
  }
  return result;
}

module.exports = {
  arch: () => process.arch,
  availableParallelism: binding.parallelism,
  cpus: binding.cpus,
  endianness: () => 'LE',
  freemem: () => binding.memory()[0],
  getPriority: (pid = 0) => binding.priority(pid),
  homedir: () => binding.homedir(),
  hostname: () => binding.hostname(),
  loadavg: () => binding.loadavg(),
  networkInterfaces,
  platform: () => process.platform,
  release: () => uname.release,
  setPriority: (pid, value) => value === undefined ? binding.priority(0, pid) : binding.priority(pid, value),
  tmpdir: () => binding.tmpdir(),
  totalmem: () => binding.memory()[1],
  type: () => uname.sysname,
  userInfo: () => binding.user(),
  uptime: () => Math.floor(binding.uptime() * 100) / 100,
  version: () => uname.version,
  machine: () => uname.machine,
  constants: Object.freeze({
    UV_UDP_REUSEADDR: 4,
    dlopen: Object.freeze({ RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 }),
    errno: Object.freeze(errno),
    signals: Object.freeze({ ...signals.numbers }),
    priority: Object.freeze(priority),
  }),
  EOL: '\n',
  devNull: '/dev/null',
};
