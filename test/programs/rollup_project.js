// A bundler at work on a project of some size: `node rollup_project.js ROLLUP`.
// Rollup reads and resolves many modules at once, writes the bundle with its map,
// and in watch mode rebuilds when a file changes.  Prints sums of what it wrote.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const rollup = require(path.join(process.argv[2], 'dist/rollup.js'));
const MODULES = 400;

const sum = (file) => crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 16);

function writeModule(number, factor) {
  const imports = [2 * number + 1, 2 * number + 2].filter((other) => other < MODULES);
  const lines = imports.map((other) => `import { value as v${other} } from './m${other}.js';`);
  lines.push(`export const value = ${number * factor}${imports.map((other) => ` + v${other}`).join('')};`);
  lines.push(`export function unused() { return ${JSON.stringify('x'.repeat(number))}; }`);
  fs.writeFileSync(`project/m${number}.js`, lines.join('\n') + '\n');
}

async function bundle() {
  const built = await rollup.rollup({ input: 'project/m0.js' });
  const { output } = await built.write({ file: 'out/bundle.js', format: 'cjs', sourcemap: true });
  await built.close();
  const { value } = require(path.resolve('out/bundle.js'));
  console.log(`bundled ${Object.keys(output[0].modules).length} modules: ${sum('out/bundle.js')} ${sum('out/bundle.js.map')}, value ${value}`);
}

async function split() {
  const input = Object.fromEntries([0, 1, 2].map((number) => [`entry${number}`, `project/m${number}.js`]));
  const built = await rollup.rollup({ input });
  const { output } = await built.write({ dir: 'out/split', format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[hash].js' });
  await built.close();
  console.log(`split into ${output.length}: ${fs.readdirSync('out/split').sort().map((name) => sum(`out/split/${name}`)).join(' ')}`);
}

// Changes a file after each build it hears of.
function watch() {
  return new Promise((resolve, reject) => {
    let builds = 0;
    const watcher = rollup.watch({ input: 'project/m0.js', output: { file: 'out/watched.js', format: 'cjs' }, watch: { buildDelay: 20 } });
    watcher.on('event', async (event) => {
      if (event.code === 'ERROR') reject(event.error);
      if (event.code === 'BUNDLE_END') await event.result.close();
      if (event.code !== 'END') return;
      console.log(`build ${++builds}: ${sum('out/watched.js')}`);
      if (builds === 3) {
        await watcher.close();
        resolve();
      } else {
        setTimeout(() => writeModule(MODULES - builds, 1000), 100);
      }
    });
  });
}

async function main() {
  fs.mkdirSync('project');
  for (let number = 0; number < MODULES; number++) writeModule(number, 1);
  await bundle();
  await split();
  await watch();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
