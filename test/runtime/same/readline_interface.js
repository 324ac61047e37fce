// Lines, questions, iterators and ends of an Interface, on streams and on a terminal.
const { PassThrough } = require('stream');
const { once } = require('events');
const { promisify } = require('util');
const readline = require('readline');
const later = require('readline/promises');

const make = (module, options) => {
  const input = new PassThrough();
  const output = new PassThrough();
  output.setEncoding('utf8');
  const rl = module.createInterface({ input, output, ...options });
  for (const event of ['line', 'pause', 'resume', 'close', 'history', 'error'])
    rl.on(event, (value) => console.log('  ', event, value instanceof Error ? value.message : JSON.stringify(value)));
  return { input, output, rl };
};
const turn = () => new Promise(setImmediate);
const attempt = (work) => {
  try {
    console.log(work());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};

(async () => {
  console.log('pieces');
  {
    const { input } = make(readline);
    for (const piece of ['a', 'b\r', '\nc\n\nd\r\re\u2028f\u2029', Buffer.from([0xe5, 0xad]), Buffer.from([0x97]), '\n', 'left over']) {
      input.write(piece);
      await turn();
    }
    input.end();
    await turn();
    await turn();
  }
  console.log('questions');
  for (const module of [readline, later]) {
    const { input, output, rl } = make(module, { prompt: '? ' });
    const ask = module === readline ? promisify(rl.question).bind(rl) : rl.question.bind(rl);
    const answer = ask('name: ');
    input.write('me\n');
    console.log(await answer, JSON.stringify(output.read()), rl.getPrompt());
    const control = new AbortController();
    const aborted = ask('never: ', { signal: control.signal }).catch((error) => error);
    control.abort();
    const { name, code } = await aborted;
    console.log(name, code);
    console.log((await ask('x', { signal: AbortSignal.abort() }).catch((error) => error)).name);
    rl.pause();
    rl.pause();
    rl.prompt();
    console.log(JSON.stringify(output.read()));
    rl.close();
    rl.close();
    attempt(() => module === readline && rl.question('too late', () => {}));
    if (module === later) console.log((await rl.question('too late').catch((error) => error)).code);
  }
  console.log('iterating');
  {
    const { input, rl } = make(readline);
    input.end('one\ntwo\nthree');
    for await (const line of rl) console.log(line);
    const other = make(readline);
    setImmediate(() => other.input.write('once\n'));
    console.log(await once(other.rl, 'line'));
    other.rl.close();
  }
  console.log('options');
  for (const options of [
    { completer: 5 }, { history: {} }, { historySize: -1 }, { historySize: NaN }, { historySize: 'x' }, { tabSize: 0 }, { tabSize: 4.5 },
    { escapeCodeTimeout: NaN }, { escapeCodeTimeout: 'x' }, { crlfDelay: 5 }, { crlfDelay: Infinity }, { signal: {} }, { terminal: true },
  ])
    for (const module of [readline, later])
      attempt(() => {
        const rl = module.createInterface({ input: new PassThrough(), output: new PassThrough(), ...options });
        const { crlfDelay, historySize, terminal, tabSize, escapeCodeTimeout } = rl;
        rl.close();
        return [crlfDelay, historySize, terminal, tabSize, escapeCodeTimeout].join(' ');
      });
  console.log('ends');
  {
    const { input, rl } = make(readline, { terminal: true });
    rl.write('abc');
    rl.write(null, { ctrl: true, name: 'a' });
    rl.write('x');
    console.log(rl.line, rl.cursor);
    rl.on('SIGINT', () => console.log('SIGINT'));
    rl.on('SIGTSTP', () => console.log('SIGTSTP'));
    rl.write(null, { ctrl: true, name: 'c' });
    rl.write(null, { ctrl: true, name: 'z' });
    rl.removeAllListeners('SIGINT');
    input.emit('error', new Error('of the input'));
    rl.write(null, { ctrl: true, name: 'c' });
    const second = make(readline, { terminal: true });
    second.rl.write('unfinished');
    second.input.end();
    await turn();
    const third = make(readline, { signal: AbortSignal.abort() });
    await turn();
    console.log(typeof third.rl.terminal);
  }
  console.log('movements');
  {
    const output = new PassThrough();
    output.setEncoding('utf8');
    const moves = new later.Readline(output);
    await moves.cursorTo(1).cursorTo(2, 3).moveCursor(-1, 0).moveCursor(2, -5).moveCursor(0, 0).clearLine(-1).clearLine(0).clearLine(1).clearScreenDown().commit();
    console.log(JSON.stringify(output.read()));
    await moves.cursorTo(5).rollback().commit();
    console.log(JSON.stringify(output.read()));
    new later.Readline(output, { autoCommit: true }).clearLine(0);
    await turn();
    console.log(JSON.stringify(output.read()));
    for (const work of [() => new later.Readline({}), () => new later.Readline(output, { autoCommit: 1 }), () => moves.cursorTo('x'), () => moves.clearLine(5),
      () => moves.moveCursor('a', 1), () => readline.cursorTo(output, 'a', 'b'), () => readline.cursorTo(output, NaN), () => readline.clearLine(output, 0, 5)])
      attempt(work);
  }
})();
