'use strict';
// dns.lookup and dns.lookupService, which ask the system's resolver in the pool.

const { SymbolFor, arrayConcat, arrayFilter, arrayJoin, arrayPush } = intrinsics;
const binding = native('dns');
const uv = native('process');
const tools = require('internal/tools');
const { isIP, validatePort } = require('internal/net/util');
const {
  invalidArgType, invalidArgValue, missingArgs, validateBoolean, validateFunction, validateNumber, validateOneOf, validateString,
} = require('internal/errors');

const ORDERS = ['verbatim', 'ipv4first', 'ipv6first'];
let order = 'verbatim';

// EAI_NODATA and EAI_NONAME are the same error in Node: there is no such name.
function lookupError(err, syscall, hostname) {
  const name = uv.errorName(err);
  const code = name === 'EAI_NODATA' || name === 'EAI_NONAME' ? 'ENOTFOUND' : name;
  const words = hostname ? [syscall, code, hostname] : [syscall, code];
  return Object.assign(new Error(arrayJoin.call(words, ' ')), { errno: err, code, syscall }, hostname ? { hostname } : null);
}

const FAMILIES = new Map([[0, 0], [4, 4], [6, 6], ['IPv4', 4], ['IPv6', 6]]);

function readOptions(options) {
  const read = { all: false, family: 0, hints: 0, order };
  if (typeof options === 'number') {
    if (!FAMILIES.has(options)) throw invalidArgValue('family', options, 'must be one of: 0, 4, 6');
    read.family = options;
  } else if (options !== undefined && options !== null) {
    if (typeof options !== 'object')
      throw invalidArgType('options', 'of type object or integer', options);
    if (options.hints != null) {
      validateNumber(options.hints, 'options.hints');
      read.hints = options.hints >>> 0;
      if ((read.hints & ~(binding.ADDRCONFIG | binding.ALL | binding.V4MAPPED)) !== 0)
        throw invalidArgValue('hints', read.hints);
    }
    if (options.family != null) {
      if (!FAMILIES.has(options.family)) throw invalidArgValue('options.family', options.family, 'must be one of: 0, 4, 6');
      read.family = FAMILIES.get(options.family);
    }
    if (options.all != null) {
      validateBoolean(options.all, 'options.all');
      read.all = options.all;
    }
    if (options.verbatim != null) {
      validateBoolean(options.verbatim, 'options.verbatim');
      read.order = options.verbatim ? 'verbatim' : 'ipv4first';
    }
    if (options.order != null) {
      validateOneOf(options.order, 'options.order', ORDERS);
      read.order = options.order;
    }
  }
  return read;
}

function sorted(list, by) {
  if (by === 'verbatim') return list;
  const first = by === 'ipv6first' ? 6 : 4;
  return arrayConcat.call(arrayFilter.call(list, (item) => item.family === first), arrayFilter.call(list, (item) => item.family !== first));
}

// answer(error, list), for a callback of the program's
function find(hostname, options, answer, callback) {
  if (!hostname) {
    process.nextTick(answer, null, [{ address: null, family: options.family === 6 ? 6 : 4 }], true);
    return;
  }
  const version = isIP(hostname);
  if (version !== 0) {
    process.nextTick(answer, null, [{ address: hostname, family: version }]);
    return;
  }
  const err = binding.lookup(hostname, options.family, options.hints, function onLookup(failed, found) {
    if (tools.nameAfter !== undefined && callback !== undefined) tools.nameAfter(callback);
    if (failed) {
      answer(lookupError(failed, 'getaddrinfo', hostname));
      return;
    }
    const list = [];
    for (let i = 0; i < found.length; i += 2) arrayPush.call(list, { address: found[i], family: found[i + 1] });
    answer(null, sorted(list, options.order));
  });
  if (err < 0) process.nextTick(answer, lookupError(err, 'getaddrinfo', hostname));
}

function lookup(hostname, options, callback) {
  if (hostname) validateString(hostname, 'hostname');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  const read = readOptions(options);
  find(hostname, read, (error, list, empty) => {
    if (error) callback(error);
    else if (read.all) callback(null, empty ? [] : list);
    else callback(null, list[0].address, list[0].family);
  }, callback);
  return {};
}

function serviceArguments(address, port) {
  if (isIP(address) === 0) throw invalidArgValue('address', address);
  return validatePort(port);
}

function lookupService(address, port, callback) {
  if (arguments.length !== 3) throw missingArgs('The "address", "port", and "callback" arguments');
  const number = serviceArguments(address, port);
  validateFunction(callback, 'callback');
  const err = binding.lookupService(address, number, function onService(failed, names) {
    if (tools.nameAfter !== undefined) tools.nameAfter(callback);
    if (failed) callback(lookupError(failed, 'getnameinfo', address));
    else callback(null, names[0], names[1]);
  });
  if (err < 0) throw lookupError(err, 'getnameinfo', address);
  return {};
}

const custom = SymbolFor('nodejs.util.promisify.custom');
const promises = {
  lookup(hostname, options) {
    if (hostname) validateString(hostname, 'hostname');
    const read = readOptions(options);
    return new Promise((resolve, reject) => {
      find(hostname, read, (error, list, empty) => {
        if (error) reject(error);
        else if (read.all) resolve(empty ? [] : list);
        else resolve(list[0]);
      });
    });
  },
  lookupService(address, port) {
    if (arguments.length !== 2) throw missingArgs('The "address" and "port" arguments');
    serviceArguments(address, port);
    return new Promise((resolve, reject) => {
      lookupService(address, port, (error, hostname, service) => {
        if (error) reject(error);
        else resolve({ hostname, service });
      });
    });
  },
};
lookup[custom] = promises.lookup;
lookupService[custom] = promises.lookupService;

function setDefaultResultOrder(value) {
  validateOneOf(value, 'dnsOrder', ORDERS);
  order = value;
}

const getDefaultResultOrder = () => order;
Object.assign(promises, { getDefaultResultOrder, setDefaultResultOrder });

module.exports = { lookup, lookupService, promises, setDefaultResultOrder, getDefaultResultOrder };
