// Modules that can't be had or run: what is said, and the code that the program ends with.
import { spawnSync } from 'child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'esm-')));
writeFileSync(join(folder, 'good.mjs'), 'export const there = 1; export default 2;');
writeFileSync(join(folder, 'good.cjs'), 'exports.there = 1;');
writeFileSync(join(folder, 'throws.mjs'), 'globalThis.runs = (globalThis.runs ?? 0) + 1; throw new RangeError(`run ${globalThis.runs}`);');
writeFileSync(join(folder, 'lacks.mjs'), 'import "./circle.mjs"; import "./nowhere.mjs";');
writeFileSync(join(folder, 'circle.mjs'), 'import "./lacks.mjs"; console.log("circle");');
writeFileSync(join(folder, 'unlinked.mjs'), 'import { none } from "./good.mjs";');
writeFileSync(join(folder, 'data.json'), '{ "a": 1 }');

function attempt(text) {
  writeFileSync(join(folder, 'main.mjs'), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'main.mjs')]);
  const [error = ''] = /^(\w*Error.*)/m.exec(stderr) ?? [];
  console.log(JSON.stringify(text.slice(0, 70)), status, `${stdout}`.trim(), error.replaceAll(folder, '.').replace(/:\d+$/, ''));
}
for (const text of [
  'import { missing } from "./good.mjs"; console.log("runs");',
  'import { missing as other } from "./good.cjs"; console.log("runs");',
  'import { nothing } from "fs"; console.log("runs");',
  'export { missing } from "./good.mjs"; console.log("runs");',
  'import "./nowhere.mjs"; console.log("runs");',
  'import "no-such-package";',
  'import "./good";',
  'import data from "./data.json";',
  'import "./throws.mjs"; console.log("runs");',
  'for (let i = 0; i < 2; i++) await import("./throws.mjs").catch((error) => console.log(error.message));',
  'for (let i = 0; i < 2; i++) await import("./lacks.mjs").catch((error) => console.log(error.code));',
  'for (let i = 0; i < 2; i++) await import("./unlinked.mjs").catch((error) => console.log(error.name));',
  'throw new TypeError("of a module");',
  'await Promise.reject(new TypeError("of a wait"));',
  'process.on("uncaughtException", (error) => console.log("caught", error.message)); throw new Error("on its way");',
  'console.log("before"); await new Promise(() => {});',
  'process.on("exit", (code) => console.log("exit", code)); await new Promise(() => {});',
  'process.exitCode = 3;',
  'console.log(typeof await import("./good.mjs"));',
]) attempt(text);
rmSync(folder, { recursive: true });
