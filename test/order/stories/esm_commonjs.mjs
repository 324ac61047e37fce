// CommonJS from modules and modules from CommonJS, and packages.
import common, { named, other as renamed } from '../lib/esm/common.cjs';
import * as space from '../lib/esm/common.cjs';
import call, { part } from '../lib/esm/function.cjs';
import scripts from '../lib/esm/imports.cjs';
import { createRequire } from 'module';

console.log(common, named, renamed, space.default === common, space.named, call.name, part);
console.log(scripts.required.one, scripts.required.default, scripts.text, (await scripts.load()).p);
const require = createRequire(import.meta.url);
console.log(require('../lib/esm/star_two.mjs').both, require('../lib/esm/common.cjs') === common);
try {
  require('../lib/esm/waits_1.mjs');
} catch (error) {
  console.log(error.code);
}
const from = createRequire(new URL('../lib/esm/x.js', import.meta.url));
console.log(from('both'), from('legacy'));
const inside = await import('../lib/esm/packages.mjs');
console.log(inside);
for (const name of ['../lib/esm/nowhere.mjs', '../lib/esm/plain_1', '../lib/esm', 'no-such-package', 'node:nothing', '../lib/esm/common.cjs/x'])
  await import(name).then(() => console.log('there'), (error) => console.log(error.name, error.code,
    error.message.replaceAll(import.meta.dirname, 'HERE').replaceAll(import.meta.dirname.replace(/\/\w+$/, ''), 'UP')));
