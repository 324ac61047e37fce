'use strict';
// ES modules beside CommonJS ones, by query, after their file is gone, and from evaluated text.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-imports-')));
const put = (name, text) => fs.writeFileSync(path.join(root, name), text);
put('c.cjs', 'exports.one = 1; exports.two = 2;');
put('passes.mjs', 'export { two, one as uno } from "./c.cjs"; export { default } from "./c.cjs";');
put('uses.mjs', 'import { two, uno } from "./passes.mjs"; import * as all from "./passes.mjs"; export default [two, uno, Object.keys(all)];');
put('lacks.mjs', 'export { three } from "./c.cjs";');
put('called.mjs', 'const f = () => "called"; export { f as "module.exports" }; export default 1;');
put('marked.mjs', 'export default 5; export const a = 1;');
put('plain.mjs', 'export const a = 1;');
put('asks.mjs', 'export const byFunction = new Function("return import(\'./plain.mjs\')"); export const byEval = () => eval("import(\'./plain.mjs\')");');
put('asks.cjs', 'exports.byFunction = new Function("x", "return import(x)"); exports.byEval = (text) => { let local = 3; return eval(text); };');
put('q.mjs', 'export default 1;');
put('q.json', '1');
put('nul.js', 'module.exports = "SECRET"');

const words = (error) => `${error.name} ${error.code} ${error.message.replaceAll(root, 'ROOT').split('\n')[0]}`;
(async () => {
  const at = (name) => path.join(root, name);
  console.log((await import(at('uses.mjs'))).default);
  console.log(await import(at('lacks.mjs')).then(() => 'loaded', (error) => error.name));
  console.log(require(at('called.mjs'))(), require(at('marked.mjs')), require(at('plain.mjs')));
  console.log(require(at('marked.mjs')) === require(at('marked.mjs')), await import(at('marked.mjs')));

  const asks = await import(at('asks.mjs'));
  console.log(await asks.byFunction(), await asks.byEval());
  const { byFunction, byEval } = require(at('asks.cjs'));
  console.log(await byFunction('./plain.mjs'), await byEval('import("./plain.mjs")'), byEval('local + 1'), byFunction.length);
  console.log(Function.name, (() => {}).constructor === Function, Object.getPrototypeOf((async () => {}).constructor) === Function);
  class Own extends Function {}
  console.log(new Own('return 5')(), new Own('') instanceof Own, Function('a', 'b', 'return a + b')(1, 2));

  const first = await import(`${at('q.mjs')}?v=1`);
  const data = await import(`${at('q.json')}?v=1`, { with: { type: 'json' } });
  put('q.mjs', 'export default 2;');
  put('q.json', '2');
  const second = await import(`${at('q.mjs')}?v=2`);
  const newer = await import(`${at('q.json')}?v=2`, { with: { type: 'json' } });
  console.log(first.default, second.default, first === await import(`${at('q.mjs')}?v=1`), data.default, newer.default);
  fs.rmSync(at('q.mjs'));
  console.log(second === await import(`${at('q.mjs')}?v=2`));

  for (const name of ['nul.js%00', 'nul.js%00.txt'])
    await import(`file://${at(name)}`).then((all) => console.log(all.default), (error) => console.log(words(error)));
  fs.rmSync(root, { recursive: true });
})();
