// What a Node binary can do beyond running a script: each feature prints one line that
// depends neither on time nor on the machine.
'use strict';

const fs = require('fs');
const path = require('path');
const crypto = require('crypto');
const http = require('http');
const cluster = require('cluster');
const { once } = require('events');
const { fork, spawn, spawnSync } = require('child_process');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

const node = process.execPath;
const run = (...args) => {
  const { status, signal, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${signal} ${stderr}`);
  return stdout;
};

const features = {
  async cluster() {
    cluster.setupPrimary({ exec: __filename, args: ['cluster'] });
    const workers = [cluster.fork(), cluster.fork()];
    const ports = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0].port));
    const answers = [];
    for (let i = 0; i < 20; i++) {
      const [response] = await once(http.get({ port: ports[0], agent: false }), 'response');
      let text = '';
      for await (const chunk of response) text += chunk;
      answers.push(text);
    }
    await Promise.all(workers.map((worker) => {
      const ended = once(worker, 'exit');
      worker.disconnect();
      return ended;
    }));
    return [ports[0] === ports[1], new Set(answers).size, answers.length];
  },

  async workers() {
    const results = await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      const worker = new Worker(__filename, { workerData: i });
      const [[message], [code]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
      return [message, code];
    }));
    return results;
  },

  async channel() {
    const child = fork(__filename, ['channel'], { serialization: 'advanced' });
    child.send({ big: 12345678901234567890n, when: new Map([[1, new Set([2])]]) });
    const [[answer], [code]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    return [String(answer.big), [...answer.when.keys()], code];
  },

  async snapshot() {
    fs.writeFileSync('entry.js', `
      globalThis.kept = new Map([['a', 1]]);
      require('v8').startupSnapshot.setDeserializeMainFunction(() => {
        setTimeout(() => require('fs').stat('.', (error) => console.log('restored', kept.get('a'), error)), 1);
      });`);
    run('--snapshot-blob', 'snapshot.blob', '--build-snapshot', 'entry.js');
    return run('--snapshot-blob', 'snapshot.blob').trim();
  },

  async application() {
    if (parseInt(process.versions.node, 10) < 20) return 'not in this Node';
    const inject = [process.argv[2], 'application', 'NODE_SEA_BLOB', 'sea.blob',
      '--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
    fs.writeFileSync('sea.js', "require('fs').readFile('sea.json', (e, d) => console.log('single', d.length, e));");
    fs.writeFileSync('sea.json', JSON.stringify({ main: 'sea.js', output: 'sea.blob', disableExperimentalSEAWarning: true }));
    run('--experimental-sea-config', 'sea.json');
    fs.copyFileSync(node, 'application');
    fs.chmodSync('application', 0o755);
    run(...inject);
    const { status, stdout } = spawnSync(path.resolve('application'), [], { encoding: 'utf8' });
    return [status, stdout.trim()];
  },

  async options() {
    const text = run('--v8-options');
    return [text.length > 10000, crypto.createHash('sha256').update(text).digest('hex')];
  },

  async inspector() {
    const child = spawn(node, ['--inspect=127.0.0.1:0', '-e', 'setInterval(() => {}, 1000)']);
    let said = '';
    while (!/ws:\/\/[^/]+:(\d+)\//.test(said)) said += (await once(child.stderr, 'data'))[0];
    const port = /ws:\/\/[^/]+:(\d+)\//.exec(said)[1];
    const [response] = await once(http.get({ port, path: '/json/version', agent: false }), 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    const ended = once(child, 'exit');
    child.kill();
    const [, signal] = await ended;
    return [JSON.parse(text).Browser, signal];
  },
};

async function main() {
  let done = 0;
  // A promise that nobody keeps ends the process as if all were well.
  process.on('exit', () => {
    if (done !== Object.keys(features).length) process.exitCode = 1;
  });
  for (const [name, feature] of Object.entries(features)) {
    try {
      console.log(`${name}: ${JSON.stringify(await feature())}`);
    } catch (error) {
      console.log(`${name}: FAILED ${error.stack}`);
      process.exitCode = 1;
    }
    done++;
  }
  console.log(`${Object.keys(features).length} features`);
}

if (!isMainThread) {
  // A timer, a file and a sum, on the worker's own loop.
  setTimeout(() => fs.stat('.', (error) => parentPort.postMessage([workerData, error, workerData * 2])), workerData);
} else if (cluster.isWorker) {
  const server = http.createServer((request, response) => response.end('hello'));
  server.listen(0, () => process.send({ port: server.address().port }));
} else if (process.argv[2] === 'channel') {
  process.once('message', (message) => process.send(message));
} else {
  main();
}
