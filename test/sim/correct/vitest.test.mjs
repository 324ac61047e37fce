// For vitest, whose limit is five seconds for a test.
import assert from 'node:assert';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, test } from 'vitest';
const cases = createRequire(import.meta.url)('./service.js').cases(assert);
beforeAll(cases.before);
afterAll(cases.after);
for (const [name, body] of Object.entries(cases.tests)) test(name, body);
