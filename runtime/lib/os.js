'use strict';
// The machine.

const { arrayPush, arrayReduce, numberToString, over, regexpReplace, stringSlice, stringSplit } = intrinsics;
const binding = native('os');
const signals = native('signals');
const { systemError, validateInteger } = require('internal/errors');

const uname = binding.uname();
const errno = {
  __proto__: null,
  E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAFNOSUPPORT: 97, EAGAIN: 11, EALREADY: 114, EBADF: 9,
  EBADMSG: 74, EBUSY: 16, ECANCELED: 125, ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104,
  EDEADLK: 35, EDESTADDRREQ: 89, EDOM: 33, EDQUOT: 122, EEXIST: 17, EFAULT: 14, EFBIG: 27, EHOSTUNREACH: 113,
  EIDRM: 43, EILSEQ: 84, EINPROGRESS: 115, EINTR: 4, EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40,
  EMFILE: 24, EMLINK: 31, EMSGSIZE: 90, EMULTIHOP: 72, ENAMETOOLONG: 36, ENETDOWN: 100, ENETRESET: 102,
  ENETUNREACH: 101, ENFILE: 23, ENOBUFS: 105, ENODATA: 61, ENODEV: 19, ENOENT: 2, ENOEXEC: 8, ENOLCK: 37, ENOLINK:
  67, ENOMEM: 12, ENOMSG: 42, ENOPROTOOPT: 92, ENOSPC: 28, ENOSR: 63, ENOSTR: 60, ENOSYS: 38, ENOTCONN: 107,
  ENOTDIR: 20, ENOTEMPTY: 39, ENOTSOCK: 88, ENOTSUP: 95, ENOTTY: 25, ENXIO: 6, EOPNOTSUPP: 95, EOVERFLOW: 75,
  EPERM: 1, EPIPE: 32, EPROTO: 71, EPROTONOSUPPORT: 93, EPROTOTYPE: 91, ERANGE: 34, EROFS: 30, ESPIPE: 29, ESRCH:
  3, ESTALE: 116, ETIME: 62, ETIMEDOUT: 110, ETXTBSY: 26, EWOULDBLOCK: 11, EXDEV: 18,
};
const priority = {
  __proto__: null,
  PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14,
  PRIORITY_HIGHEST: -20,
};

function networkInterfaces() {
  const result = {};
  for (const { name, ...rest } of over(binding.interfaces())) {
    const { address, netmask, family, mac, internal, scopeid } = rest;
    const bits = family === 'IPv4' ?
      arrayReduce.call(stringSplit.call(netmask, '.'), (sum, part) => sum + regexpReplace(/0/g, numberToString.call(+part, 2), '').length, 0) :
      arrayReduce.call(stringSplit.call(netmask, ':'), (sum, part) => sum + regexpReplace(/0/g, numberToString.call(parseInt(part || '0', 16), 2), '').length, 0);
    const entry = { address, netmask, family, mac, internal, cidr: `${address}/${bits}` };
    if (scopeid !== undefined) entry.scopeid = scopeid;
    arrayPush.call(result[name] ??= [], entry);
  }
  return result;
}

// Throws a system error in the form that os uses.
function asked(syscall, call) {
  try {
    return call();
  } catch (refused) {
    const { code, errno } = refused;
    const message = native('process').errorText(errno);
    throw systemError('ERR_SYSTEM_ERROR', 'A system error occurred', { errno, code, message, syscall });
  }
}

// Read from the current environment; an empty value counts as not set.
function tmpdir() {
  const { TEMP, TMP, TMPDIR } = process.env;
  const path = TMPDIR || TMP || TEMP || '/tmp';
  return path.length > 1 && path[path.length - 1] === '/' ? stringSlice.call(path, 0, -1) : path;
}

const checkInt32 = (value, name) => validateInteger(value, name, -(2 ** 31), 2 ** 31 - 1);

function getPriority(pid) {
  if (pid === undefined) pid = 0;
  else checkInt32(pid, 'pid');
  return asked('uv_os_getpriority', () => binding.priority(pid));
}

// setPriority([pid, ]priority)
function setPriority(pid, value) {
  if (value === undefined) ({ 0: pid, 1: value } = [0, pid]);
  checkInt32(pid, 'pid');
  validateInteger(value, 'priority', -20, 19);
  return asked('uv_os_setpriority', () => binding.priority(pid, value));
}

function userInfo(options) {
  const encoding = options !== null && typeof options === 'object' ? options.encoding : undefined;
  const user = binding.user();
  if (encoding !== 'buffer') return user;
  const { Buffer } = require('buffer');
  for (const name of over(['username', 'homedir', 'shell'])) if (user[name] !== null) user[name] = Buffer.from(user[name]);
  return user;
}

module.exports = {
  arch: () => process.arch,
  availableParallelism: binding.parallelism,
  cpus: binding.cpus,
  endianness: () => 'LE',
  freemem: () => binding.memory()[0],
  getPriority,
  homedir: () => binding.homedir(),
  hostname: () => binding.hostname(),
  loadavg: () => binding.loadavg(),
  networkInterfaces,
  platform: () => process.platform,
  release: () => uname.release,
  setPriority,
  tmpdir,
  totalmem: () => binding.memory()[1],
  type: () => uname.sysname,
  userInfo,
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
};
// Where a text or a number is expected, the function is converted to its result.
for (const name of over(['arch', 'availableParallelism', 'endianness', 'freemem', 'homedir', 'hostname', 'machine', 'platform', 'release',
  'tmpdir', 'totalmem', 'type', 'uptime', 'version'])) {
  const ask = module.exports[name];
  Object.defineProperty(ask, Symbol.toPrimitive, { __proto__: null, value: () => ask(), configurable: true, writable: true, enumerable: true });
}
// Read-only.
for (const { 0: name, 1: value } of over([['EOL', '\n'], ['devNull', '/dev/null']]))
  Object.defineProperty(module.exports, name, { __proto__: null, value, enumerable: true, writable: false, configurable: name === 'EOL' });
