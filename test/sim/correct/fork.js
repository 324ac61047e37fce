'use strict';
// Two children that answer by messages, each answer within five seconds.
const { fork } = require('child_process');
const { once } = require('events');
const { within } = require('./service');
if (process.argv[2] === 'child') {
  process.on('message', (n) => setTimeout(() => process.send(n * n), 20));
} else {
  (async () => {
    const children = [0, 1].map(() => fork(__filename, ['child']));
    for (let n = 1; n < 5; n++) {
      const answers = (await Promise.all(children.map((child) => {
        const answer = within(5000, once(child, 'message'), 'a message');
        child.send(n);
        return answer;
      }))).map(([word]) => word);
      if (answers.join() !== `${n * n},${n * n}`) throw new Error(answers.join());
    }
    const ends = children.map((child) => once(child, 'exit'));
    for (const child of children) child.disconnect();
    await Promise.all(ends);
  })();
}
