'use strict';
// URLs, after the standard and before it.
const url = new URL('HTTP://user:pa ss@Example.COM:80/a/./b/../c d?x=1&y=\u00e9#frag ment');
console.log(url.href, url.host, url.pathname, url.search, url.hash, url.origin);
console.log(url);
for (const text of ['http://[::1]:3000/', 'http://192.168.0.257/', 'http://0x7f.1/', 'file:///tmp/a b', 'mailto:a@b',
  'data:text/plain,hi', 'http://a/b/../../c', 'https://m\u00fcnchen.de/\u00e4?\u00f6#\u00fc', 'http://h:99999/', '//x',
  'javascript:alert(1)', 'blob:http://a/b', 'http://a?b', 'foo://x/y/../z', 'http://ex.com:443', 'https://ex.com:443'])
  try {
    console.log(text, new URL(text).href);
  } catch (error) {
    console.log(text, error.code, error.message);
  }
for (const [text, base] of [['../x', 'http://h/a/b/c'], ['//y/z', 'http://h/a'], ['?q', 'http://h/a/b'], ['#f', 'http://h/a?b'],
  ['', 'http://h/a?b#c'], ['g:h', 'http://a/b'], ['./g/', 'http://a/b/c/d'], ['/abs', 'file:///x/y']])
  console.log(text, new URL(text, base).href);

const query = new URLSearchParams('a=1&b=2&a=3+4&c=%20');
query.append('d', '\u00e9&');
query.delete('b');
console.log(query.toString(), query.getAll('a'), [...query], query);
url.searchParams.set('z', '1 2');
console.log(url.href, URL.canParse('x'), JSON.stringify({ url }));

const old = require('url');
console.log(old.fileURLToPath('file:///tmp/a%20b'), old.pathToFileURL('/tmp/a b#c').href);
console.log(old.parse('http://u:p@h:8/p?q=1#f').host, old.resolve('/one/two/three', 'four'), old.format(new URL('http://a/b?c')));
const querystring = require('querystring');
console.log(querystring.parse('a=1&b=2&a=3&d'), querystring.stringify({ a: [1, 'x y'], b: true, c: '\u00e9' }));
