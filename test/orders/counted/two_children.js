// 2: either child ends first
const { spawn } = require('child_process');
for (const name of ['a', 'b']) spawn('true', { stdio: 'ignore' }).on('exit', () => console.log(name));
