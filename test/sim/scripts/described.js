// Programs with a race each, whose findings name what the race is about; and two without.
"use strict";
const fs = require("fs");
const os = require("os");
const net = require("net");
const path = require("path");
const assert = require("assert");
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

const races = {
  // Reads a file after the end of what is written into it, not after the last write.
  end() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "described-"));
    const file = path.join(folder, "file");
    const big = Buffer.alloc(300000, "x");
    const server = net.createServer((socket) => socket.end(big)).listen(0, "127.0.0.1", () => {
      const client = net.connect(server.address().port, "127.0.0.1");
      client.pipe(fs.createWriteStream(file));
      const check = () => {
        server.close();
        const { size } = fs.statSync(file);
        fs.rmSync(folder, { recursive: true });
        assert.equal(size, big.length);
      };
      client.on("end", () => setTimeout(check, 100));
    });
  },
  // Takes two answers in the order in which they were asked for.
  worker() {
    const got = [];
    const start = (name) => new Worker(__filename, { workerData: name }).on("message", (message) => {
      got.push(message);
      if (got.length === 2) assert.deepEqual(got, ["a1", "b2"]);
    });
    const [a, b] = ["a", "b"].map(start);
    a.postMessage(1);
    setTimeout(() => b.postMessage(2), 500);
  },
  // Takes a child's output at its exit.
  child() {
    const child = require("child_process").spawn("sh", ["-c", "echo hello; echo world"]);
    let out = "";
    child.stdout.on("data", (data) => (out += data));
    child.on("exit", () => assert.equal(out, "hello\nworld\n"));
  },
  // Takes a key that was asked for first as done first.
  order() {
    const order = [];
    require("crypto").pbkdf2("a", "b", 1, 16, "sha1", () => order.push("key"));
    setTimeout(() => require("zlib").deflate("text", () => {
      order.push("packed");
      assert.deepEqual(order, ["key", "packed"]);
    }), 20);
  },
  // Shows the answer that came last, not that to the last question.
  search() {
    const http = require("http");
    const server = http.createServer((request, response) => response.end(request.url)).listen(0, "127.0.0.1", async () => {
      let shown;
      const ask = (url) => new Promise((answered) => {
        http.get({ port: server.address().port, host: "127.0.0.1", path: url, agent: false }, (response) => {
          response.on("data", (data) => (shown = String(data))).on("end", answered);
        });
      });
      const first = ask("/ro");
      await new Promise((later) => setTimeout(later, 20));
      await Promise.all([first, ask("/rondo")]);
      server.close();
      assert.equal(shown, "/rondo");
    });
  },
  http() {
    const http = require("http");
    const server = http.createServer((request, response) => response.end("x")).listen(0, "127.0.0.1", () => {
      const request = { port: server.address().port, host: "127.0.0.1", path: "/one?secret", agent: false };
      http.get(request, (response) => response.resume().on("end", () => server.close()));
    });
  },
  pool() {
    const crypto = require("crypto");
    const nothing = (error) => assert.ifError(error);
    require("zlib").gzip(Buffer.alloc(100000, "x"), nothing);
    crypto.pbkdf2("a", "b", 10, 16, "sha256", nothing);
    crypto.scrypt("a", "b", 16, { N: 16 }, nothing);
    crypto.randomBytes(16, nothing);
  },
};

if (isMainThread) races[process.argv[2]]();
else parentPort.on("message", (message) => { parentPort.postMessage(workerData + message); parentPort.close(); });
