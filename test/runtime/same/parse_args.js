'use strict';
// util.parseArgs over command lines that are made up, and over configurations that are wrong.
const { inspect, parseArgs } = require('util');

let seed = 5;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % below;
};
const words = ['--foo', '--bar', '--foo=', '--foo=x', '--bar=1', '-f', '-b', '-fb', '-bf', '-bx', '-b=x', '--no-foo', '--no-bar',
  '--no-no-x', '--no-x', '--no-x=3', '--no-', '--', '-', '--=', '--=x', '---', 'x', '', '-1', '--__proto__', '--__proto__=x', 'a b',
  '--multi', '--multi=2', '-m', '-m3', '-mm', '--toString', '-ab', '--no-multi', '--foo-bar', '--a=b=c'];
const [text, flag] = [{ type: 'string' }, { type: 'boolean' }];
const optionSets = [
  undefined, {},
  { foo: { ...text, short: 'f' }, bar: { ...flag, short: 'b' } },
  { foo: { ...flag, short: 'f' }, bar: { ...text, short: 'b' }, multi: { ...text, short: 'm', multiple: true } },
  { multi: { ...flag, short: 'm', multiple: true }, foo: { ...flag, default: true }, bar: { ...text, default: 'd' } },
  { 'no-x': flag, x: flag, foo: text },
  { x: { ...flag, short: 'f' }, foo: { ...text, short: 'f' }, multi: { ...text, multiple: true, default: ['p', 'q'] } },
  { ['__proto__']: text },
];
const choices = [undefined, undefined, true, false];
function attempt(config) {
  try {
    return inspect(parseArgs(config), { depth: 9, breakLength: Infinity, compact: 9 });
  } catch (error) {
    return `${error.name} ${error.code} ${error.message}`;
  }
}
for (let round = 0; round < 300; round++) {
  const config = { args: Array.from({ length: random(6) }, () => words[random(words.length)]), options: optionSets[random(optionSets.length)] };
  for (const name of ['strict', 'allowPositionals', 'allowNegative', 'tokens']) {
    const choice = choices[random(4)];
    if (choice !== undefined) config[name] = choice;
  }
  console.log(config.args.join(' '), optionSets.indexOf(config.options), attempt(config));
}
for (const value of [undefined, null, 0, 'x', true, [], ['x'], {}, () => {}]) {
  for (const name of ['args', 'options', 'strict', 'allowPositionals', 'allowNegative', 'tokens'])
    console.log(name, inspect(value), attempt({ args: [], [name]: value }));
  for (const name of ['type', 'short', 'multiple', 'default'])
    console.log(name, inspect(value), attempt({ args: [], options: { q: { type: 'string', [name]: value } } }));
  console.log('option', inspect(value), attempt({ args: [], options: { q: value } }));
}
process.argv.push('--from-argv', 'file');
console.log(attempt({ strict: false }), attempt(undefined));
