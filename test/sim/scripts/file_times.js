// The times of files that are made and changed during a run are the world's; the script's own, which is
// its argument in milliseconds, stays what it is.
"use strict";
const fs = require("fs");
const path = require("path");
const os = require("os");
const assert = require("assert");
const { execFileSync } = require("child_process");

const HOUR = 3600e3;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rondo-times-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const at = (name) => path.join(folder, name);
const time = (name, field = "mtimeMs") => fs.lstatSync(at(name))[field];
const age = (name, field) => Date.now() - time(name, field);
const shell = (text, ...names) => execFileSync("sh", ["-c", text, "sh", ...names.map(at)]).toString();

/* An hour later, what is done sets these times of a file, and no other of mtime, ctime and birthtime. */
async function changes(what, name, fields, work) {
  await new Promise((done) => setTimeout(done, HOUR));
  const before = fs.existsSync(at(name)) ? fs.lstatSync(at(name)) : {};
  const begin = Date.now();
  await work();
  const end = Date.now();
  const after = fs.lstatSync(at(name));
  for (const field of ["mtimeMs", "ctimeMs", "birthtimeMs"]) {
    if (fields.includes(field))
      assert(after[field] >= begin - 1 && after[field] <= end, `${what}: ${field} is ${after[field]}, not ${begin} to ${end}`);
    else
      assert(Math.abs(after[field] - before[field]) < 1, `${what}: ${field} is ${after[field]}, not ${before[field]}`);
  }
}

const MADE = ["mtimeMs", "ctimeMs", "birthtimeMs"];
const WRITTEN = ["mtimeMs", "ctimeMs"];
const STATUS = ["ctimeMs"];

async function main() {
  assert(Math.abs(fs.statSync(__filename).mtimeMs - process.argv[2]) < 1, "the script's own time");
  await changes("writeFile", "file", MADE, () => fs.writeFileSync(at("file"), "x"));
  const fd = fs.openSync(at("file"), "r+");
  await changes("write", "file", WRITTEN, () => fs.writeSync(fd, "y"));
  await changes("pwrite", "file", WRITTEN, () => fs.writeSync(fd, "y", 0));
  await changes("writev", "file", WRITTEN, () => fs.writevSync(fd, [Buffer.from("a"), Buffer.from("b")]));
  await changes("ftruncate", "file", WRITTEN, () => fs.ftruncateSync(fd, 1));
  await changes("truncate", "file", WRITTEN, () => fs.truncateSync(at("file"), 3));
  await changes("fchmod", "file", STATUS, () => fs.fchmodSync(fd, 0o600));
  assert.equal(fs.fstatSync(fd).mtimeMs, time("file"));
  fs.closeSync(fd);
  await changes("append", "file", WRITTEN, () => fs.promises.appendFile(at("file"), "z"));
  await changes("open for reading", "file", [], () => fs.closeSync(fs.openSync(at("file"), "r")));
  await changes("open for appending", "file", [], () => fs.closeSync(fs.openSync(at("file"), "a")));
  await changes("open and cut off", "file", WRITTEN, () => fs.closeSync(fs.openSync(at("file"), "w")));
  await changes("copyFile", "copy", MADE, () => fs.copyFileSync(at("file"), at("copy")));
  await changes("rename", "copy", STATUS, () => fs.renameSync(at("copy"), at("moved")) || fs.renameSync(at("moved"), at("copy")));
  await changes("link", "copy", STATUS, () => fs.linkSync(at("copy"), at("linked")));
  await changes("symlink", "symbolic", MADE, () => fs.symlinkSync("copy", at("symbolic")));
  await changes("mkdir", "inner", MADE, () => fs.mkdirSync(at("inner")));
  await changes("a new file in it", "inner", WRITTEN, () => fs.promises.writeFile(at("inner/new"), ""));
  await changes("a file that goes", "inner", WRITTEN, () => fs.unlinkSync(at("inner/new")));
  await changes("a file in its place", "inner/new", MADE, () => fs.writeFileSync(at("inner/new"), ""));

  // What is set is what was set.
  const then = Math.floor(Date.now() / 1000) - 500;
  await changes("utimes, now", "copy", WRITTEN, () => shell('touch "$1"', "copy"));
  await changes("utimes", "copy", STATUS, () => fs.utimesSync(at("copy"), then, time("copy") / 1000));
  await changes("futimes", "copy", WRITTEN, async () => {
    const file = await fs.promises.open(at("copy"), "r+");
    await file.utimes(then, Date.now() / 1000);
    await file.close();
  });
  for (const seconds of [then, 1e9, process.argv[2] / 1000 + 60]) {
    fs.utimesSync(at("copy"), seconds, seconds);
    const got = fs.statSync(at("copy"));
    assert(Math.abs(got.mtimeMs - seconds * 1000) < 1 && Math.abs(got.atimeMs - seconds * 1000) < 1, `${seconds}: ${got.mtimeMs}`);
  }

  // Other processes of the world, by the C library's other ways to ask.
  await changes("a shell", "shell", MADE, () => shell('echo x > "$1"', "shell"));
  await changes("another name", "later", MADE, () => shell(': > "$1"', "later"));
  assert.equal(shell('test "$1" -nt "$2" && test "$2" -ot "$1" && echo newer', "later", "shell"), "newer\n");
  assert(Math.abs(shell('stat -c %Y "$1"', "shell") - time("shell") / 1000) <= 1, "stat");
  shell('cp -p "$1" "$2"', "shell", "kept");
  assert.equal(time("kept"), time("shell"));
  console.log("all times are the world's");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
