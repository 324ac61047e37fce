'use strict';
// rondo alone in a terminal, and rondo -i: a prompt on the program's own globals, whose history is kept in
// a file.

const path = require('path');
const { NumberIsNaN } = intrinsics;
const tools = require('internal/tools');

const HISTORY_SIZE = 1000;

function historyFile({ RONDO_REPL_HISTORY: named, HOME }) {
  if (named !== undefined) return named;
  return HOME ? path.join(HOME, '.rondo_repl_history') : '';
}

function start() {
  try {
    require('internal/syntax').acorn();
  } catch (error) {
    require('internal/switches').refuse(error.message);
  }
  const repl = require('repl');
  const { env } = process;
  const size = Number(env.RONDO_REPL_HISTORY_SIZE ?? HISTORY_SIZE);
  process.stdout.write(`Welcome to Rondo v${process.versions.rondo} (Node ${process.version}).\nType ".help" for more information.\n`);
  const isStrict = env.NODE_REPL_MODE === 'strict';
  const server = repl.start({
    useGlobal: true, ignoreUndefined: false, breakEvalOnSigint: true, historySize: size > 0 && !NumberIsNaN(size) ? size : HISTORY_SIZE,
    replMode: isStrict ? repl.REPL_MODE_STRICT : repl.REPL_MODE_SLOPPY, terminal: env.NODE_NO_READLINE === '1' ? false : undefined,
  });
  repl.repl = server;
  server._isStandalone = true;
  server.on('exit', () => process.exit());
  tools.onUncaught = (error) => server._fail(error);
  if (server.terminal) server.setupHistory(historyFile(env));
  return server;
}

module.exports = { start };
