'use strict';
// Translates messages of the engine's errors into those of Node, where they mean the same.

const { over, regexpExec, regexpReplace, regexpTest, stringTrim } = intrinsics;
const nobody = /^(undefined|null) is not an object \(evaluating '([^]*)'\)$/;
const member = /(?:\.([\p{L}_$][\p{L}\p{N}_$]*)|\[(\d+)\]|\[(['"])(.*)\3\])$/u;

const phrases = [
  [/^Can't find variable: (.+)$/, (all, name) => `${name} is not defined`],
  [/^(.+) is not a function\. \(In '[^]*', '[^]*' is [^]*\)$/, (all, name) => `${name} is not a function`],
  [/^(.+) is not a constructor \(evaluating '[^]*'\)$/, (all, name) => `${name} is not a constructor`],
  [/^Maximum call stack size exceeded\.$/, () => 'Maximum call stack size exceeded'],
  [/^Out of memory$/, () => 'Invalid string length'],
  [nobody, (all, value, expression) => {
    const set = regexpExec.call(/^(.*?[^=!<>])=(?!=)/, expression);
    const { 1: dotted, 2: index, 4: quoted } = regexpExec.call(member, stringTrim.call(set?.[1] ?? expression)) ?? [];
    const name = dotted ?? index ?? quoted;
    if (name === undefined) return all;
    return `Cannot ${set ? 'set' : 'read'} properties of ${value} (${set ? 'setting' : 'reading'} '${name}')`;
  }],
];

// Rewrites the message of an error that the engine has made.
function reword(error) {
  const { message } = error;
  if (typeof message !== 'string') return;
  for (const { 0: pattern, 1: words } of over(phrases)) {
    if (!regexpTest(pattern, message)) continue;
    try {
      Object.defineProperty(error, 'message', { __proto__: null, value: regexpReplace(pattern, message, words) });
    } catch {
      // A frozen error keeps its message.
    }
    return;
  }
}

module.exports = { reword };
