// Makes a temporary folder, prints it, and ends, or waits for ever, without removing it.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rondo-left-"));
fs.mkdirSync(path.join(folder, "inner"));
fs.writeFileSync(path.join(folder, "inner", "file"), "x");
console.log(folder);
if (process.argv[3] !== undefined) fs.writeFileSync(process.argv[3], folder);
if (process.argv[2] === "spin") for (;;);
process.exitCode = Number(process.argv[2]);
