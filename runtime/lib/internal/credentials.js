'use strict';
// process.setuid and the like: an identifier is a number or a name.

const { arrayIndexOf, arrayMap } = intrinsics;
const binding = native('credentials');
const { coded, invalidArgType, uvError, validateArray, validateUint32 } = require('internal/errors');

function checkId(id, name) {
  if (typeof id === 'number') validateUint32(id, name);
  else if (typeof id !== 'string') throw invalidArgType(name, 'one of type number or string', id);
}

const unknown = (kind, id) => coded(Error, 'ERR_UNKNOWN_CREDENTIAL', `${kind} identifier does not exist: ${id}`);

// The number of a user or group; a name must be known.
const LOOK_UP = { __proto__: null, User: binding.userId, Group: binding.groupId };
function idOf(id, kind) {
  const number = typeof id === 'number' ? id : LOOK_UP[kind](id);
  if (number === undefined) throw unknown(kind, id);
  return number;
}

function check(errno, syscall) {
  if (errno === 0) return;
  const { code } = uvError(-errno, syscall);
  throw Object.assign(new Error(`${code}, ${binding.errorText(errno)}`), { errno, code, syscall });
}

const SETTERS = ['setuid', 'seteuid', 'setgid', 'setegid']; // in C's order

const setter = (name, kind) => ({
  [name](id) {
    checkId(id, 'id');
    check(binding.set(arrayIndexOf.call(SETTERS, name), idOf(id, kind)), name);
  },
})[name];

module.exports = {
  setuid: setter('setuid', 'User'),
  seteuid: setter('seteuid', 'User'),
  setgid: setter('setgid', 'Group'),
  setegid: setter('setegid', 'Group'),
  setgroups(groups) {
    validateArray(groups, 'groups', { check: checkId });
    const ids = arrayMap.call(groups, (group) => idOf(group, 'Group'));
    check(Reflect.apply(binding.setgroups, undefined, ids), 'setgroups');
  },
  initgroups(user, extraGroup) {
    checkId(user, 'user');
    checkId(extraGroup, 'extraGroup');
    const name = typeof user === 'number' ? binding.userName(user) : user;
    if (name === undefined) throw unknown('User', user);
    check(binding.initgroups(name, idOf(extraGroup, 'Group')), 'initgroups');
  },
};
