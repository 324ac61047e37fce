'use strict';
// Error.prepareStackTrace and the call sites it gets, as depd, callsites and others use them.
const path = require('path');
const usual = Error.prepareStackTrace;
console.log(typeof usual);

function sites() {
  const before = [Error.prepareStackTrace, Error.stackTraceLimit];
  const holder = {};
  Error.prepareStackTrace = (error, list) => list;
  Error.stackTraceLimit = Math.max(10, Error.stackTraceLimit);
  Error.captureStackTrace(holder);
  const list = holder.stack.slice(1);
  [Error.prepareStackTrace, Error.stackTraceLimit] = before;
  return list;
}
function outer() {
  return sites();
}
const list = outer();
console.log(Array.isArray(list), list[0].getFunctionName(), path.basename(list[0].getFileName()), list[0].getLineNumber());
console.log(typeof list[0].getColumnNumber(), list[0].isNative(), list[0].isEval(), list[0].getEvalOrigin(), list[0].getThis());
console.log(list[0].toString().replace(/^(\w+) \(.*\/([^/]+):\d+\)$/, '$1 $2'));
for (const name of ['getTypeName', 'getMethodName', 'isToplevel', 'isConstructor', 'isAsync', 'isPromiseAll', 'getPromiseIndex',
  'getScriptNameOrSourceURL', 'getFunction'])
  console.log(name, typeof list[0][name]);

Error.prepareStackTrace = (error, frames) => `${error} by ${frames.length > 0 ? 'some' : 'no'} frames`;
const made = new RangeError('made');
console.log(made.stack, made.stack === made.stack);
class Own extends Error {}
console.log(new Own('own').stack);
Error.prepareStackTrace = () => { throw new Error('in prepare'); };
const bad = new Error('bad');
try {
  console.log(bad.stack);
} catch (error) {
  Error.prepareStackTrace = undefined;
  console.log('threw', error.message);
}
Error.prepareStackTrace = undefined;
console.log(new Error('plain').stack.split('\n')[0]);

function deep(n) {
  return n === 0 ? new Error('deep') : deep(n - 1);
}
const count = (error) => error.stack.split('\n').length - 1;
console.log(count(deep(30)));
Error.stackTraceLimit = 25;
console.log(count(deep(30)));
Error.stackTraceLimit = 0;
const none = deep(5);
Error.stackTraceLimit = 10;
console.log(none.stack);
