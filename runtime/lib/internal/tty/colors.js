'use strict';
// How many colours a terminal has, as far as its environment shows, in bits: 1, 4, 8 or 24.

const { regexpTest, stringToLowerCase } = intrinsics;
const { validateInteger } = require('internal/errors');

const FORCED = { __proto__: null, '': 4, 1: 4, true: 4, 2: 8, 3: 24 };

// CI services: their output is no terminal but has colours.
const BUILDERS = ['APPVEYOR', 'BUILDKITE', 'CIRCLECI', 'DRONE', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TRAVIS'];

const TERMINALS = {
  __proto__: null,
  'eterm': 4, 'cons25': 4, 'console': 4, 'cygwin': 4, 'dtterm': 4, 'gnome': 4, 'hurd': 4, 'jfbterm': 4, 'konsole': 4,
  'kterm': 4, 'mlterm': 4, 'mosh': 24, 'putty': 4, 'st': 4, 'rxvt-unicode-24bit': 24, 'terminator': 24,
};
const FAMILIES = [/ansi/, /color/, /linux/, /direct/, /^con[0-9]*x[0-9]/, /^rxvt/, /^screen/, /^xterm/, /^vt100/, /^vt220/];

const isOff = (env) => env.NODE_DISABLE_COLORS !== undefined || env.NO_COLOR !== undefined;

function builderDepth(env) {
  if ('CI' in env) {
    for (let i = 0; i < BUILDERS.length; i++) if (BUILDERS[i] in env) return 8;
    return 1;
  }
  if ('TEAMCITY_VERSION' in env) return regexpTest(/^(9\.(0*[1-9]\d*)\.|\d{2,}\.)/, env.TEAMCITY_VERSION) ? 4 : 1;
  return undefined;
}

function programDepth({ TERM_PROGRAM, TERM_PROGRAM_VERSION }) {
  if (TERM_PROGRAM === 'iTerm.app') return !TERM_PROGRAM_VERSION || regexpTest(/^[0-2]\./, TERM_PROGRAM_VERSION) ? 8 : 24;
  if (TERM_PROGRAM === 'HyperTerm' || TERM_PROGRAM === 'MacTerm') return 24;
  return TERM_PROGRAM === 'Apple_Terminal' ? 8 : undefined;
}

function terminalDepth({ COLORTERM, TERM }) {
  if (COLORTERM === 'truecolor' || COLORTERM === '24bit') return 24;
  if (TERM) {
    if (regexpTest(/^xterm-256/, TERM)) return 8;
    const name = stringToLowerCase.call(TERM);
    if (TERMINALS[name] !== undefined) return TERMINALS[name];
    for (let i = 0; i < FAMILIES.length; i++) if (regexpTest(FAMILIES[i], name)) return 4;
  }
  return COLORTERM ? 4 : 1;
}

let warned = false;
function warnOnIgnored(env) {
  if (warned || !isOff(env)) return;
  warned = true;
  const name = env.NODE_DISABLE_COLORS !== undefined ? 'NODE_DISABLE_COLORS' : 'NO_COLOR';
  process.emitWarning(`The '${name}' env is ignored due to the 'FORCE_COLOR' env being set.`, 'Warning');
}

function getColorDepth(env = process.env) {
  if (env.FORCE_COLOR !== undefined) {
    const depth = FORCED[env.FORCE_COLOR];
    if (depth === undefined) return 1;
    warnOnIgnored(env);
    return depth;
  }
  if (isOff(env) || env.TERM === 'dumb') return 1;
  if (env.TMUX) return 8;
  return builderDepth(env) ?? programDepth(env) ?? terminalDepth(env);
}

// hasColors([count][, env])
function hasColors(count = 16, env) {
  if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null)))
    ({ 0: count, 1: env } = [16, count]);
  validateInteger(count, 'count', 2, 9007199254740991);
  return count <= 2 ** (this !== undefined && typeof this.getColorDepth === 'function' ? this.getColorDepth(env) : getColorDepth(env));
}

module.exports = { getColorDepth, hasColors };
