'use strict';
// How many colours a terminal has, in bits: 1, 4, 8 or 24, as far as its environment shows. Which variables count,
// and for what, was found by asking Node for the answer to one environment after the other; test/runtime/colors
// asks both again, for every terminal that terminfo describes.

const { arraySome, regexpTest, stringIncludes, stringSplit, stringStartsWith, stringToLowerCase } = intrinsics;
const { validateInteger } = require('internal/errors');

const words = (text) => stringSplit.call(text, ' ');
const isOneOf = (list, name) => arraySome.call(list, (word) => word === name);

// --- what the user wants ----------------------------------------------------------------------------------

const WANTED = { __proto__: null, '': 4, true: 4, 1: 4, 2: 8, 3: 24 };
const UNWANTED = words('NODE_DISABLE_COLORS NO_COLOR');

let hasWarned = false;
function warnOf(unwanted) {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(`The '${unwanted}' env is ignored due to the 'FORCE_COLOR' env being set.`, 'Warning');
}

function wanted(env) {
  let unwanted;
  for (let i = UNWANTED.length - 1; i >= 0; i--) if (env[UNWANTED[i]] !== undefined) unwanted = UNWANTED[i];
  if (env.FORCE_COLOR === undefined) return unwanted === undefined ? undefined : 1;
  const depth = WANTED[env.FORCE_COLOR];
  if (depth !== undefined && unwanted !== undefined) warnOf(unwanted);
  return depth ?? 1;
}

// --- what shows the output ----------------------------------------------------------------------------------

// Services that run builds: what they show is no terminal, but some show colours.
const COLOURFUL_SERVICES = words('APPVEYOR BUILDKITE CIRCLECI DRONE GITHUB_ACTIONS GITLAB_CI TRAVIS');

function service(env) {
  if (env.CI) return arraySome.call(COLOURFUL_SERVICES, (name) => name in env) ? 8 : 1;
  if (!('TEAMCITY_VERSION' in env)) return undefined;
  // From 9.1 on.
  return regexpTest(/^(\d\d+\.|9\.0*[1-9]\d*\.)/, env.TEAMCITY_VERSION) ? 4 : 1;
}

// Programs for macOS, which all call themselves xterm.
function program({ TERM_PROGRAM: name, TERM_PROGRAM_VERSION: version }) {
  if (isOneOf(['HyperTerm', 'MacTerm'], name)) return 24;
  if (name === 'iTerm.app') return version && !regexpTest(/^[012]\./, version) ? 24 : 8; // since version 3
  return name === 'Apple_Terminal' ? 8 : undefined;
}

// --- the terminal's name --------------------------------------------------------------------------------------

// The names of terminals with eight colours or sixteen: whole, by how they begin, and by a word in them.
const SIXTEEN = words('cons25 console cygwin dtterm eterm gnome hurd jfbterm konsole kterm mlterm putty st');
const SIXTEEN_KINDS = words('rxvt screen vt100 xterm');
const SIXTEEN_WORDS = words('ansi color direct linux');
const ALL_COLOURS = words('mosh rxvt-unicode-24bit terminator');

function terminal({ COLORTERM: colours, TERM: given }) {
  if (isOneOf(['24bit', 'truecolor'], colours)) return 24;
  const name = given ? stringToLowerCase.call(given) : '';
  if (given && stringStartsWith.call(given, 'xterm-256')) return 8;
  if (isOneOf(ALL_COLOURS, name)) return 24;
  const hasSixteen = isOneOf(SIXTEEN, name) || regexpTest(/^con\d*x\d/, name) || // con80x25 of FreeBSD
    arraySome.call(SIXTEEN_KINDS, (kind) => stringStartsWith.call(name, kind)) ||
    arraySome.call(SIXTEEN_WORDS, (word) => stringIncludes.call(name, word));
  return hasSixteen || colours ? 4 : 1;
}

// --- the interface ----------------------------------------------------------------------------------------------

function getColorDepth(env = process.env) {
  const depth = wanted(env);
  if (depth !== undefined) return depth;
  if (env.TERM === 'dumb') return 1;
  if (env.TMUX) return 8;
  return service(env) ?? program(env) ?? terminal(env);
}

// hasColors([count][, env])
function hasColors(count = 16, env) {
  if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null)))
    ({ 0: count, 1: env } = [16, count]);
  validateInteger(count, 'count', 2, 9007199254740991);
  return count <= 2 ** (this !== undefined && typeof this.getColorDepth === 'function' ? this.getColorDepth(env) : getColorDepth(env));
}

module.exports = { getColorDepth, hasColors };
