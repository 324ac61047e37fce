'use strict';
// util.parseEnv and process.loadEnvFile: NAME=value, line by line. A value in quotes may go over
// several lines; in double quotes \n is a new line.

const { validateString } = require('internal/errors');

const trimmed = (text) => text.replace(/^ +| +$/g, '');

// [the value at the beginning of a text, how far it goes]
function valueAt(text) {
  const start = /^ */.exec(text)[0].length;
  const quote = text[start];
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = text.indexOf(quote, start + 1);
    if (end >= 0) {
      const inside = text.slice(start + 1, end);
      return [quote === '"' ? inside.replaceAll('\\n', '\n') : inside, end + 1];
    }
  }
  const line = /^[^\n]*/.exec(text)[0];
  return [trimmed(line.replace(/#.*/, '')), line.length];
}

function parse(content) {
  const found = {};
  let rest = content.replaceAll('\r\n', '\n');
  while (rest !== '') {
    const [, name] = /^[ \n]*([^\n#=][^\n=]*)=/.exec(rest) ?? [];
    if (name !== undefined) {
      rest = rest.slice(rest.indexOf('=') + 1);
      const [value, length] = valueAt(rest);
      const key = trimmed(name);
      found[key.startsWith('export ') ? key.slice(7) : key] = value;
      rest = rest.slice(length);
    }
    // What is left of the line says nothing.
    rest = rest.replace(name === undefined ? /^\n*[^\n]*/ : /^[^\n]*/, '').replace(/^\n+/, '');
  }
  return found;
}

function parseEnv(content) {
  validateString(content, 'content');
  return parse(content);
}

// What is set already stays.
function loadEnvFile(path = '.env') {
  const fs = require('fs');
  const name = require('internal/fs/util').pathOf(path);
  for (const [key, value] of Object.entries(parse(fs.readFileSync(name, 'utf8')))) process.env[key] ??= value;
}

module.exports = { loadEnvFile, parseEnv };
