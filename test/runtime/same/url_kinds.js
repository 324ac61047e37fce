'use strict';
// URLs of all kinds: which are none, how they are resolved, and what setting a part does.
const show = (input, base) => {
  try {
    const { href, origin, host, pathname, search, hash } = new URL(input, base);
    console.log(JSON.stringify([input, base, href, origin, host, pathname, search, hash]));
  } catch (error) {
    console.log(JSON.stringify([input, base]), error.code);
  }
};
const bases = [undefined, 'http://user:pw@host:8080/a/b/c?q=1#f', 'file:///C:/dir/file', 'file://server/share/x', 'sc://h/p/q', 'mailto:a@b'];
const inputs = ['', '#x', '?y', '/', '//', '//other/z', '/\\x', '\\\\other\\z', 'rel', './rel/..', '../../../up', 'http:/one', 'http:one', 'http:\\\\two',
  'https:/three', 'file:c|/x', 'file:/d:', 'C|/foo', '/C|\\bar', '//C|/baz', 'file://localhost/x', 'file://h', 'file:x', 'sc:opaque path ',
  'sc:/one', 'sc://:80/', 'sc://u@/', 'sc://ho st/', 'sc://[::1]:5/', 'http://a:b@c:80/', 'http://a@b@c/', 'http://h:65536', 'http://h:x',
  'http://[1::2::3]', 'http://[::1.2.3.4]', 'http://0x7f.1', 'http://1.2.3.4.5', 'http://09.1', 'http://a.1.', 'http://%41.com', 'http://a%00b',
  'http://\u00e9.com', 'http://xn--9ca.com', 'http://xn--', 'http://xn--a', 'http://\uff27\uff4f.com', 'http://a\u00adb.com', 'http://\u3002x',
  'http://\ufffd', 'http://a"`{}b', 'http://a^b', 'blob:http://x.org:81/id', 'blob:sc://x', 'http://h/ "<>^`{|}', 'http://h/?"\'<>', 'http://h/%2e%2E/x/%2e'];
for (const base of bases) for (const input of inputs) show(input, base);

const set = (href, name, value) => {
  const url = new URL(href);
  url[name] = value;
  console.log(JSON.stringify([href, name, value, url.href]));
};
for (const href of ['http://u:p@h:81/p?q#f', 'file:///C:/x', 'file://h/x', 'sc://h/x', 'sc:opaque  ?q#f'])
  for (const [name, values] of Object.entries({
    protocol: ['https', 'sc', 'file', 'h\ttp:x', '9'], username: ['a@b', ''], password: ['x:y'], host: ['x:9', 'x:', '', 'a b', '[::2]:4', 'x/y', 'x?y'],
    hostname: ['x:9', '', 'LOCALHOST', '0x1'], port: ['', '82x', 'x', '80', '70000', '\t5'], pathname: ['', '/../z', 'a\\b', '?#'], search: ['', '?', '??x', 'a b\'', 'x\ny'],
    hash: ['', '#', '##x', 'a b`'], href: ['http://new/'],
  })) for (const value of values) set(href, name, value);

const url = new URL('http://h/?x=1&y=2');
const { searchParams } = url;
url.search = '?z=3';
console.log([...searchParams].join('|'), searchParams === url.searchParams);
searchParams.append('\ud800', 'a b&c');
console.log(url.href, searchParams.size);
url.href = 'http://h/';
console.log([...searchParams].length);
searchParams.set('a', 1);
searchParams.delete('a');
console.log(url.href);
for (const attempt of [() => new URLSearchParams([['a']]), () => new URLSearchParams([1]), () => new URLSearchParams({ [Symbol.iterator]: 1 }),
  () => searchParams.append('x'), () => searchParams.get(), () => searchParams.forEach(1), () => URLSearchParams.prototype.get.call({}, 'x'),
  () => URLSearchParams.prototype.toString.call(1), () => require('url').domainToASCII(), () => new URL(), () => new URL('x')])
  try {
    console.log(attempt());
  } catch (error) {
    console.log(String(error));
  }
console.log(String(new URLSearchParams({ a: 1, b: 'x y' })), String(new URLSearchParams('?a=%zz&&b+c')), String(new URLSearchParams([['a', 'b'], new Set(['c', 'd'])])));
