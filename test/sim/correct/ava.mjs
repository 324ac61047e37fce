// For ava, which gives up when no test has ended for ten seconds.
import assert from 'node:assert';
import { createRequire } from 'node:module';
import test from 'ava';
const cases = createRequire(import.meta.url)('./service.js').cases(assert);
test.before(cases.before);
test.after.always(cases.after);
for (const [name, body] of Object.entries(cases.tests)) {
  test.serial(name, async (t) => {
    await body();
    t.pass();
  });
}
