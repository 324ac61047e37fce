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

  // Three ways to make one: a script injected as it is (Node 18), a prepared one injected, and,
  // since 26, by Node alone.
  async application() {
    const major = parseInt(process.versions.node, 10);
    const fuse = `NODE_${major < 20 ? 'JS' : 'SEA'}_FUSE_fce680ab2cc467b6e072b8b5df1996b2`;
    const start = (name) => {
      const { status, stdout } = spawnSync(path.resolve(name), [], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
      return [status, stdout.trim()];
    };
    fs.writeFileSync('sea.js', "require('fs').readFile('sea.json', (e, d) => console.log('single', d.length > 0, e));");
    fs.writeFileSync('sea.json', JSON.stringify({ main: 'sea.js', output: 'sea.blob', disableExperimentalSEAWarning: true }));
    if (major >= 20) run('--experimental-sea-config', 'sea.json');
    fs.copyFileSync(node, 'application');
    fs.chmodSync('application', 0o755);
    run(process.argv[2], 'application', ...(major < 20 ? ['NODE_JS_CODE', 'sea.js'] : ['NODE_SEA_BLOB', 'sea.blob']),
      '--sentinel-fuse', fuse);
    const results = [start('application')];
    if (major >= 26) {
      fs.writeFileSync('build.json', JSON.stringify({ main: 'sea.js', output: 'built', disableExperimentalSEAWarning: true }));
      run('--build-sea', 'build.json');
      results.push(start('built'));
    }
    return results;
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
