'use strict';
// url: the standard's URL, file names as URLs, and the older functions, which are the
// package's.

const {
  arrayFilter, arrayJoin, arrayMap, regexpReplace, regexpTest, stringEndsWith, stringSlice, stringStartsWith,
} = intrinsics;
const old = require('vendor/url');
const { URL, URLSearchParams } = require('internal/whatwg_url');
const { coded, invalidArgType, missingArgs } = require('internal/errors');

function fileURLToPath(url) {
  if (typeof url === 'string') url = new URL(url);
  if (!(url instanceof URL)) throw invalidArgType('path', 'of type string or an instance of URL', url);
  if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  if (url.hostname !== '')
    throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
  if (regexpTest(/%2f/i, url.pathname))
    throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
  return decodeURIComponent(url.pathname);
}

function pathToFileURL(name) {
  const path = require('path');
  let resolved = path.resolve(name);
  if (stringEndsWith.call(name, '/') && !stringEndsWith.call(resolved, '/')) resolved += '/';
  const escapes = { '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23' };
  return new URL(`file://${regexpReplace(/[%\\\n\r\t?#]/g, resolved, (character) => escapes[character])}`);
}

function format(url, options) {
  if (!(url instanceof URL)) return old.format(url);
  const { fragment = true, search = true, auth = true } = options ?? {};
  const copy = new URL(url.href);
  if (!fragment) copy.hash = '';
  if (!search) copy.search = '';
  if (!auth) copy.username = copy.password = '';
  return copy.href;
}

module.exports = {
  Url: old.Url,
  parse: old.parse,
  resolve: old.resolve,
  resolveObject: old.resolveObject,
  format,
  URL,
  URLSearchParams,
  domainToASCII(name) {
    if (arguments.length === 0) throw missingArgs('The "domain" argument');
    try {
      return new URL(`ws://${name}`).hostname;
    } catch {
      return '';
    }
  },
  domainToUnicode(name) {
    if (arguments.length === 0) throw missingArgs('The "domain" argument');
    return require('vendor/punycode').toUnicode(`${name}`);
  },
  pathToFileURL,
  fileURLToPath,
  urlToHttpOptions({ protocol, hostname, hash, search, pathname, href, port, username, password }) {
    const options = {
      protocol, hostname: stringStartsWith.call(hostname, '[') ? stringSlice.call(hostname, 1, -1) : hostname, hash, search, pathname,
      path: arrayJoin.call(arrayFilter.call([pathname, search], Boolean), ''), href,
    };
    if (port !== '') options.port = Number(port);
    if (username || password) options.auth = arrayJoin.call(arrayMap.call([username, password], (part) => decodeURIComponent(part)), ':');
    return options;
  },
};
