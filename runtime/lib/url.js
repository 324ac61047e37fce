'use strict';
// url: the standard's URL, file names as URLs, and the older functions, from the package.

const {
  arrayFilter, arrayJoin, arrayMap, regexpExec, regexpReplace, regexpTest, stringEndsWith, stringSlice, stringSplit,
} = intrinsics;
const old = require('vendor/url');
const { URL, URLSearchParams } = require('internal/whatwg_url');
const { coded, invalidArgType, missingArgs, validateString } = require('internal/errors');

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

// Windows: C:\\a is file:///C:/a, and \\\\server\\share\\a is file://server/share/a.
function windowsPathToFileURL(name) {
  const { win32 } = require('path');
  let resolved = win32.resolve(name);
  if (regexpTest(/[/\\]$/, name) && resolved[resolved.length - 1] !== '\\') resolved += '\\';
  const { 1: host, 2: rest } = regexpExec.call(/^\\\\(?:\?\\UNC\\)?([^\\?]+)(\\.*)$/s, resolved) ?? [];
  const parts = arrayMap.call(stringSplit.call(rest ?? resolved, '\\'), escaped);
  return new URL(`file://${host ?? '/'}${arrayJoin.call(parts, '/')}`);
}

const escapes = { '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23' };
const escaped = (text) => regexpReplace(/[%\\\n\r\t?#]/g, text, (character) => escapes[character]);

function pathToFileURL(name, options) {
  if (options?.windows) return windowsPathToFileURL(name);
  validateString(name, 'path');
  const path = require('path');
  let resolved = path.resolve(name);
  if (stringEndsWith.call(name, '/') && !stringEndsWith.call(resolved, '/')) resolved += '/';
  return new URL(`file://${escaped(resolved)}`);
}

function format(url, options) {
  if (typeof url !== 'string' && (typeof url !== 'object' || url === null))
    throw invalidArgType('urlObject', 'one of type object or string', url);
  if (!(url instanceof URL)) return old.format(url);
  const { fragment = true, search = true, auth = true } = options ?? {};
  const copy = new URL(url.href);
  if (!fragment) copy.hash = '';
  if (!search) copy.search = '';
  if (!auth) copy.username = copy.password = '';
  return copy.href;
}

function parse(url, parseQuery, slashesDenoteHost) {
  if (url instanceof old.Url) return url;
  validateString(url, 'url');
  const result = old.parse(url, parseQuery, slashesDenoteHost);
  if (parseQuery && result.query !== null && typeof result.query === 'object') Object.setPrototypeOf(result.query, null);
  return result;
}

// The arguments that the older functions accept as a URL.
function checkOld(url) {
  if (!(url instanceof old.Url)) validateString(url, 'url');
}

function resolveObject(from, to) {
  if (from) checkOld(from);
  return old.resolveObject(from, to);
}

// The package treats the first folder of a file URL as a host, unless the base has one.
function resolve(from, to) {
  checkOld(from);
  checkOld(to);
  return old.resolve(regexpTest(/^file:\/\/\//i, to) ? 'file:///' : from, to);
}

module.exports = {
  Url: old.Url,
  parse,
  resolve,
  resolveObject,
  format,
  URL,
  URLSearchParams,
  domainToASCII(name) {
    if (arguments.length === 0) throw missingArgs('The "domain" argument');
    const text = `ws://${name}`;
    try {
      return new URL(text).hostname;
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
  urlToHttpOptions(url) {
    const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
    const options = {
      __proto__: null, ...url,
      protocol, hostname: hostname && hostname[0] === '[' ? stringSlice.call(hostname, 1, -1) : hostname, hash, search, pathname,
      path: arrayJoin.call(arrayFilter.call([pathname, search], Boolean), ''), href,
    };
    if (port !== '') options.port = Number(port);
    if (username || password) options.auth = arrayJoin.call(arrayMap.call([username, password], (part) => decodeURIComponent(part)), ':');
    return options;
  },
};
