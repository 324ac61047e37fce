'use strict';
// winston 3.18.3, winstonjs/winston#1504 (fixed in 3.19.0): the file transport says 'finish' before
// its lines are in the file. Many programs wait a while after it, and then exit.
const fs = require('fs');
const winston = require('winston');
const { run, inside, pause } = require('./race');

run(async () => {
  const transport = new winston.transports.File({ filename: inside('app.log') });
  const logger = winston.createLogger({ transports: [transport] });
  for (let n = 1; n <= 5; n++) logger.info(`request ${n}`);
  logger.info('good bye');
  const finished = new Promise((resolve) => transport.on('finish', resolve));
  logger.end();
  await finished;
  await pause(100);
  const lines = fs.existsSync(inside('app.log')) ? fs.readFileSync(inside('app.log'), 'utf8') : '';
  if (!lines.includes('good bye')) throw new Error('the last line is not in the log');
});
