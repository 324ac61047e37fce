// A correct test with a file of a fixed name.
const fs = require("fs");
const file = process.argv[2];
const step = (n) => {
  if (n < 3)
    return fs.appendFile(file, `${n}\n`, (error) => (error ? fail(error) : step(n + 1)));
  fs.readFile(file, "utf8", (error, text) => {
    if (error || text !== "0\n1\n2\n")
      fail(error || text);
    fs.unlink(file, () => {});
  });
};
const fail = (why) => {
  console.log("failed:", String(why));
  process.exitCode = 1;
};
fs.writeFile(file, "", (error) => (error ? fail(error) : step(0)));
