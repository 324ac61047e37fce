// A correct test with a port of its own choice, as most suites have.
const net = require("net");
const port = Number(process.argv[2]);
const server = net.createServer((socket) => socket.end("hello"));
server.listen(port, "127.0.0.1", () => {
  net.connect(port, "127.0.0.1").resume().on("end", () => server.close());
});
