// What Node.js does with its event loop, one feature after the other.  Every
// feature prints one line with its result; nothing printed depends on time or on
// the machine, so that runs on two libraries can be compared line by line.
'use strict';

const { once } = require('events');

const LIMIT_MS = 30000;
const features = [];

function feature(name, run) {
  features.push({ name, run });
}

function within(promise, name) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} took longer than ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

const failure = (error) => `${error.code || error.name}/${error.syscall || ''}`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const listen = async (server, ...where) => {
  server.listen(...where);
  await once(server, 'listening');
  return server.address();
};

Object.assign(global, { feature, failure, sleep, listen });
for (const part of ['loop', 'files', 'network', 'processes']) require(`./node_features_${part}.js`);

async function main() {
  for (const { name, run } of features) {
    try {
      console.log(`${name}: ${JSON.stringify(await within(run(), name))}`);
    } catch (error) {
      console.log(`${name}: FAILED ${error.stack}`);
      process.exitCode = 1;
    }
  }
  console.log(`${features.length} features`);
}

// A loop that stays alive for a forgotten handle is a fault too: end only when
// it has nothing left to do, within the runner's time limit.
main();
