'use strict';
// The words of HTTP: methods, status codes, what a name and a value may consist of, the date.

const {
  DateNow, arrayFilter, arrayIncludes, arraySlice, arraySort, dateToUTCString, regexpTest, stringSlice, stringStartsWith,
} = intrinsics;
const binding = native('http');
const { coded, notImplemented, shown } = require('internal/errors');

if (binding.problem !== undefined) throw notImplemented(`Module 'http' (${binding.problem})`);

const METHODS_BY_NUMBER = binding.methods;
const METHODS = arraySort.call(arrayFilter.call(arraySlice.call(METHODS_BY_NUMBER), (name) => name !== undefined && name !== 'PRI'));

const STATUS_CODES = {
  100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints',
  200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information', 204: 'No Content',
  205: 'Reset Content', 206: 'Partial Content', 207: 'Multi-Status', 208: 'Already Reported', 226: 'IM Used',
  300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
  307: 'Temporary Redirect', 308: 'Permanent Redirect',
  400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found',
  405: 'Method Not Allowed', 406: 'Not Acceptable', 407: 'Proxy Authentication Required', 408: 'Request Timeout',
  409: 'Conflict', 410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed', 413: 'Payload Too Large',
  414: 'URI Too Long', 415: 'Unsupported Media Type', 416: 'Range Not Satisfiable', 417: 'Expectation Failed',
  418: 'I\'m a Teapot', 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked', 424: 'Failed Dependency',
  425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
  431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable',
  504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates', 507: 'Insufficient Storage',
  508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended', 511: 'Network Authentication Required',
};

// --- what the command line says -------------------------------------------------------------------

const { execArgv } = process;
const SIZE = '--max-http-header-size';
function headerSize() {
  for (let i = execArgv.length - 1; i >= 0; i--) {
    if (execArgv[i] === SIZE) return Number(execArgv[i + 1]);
    if (stringStartsWith.call(execArgv[i], `${SIZE}=`)) return Number(stringSlice.call(execArgv[i], SIZE.length + 1));
  }
  return 16 * 1024;
}
const settings = { isLenient: arrayIncludes.call(execArgv, '--insecure-http-parser'), maxHeaderSize: headerSize() || 16 * 1024 };

// --- names and values of headers ------------------------------------------------------------------

const isToken = (text) => regexpTest(/^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/, text);
const hasBadCharacter = (text) => regexpTest(/[^\t\x20-\x7e\x80-\xff]/, text);

// Names that have passed: a server sets the same few again and again.
const KNOWN_MOST = 512;
const known = new Set();

const badToken = (label, text) => coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${shown(text)}"]`);

function validateHeaderName(name, label) {
  if (known.has(name)) return;
  if (typeof name !== 'string' || name === '' || !isToken(name)) throw badToken(label || 'Header name', name);
  if (known.size < KNOWN_MOST) known.add(name);
}

const badCharacter = (what, name) =>
  coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in ${what}${name === undefined ? '' : ` ["${name}"]`}`);

function validateHeaderValue(name, value) {
  if (value === undefined)
    throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
  if (typeof value !== 'number' && hasBadCharacter(`${value}`)) throw badCharacter('header content', name);
}

const headersSent = (verb) => coded(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${verb} headers after they are sent to the client`);

function reset(message) {
  const error = new Error(message);
  error.code = 'ECONNRESET';
  return error;
}

// --- the date ----------------------------------------------------------------------------------------

let second = -1;
let date = '';

function utcDate() {
  const now = Math.floor(DateNow() / 1000);
  if (now !== second) {
    second = now;
    date = dateToUTCString.call(new Date(now * 1000));
  }
  return date;
}

module.exports = {
  METHODS, METHODS_BY_NUMBER, STATUS_CODES, badCharacter, badToken, hasBadCharacter, headersSent, isToken, reset, settings, utcDate,
  validateHeaderName, validateHeaderValue,
};
