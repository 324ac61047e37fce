'use strict';
// For mocha, whose limit is two seconds for a test.
const cases = require('./service').cases(require('assert'));
describe('notes', () => {
  before(cases.before);
  after(cases.after);
  for (const [name, body] of Object.entries(cases.tests)) it(name, body);
});
