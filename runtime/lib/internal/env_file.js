'use strict';
// util.parseEnv and process.loadEnvFile: NAME=value, line by line. A quoted value may span several
// lines; in double quotes \n is a new line.

const { over, regexpExec, regexpReplace, stringIndexOf, stringReplaceAll, stringSlice, stringStartsWith } = intrinsics;
const { validateString } = require('internal/errors');

const trimmed = (text) => regexpReplace(/^ +| +$/g, text, '');

// [the value at the beginning of a text, its length in the text]
function valueAt(text) {
  const start = regexpExec.call(/^ */, text)[0].length;
  const quote = text[start];
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = stringIndexOf.call(text, quote, start + 1);
    if (end >= 0) {
      const inside = stringSlice.call(text, start + 1, end);
      return [quote === '"' ? stringReplaceAll.call(inside, '\\n', '\n') : inside, end + 1];
    }
  }
  const line = regexpExec.call(/^[^\n]*/, text)[0];
  return [trimmed(regexpReplace(/#.*/, line, '')), line.length];
}

function parse(content) {
  const found = {};
  let rest = stringReplaceAll.call(content, '\r\n', '\n');
  while (rest !== '') {
    const { 1: name } = regexpExec.call(/^[ \n]*([^\n#=][^\n=]*)=/, rest) ?? [];
    if (name !== undefined) {
      rest = stringSlice.call(rest, stringIndexOf.call(rest, '=') + 1);
      const { 0: value, 1: length } = valueAt(rest);
      const key = trimmed(name);
      found[stringStartsWith.call(key, 'export ') ? stringSlice.call(key, 7) : key] = value;
      rest = stringSlice.call(rest, length);
    }
    // The rest of the line is ignored.
    rest = regexpReplace(name === undefined ? /^\n*[^\n]*/ : /^[^\n]*/, rest, '');
    rest = regexpReplace(/^\n+/, rest, '');
  }
  return found;
}

function parseEnv(content) {
  validateString(content, 'content');
  return parse(content);
}

// Variables that are already set stay as they are.
function loadEnvFile(path) {
  path ??= '.env';
  const fs = require('fs');
  const name = require('internal/fs/util').pathOf(path);
  for (const { 0: key, 1: value } of over(Object.entries(parse(fs.readFileSync(name, 'utf8'))))) process.env[key] ??= value;
}

module.exports = { loadEnvFile, parseEnv };
