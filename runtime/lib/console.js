'use strict';
// The console module: the global one, and consoles on other streams.

const { formatWithOptions } = require('internal/inspect');

class Console {
  constructor(options, stderr, ignoreErrors = true) {
    if (typeof options?.write === 'function') options = { stdout: options, stderr, ignoreErrors };
    const { stdout, stderr: errors = stdout, inspectOptions, groupIndentation = 2 } = options ?? {};
    const step = ' '.repeat(groupIndentation);
    if (typeof stdout?.write !== 'function')
      throw require('internal/errors').coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM',
        'Console expects a writable stream instance for stdout');
    let indent = '';
    const line = (stream) => (...args) => {
      let text = formatWithOptions(inspectOptions ?? {}, ...args);
      if (indent !== '') text = indent + text.replace(/\n/g, `\n${indent}`);
      stream.write(`${text}\n`);
    };
    this.log = this.info = this.debug = this.dirxml = line(stdout);
    this.warn = this.error = line(errors);
    this.group = this.groupCollapsed = (...args) => {
      if (args.length > 0) this.log(...args);
      indent += step;
    };
    this.groupEnd = () => {
      indent = indent.slice(0, indent.length - groupIndentation);
    };
    this.dir = (value, how) => this.log(require('internal/inspect').inspect(value, { customInspect: false, ...how }));
    this.assert = (condition, ...args) => {
      const [first, ...rest] = args;
      if (!condition) this.warn(args.length > 0 ? `Assertion failed: ${first}` : 'Assertion failed', ...rest);
    };
    this.table = (data, columns) => this.log(require('internal/table').table(data, columns) ?? data);
    for (const name of ['count', 'countReset', 'time', 'timeEnd', 'timeLog', 'trace']) this[name] = global.console[name];
  }
}

module.exports = Object.assign(global.console, {});
Object.defineProperty(global.console, 'Console', { value: Console, writable: true, configurable: true, enumerable: true });
