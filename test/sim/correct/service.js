'use strict';
// What the tests here test: a server that keeps notes in files, and a client. Nothing in it depends
// on an order that isn't promised, and no answer takes longer than its parts.
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

exports.start = async () => {
  const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'rondo-notes-'));
  const server = http.createServer(async (request, response) => {
    const file = path.join(folder, path.basename(request.url));
    try {
      if (request.method === 'PUT') {
        const parts = [];
        for await (const part of request) parts.push(part);
        await fs.promises.writeFile(file, Buffer.concat(parts));
        response.end();
      } else {
        response.end(await fs.promises.readFile(file));
      }
    } catch (error) {
      response.statusCode = error.code === 'ENOENT' ? 404 : 500;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const stop = async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      if (server.closeIdleConnections) server.closeIdleConnections();
    });
    await fs.promises.rm(folder, { recursive: true });
  };
  return { port, stop, url: `http://127.0.0.1:${port}` };
};

exports.request = (port, method, name, body, options) => new Promise((resolve, reject) => {
  const request = http.request({ port, host: '127.0.0.1', method, path: `/${name}`, agent: false, ...options },
    (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }));
      response.on('error', reject);
    });
  request.on('timeout', () => request.destroy(new Error('no answer in time')));
  request.on('error', reject);
  request.end(body);
});

exports.pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A limit as drivers have it: stopped when the thing ends.
exports.within = (ms, promise, what) => {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
};

// The cases that every test runner here runs, each as a function.
exports.cases = (assert) => {
  let service;
  return {
    before: async () => { service = await exports.start(); },
    after: () => service.stop(),
    tests: {
      'a note that is written can be read': async () => {
        assert.equal((await exports.request(service.port, 'PUT', 'one', 'first')).status, 200);
        assert.equal((await exports.request(service.port, 'GET', 'one')).text, 'first');
      },
      'what is missing is missing': async () => {
        assert.equal((await exports.request(service.port, 'GET', 'none')).status, 404);
      },
      'ten notes at a time': async () => {
        const names = Array.from({ length: 10 }, (_, n) => `note${n}`);
        await Promise.all(names.map((name) => exports.request(service.port, 'PUT', name, name)));
        const all = await Promise.all(names.map((name) => exports.request(service.port, 'GET', name)));
        assert.equal(all.map(({ text }) => text).join(), names.join());
      },
      'six requests in a row, with pauses': async () => {
        for (let n = 0; n < 6; n++) {
          await exports.request(service.port, 'PUT', 'row', String(n));
          await exports.pause(10);
          assert.equal((await exports.request(service.port, 'GET', 'row')).text, String(n));
        }
      },
      'a child says a word': async () => {
        const { execFile } = require('child_process');
        const word = await new Promise((resolve, reject) => execFile('echo', ['word'], (error, out) =>
          (error ? reject(error) : resolve(out))));
        assert.equal(word, 'word\n');
      },
      'half a second of waiting': async () => {
        await exports.pause(500);
        assert.equal((await exports.request(service.port, 'GET', 'none')).status, 404);
      },
      'files are written, renamed and read': async () => {
        const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'rondo-files-'));
        for (let n = 0; n < 5; n++) {
          await fs.promises.writeFile(path.join(folder, 'new'), String(n));
          await fs.promises.rename(path.join(folder, 'new'), path.join(folder, 'file'));
          assert.equal(await fs.promises.readFile(path.join(folder, 'file'), 'utf8'), String(n));
        }
        await fs.promises.rm(folder, { recursive: true });
      },
    },
  };
};
