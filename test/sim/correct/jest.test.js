'use strict';
// For jest, whose limit is five seconds for a test.
const cases = require('./service').cases(require('assert'));
beforeAll(cases.before);
afterAll(cases.after);
for (const [name, body] of Object.entries(cases.tests)) test(name, body);
