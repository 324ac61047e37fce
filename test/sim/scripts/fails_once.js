// Fails when it is run for the first time, whatever the schedule.
const fs = require("fs");
const file = process.argv[2];
if (!fs.existsSync(file)) {
  fs.writeFileSync(file, "");
  process.exitCode = 1;
}
