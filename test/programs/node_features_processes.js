// Child processes: pipes, exit codes, signals, messages, handed-over sockets.
'use strict';
/* global feature, failure, listen, sleep */

const child = require('child_process');
const fs = require('fs');
const net = require('net');
const path = require('path');
const { once } = require('events');
const { promisify } = require('util');

async function text(stream) {
  let all = '';
  for await (const chunk of stream) all += chunk;
  return all;
}

feature('spawn: through a pipe and back', async () => {
  const cat = child.spawn('cat');
  const back = text(cat.stdout);
  for (let i = 0; i < 100; i++) cat.stdin.write(`${'line'.repeat(500)} ${i}\n`);
  cat.stdin.end();
  const [code, signal] = await once(cat, 'close');
  return [(await back).length, code, signal];
});

feature('exec: output, exit code, signal, time limit', async () => {
  const exec = (...rest) => promisify(child.exec)(...rest).catch((error) => [error.code, error.signal, error.killed]);
  return [
    await exec('echo out; echo err >&2'), await exec('exit 7'), await exec('kill -9 $$'),
    await exec('sleep 20', { timeout: 50 }), await exec('echo $GREETING', { env: { GREETING: 'hello' } }),
    await exec('pwd', { cwd: '/' }),
  ];
});

feature('a program that does not exist', async () => {
  const [error] = await once(child.spawn('no-such-program'), 'error');
  const where = await once(child.spawn('true', { cwd: '/no/such/place' }), 'error').then(([e]) => e);
  return [failure(error), failure(where)];
});

feature('twenty children at once', async () => {
  const codes = await Promise.all(Array.from({ length: 20 }, async (_, i) =>
    (await once(child.spawn('sh', ['-c', `exit ${i}`]), 'exit'))[0]));
  return codes;
});

feature('killing a child', async () => {
  const sleeper = child.spawn('sleep', ['100']);
  const alive = process.kill(sleeper.pid, 0);
  sleeper.kill('SIGTERM');
  const [code, signal] = await once(sleeper, 'exit');
  return [alive, code, signal, sleeper.kill()];
});

feature('more than three descriptors, files and inherited ones', async () => {
  const log = fs.openSync('child.log', 'w');
  const sh = child.spawn('sh', ['-c', 'echo to log; echo to four >&4; cat <&3 >&4'], { stdio: ['ignore', log, 'inherit', 'pipe', 'pipe'] });
  const fourth = text(sh.stdio[4]);
  sh.stdio[3].end('through three');
  await once(sh, 'close');
  fs.closeSync(log);
  return [fs.readFileSync('child.log', 'utf8'), await fourth];
});

feature('synchronous children', async () => {
  const result = child.spawnSync('sh', ['-c', 'cat; exit 3'], { input: 'given', encoding: 'utf8' });
  const limited = child.spawnSync('sleep', ['20'], { timeout: 50 });
  const output = child.execFileSync('echo', ['a', 'b'], { encoding: 'utf8' });
  return [result.stdout, result.status, limited.error.code, limited.signal, output];
});

feature('fork: messages both ways', async () => {
  const kid = child.fork(path.join(__dirname, 'node_child.js'), ['messages']);
  const answers = [];
  for (let i = 0; i < 50; i++) {
    kid.send({ i, pad: 'x'.repeat(i * 400) });
    const [answer] = await once(kid, 'message');
    answers.push(answer.i * answer.length);
  }
  kid.disconnect();
  const [code] = await once(kid, 'exit');
  return [answers.length, answers.reduce((a, b) => a + b, 0), code];
});

feature('fork: a listening socket and a connection handed over', async () => {
  const kid = child.fork(path.join(__dirname, 'node_child.js'), ['sockets']);
  const server = net.createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  kid.send('server', server);
  await once(kid, 'message');
  server.close();
  const answered = await text(net.connect(port, '127.0.0.1'));
  const local = net.createServer({ pauseOnConnect: true });
  const address = await listen(local, 0, '127.0.0.1');
  const client = net.connect(address.port, '127.0.0.1');
  const [connection] = await once(local, 'connection');
  kid.send('socket', connection);
  const second = await text(client);
  local.close();
  kid.send('end');
  const [code] = await once(kid, 'exit');
  return [answered, second, code];
});

feature('cluster: two workers behind one port', async () => {
  const parent = child.fork(path.join(__dirname, 'node_child.js'), ['cluster'], { silent: true });
  const [[result], output] = await Promise.all([once(parent, 'message'), text(parent.stdout)]);
  return [result, output];
});

feature('exit codes, uncaught errors, forgotten rejections', async () => {
  const run = (script) => {
    const { status, signal, stdout } = child.spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    return [status, signal, stdout];
  };
  return [
    run('process.exitCode = 4'), run('throw new Error("thrown")'), run('Promise.reject(new Error("forgotten"))'),
    run('process.on("beforeExit", () => console.log("before")); process.on("exit", (c) => console.log("exit", c))'),
    run('process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 10000)'), run('process.abort()').slice(0, 2),
    run('process.stdout.write("x".repeat(100000))')[2].length,
  ];
});

feature('a detached child outlives its reference', async () => {
  const long = child.spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
  long.unref();
  await sleep(10);
  process.kill(-long.pid, 'SIGKILL');
  return 'ended as a group';
});
