'use strict';
// For tape; a limit of two seconds for each.
const test = require('tape');
const cases = require('./service').cases(require('assert'));
test('begin', async () => cases.before());
for (const [name, body] of Object.entries(cases.tests)) {
  test(name, { timeout: 2000 }, async (t) => {
    await body();
    t.pass(name);
  });
}
test('end', async () => cases.after());
