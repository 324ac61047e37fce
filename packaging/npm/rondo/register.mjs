// `node --import rondo/register app.js`: what a program can have of Rondo without a command in
// front of it. A Node that was started under `rondo exec` gets the names of its functions into
// recordings and stall reports. Any other Node runs as it is, and one line says why: a loop can
// be taken over only before the program has begun to use it.
import { createRequire } from 'node:module';
import { readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function libraryFolder() {
  const preloaded = (process.env.LD_PRELOAD ?? '').split(/[ :]+/);
  const adopt = preloaded.find((path) => path.endsWith('/librondo-adopt.so'));
  return adopt === undefined ? null : dirname(adopt);
}

function isMapped(file) {
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes(file);
  } catch {
    return false; // no /proc: nothing is known, and nothing is claimed
  }
}

const folder = libraryFolder();
if (folder !== null && isMapped(join(folder, 'libuv.so.1'))) {
  const names = join(folder, 'rondo-node.js');
  if (!process.execArgv.join(' ').includes(names) && !(process.env.NODE_OPTIONS ?? '').includes(names) && existsSync(names))
    createRequire(import.meta.url)(names);
} else if (!process.env.RONDO_QUIET) {
  process.stderr.write(
    'rondo: this Node runs on its own loop: a loop can be adopted only from the start.\n' +
      '  npx rondo exec -- node app.js             the same program on Rondo\n' +
      '  npx rondo exec --record -- node app.js    with recording, rondo top and rondo why\n' +
      '  RONDO_QUIET=1                             without this line\n',
  );
}
