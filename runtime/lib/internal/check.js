'use strict';
// rondo --check: compiles a script, as far as that goes without running anything.

const { stringCharCodeAt, stringSlice, stringStartsWith } = intrinsics;
const tools = require('internal/tools');

function check(file, inputType) {
  const loader = require('internal/loader');
  const isInput = file === undefined || file === '-';
  const name = isInput ? '[stdin]' : loader.Module._resolveFilename(file, null);
  let text = isInput ? native('stdio').readText(0) : loader.textOf(name);
  if (isInput ? inputType === 'module' : loader.isModuleFile(name)) {
    require('internal/esm/modules').check(isInput ? `${process.cwd()}/${name}` : name, text);
    return;
  }
  if (stringCharCodeAt.call(text, 0) === 0xfeff) text = stringSlice.call(text, 1);
  const { 0: before, 1: after } = loader.Module.wrapper;
  tools.addSource(name, text, before.length);
  if (stringStartsWith.call(text, '#!')) text = `//${stringSlice.call(text, 2)}`;
  tools.script.evaluate(before + text + after, name, 1);
}

module.exports = { check };
