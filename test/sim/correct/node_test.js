'use strict';
// For node --test; a limit of two seconds for each.
const test = require('node:test');
const cases = require('./service').cases(require('assert'));
test('notes', async (t) => {
  await cases.before();
  for (const [name, body] of Object.entries(cases.tests)) await t.test(name, { timeout: 2000 }, body);
  await cases.after();
});
