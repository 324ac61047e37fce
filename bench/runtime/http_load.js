'use strict';
// 16 connections over TCP that send a request, wait for the answer and send the next: the server is a
// process of its own, and what counts is its processor time alone, in ns a request. What it
// takes to get warm doesn't count: Rondo's last compiler is through after some 100,000 requests.
const { spawn } = require('child_process');
const http = require('http');
const net = require('net');
const path = require('path');
const CONNECTIONS = 16;
const WARM = 120000;
const COUNT = 60000;

function use(port, callback) {
  http.get({ port, path: '/use', agent: false }, (response) => {
    let text = '';
    response.on('data', (data) => { text += data; }).on('end', () => callback(JSON.parse(text)));
  });
}

// Calls back when so many answers have come.
function load(port, url, size, count, callback) {
  const request = `GET ${url} HTTP/1.1\r\nHost: here\r\n\r\n`;
  let sent = 0;
  let done = 0;
  for (let i = 0; i < CONNECTIONS; i++) {
    const client = net.connect(port, '127.0.0.1', () => next());
    const next = () => {
      if (sent === count) return;
      sent++;
      client.write(request);
    };
    let got = 0;
    client.on('data', (data) => {
      got += data.length;
      if (got < size) return;
      got = 0;
      if (++done === count) callback();
      if (sent === count) client.end();
      else next();
    });
  }
}

// An answer's bytes, headers included.
function sizeOf(port, url, callback) {
  const client = net.connect(port, '127.0.0.1', () => client.write(`GET ${url} HTTP/1.1\r\nHost: here\r\n\r\n`));
  let text = '';
  client.on('data', (data) => {
    text += data.toString('latin1');
    const end = text.indexOf('\r\n\r\n') + 4;
    const length = /content-length: (\d+)/i.exec(text);
    if (end < 4 || text.length < end + Number(length[1])) return;
    client.destroy();
    callback(end + Number(length[1]));
  });
}

// Prints what a request has cost, or with `memory` the server's megabytes afterwards.
exports.measure = (url, memory) => {
  const server = spawn(process.execPath, [path.join(__dirname, 'http_server.js')], { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdout.once('data', (line) => {
    const port = Number(line);
    sizeOf(port, url, (size) => load(port, url, size, WARM, () => use(port, (before) =>
      load(port, url, size, COUNT, () => use(port, (after) => {
        console.log(memory ? after.memory / 1048576 : (after.cpu - before.cpu) * 1e3 / COUNT);
        server.stdin.end();
      })))));
  });
};
