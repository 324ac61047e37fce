'use strict';
// util.parseArgs: first the arguments become tokens, then the tokens are checked and become
// values.

const { options: started } = require('internal/tools');
const errors = require('internal/errors');

const own = (object, name) => object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

// --- what is asked for --------------------------------------------------------------------------

function checkDefault(value, { type, multiple }, name) {
  const check = type === 'string' ? errors.validateString : errors.validateBoolean;
  if (!multiple) {
    check(value, name);
    return;
  }
  if (!Array.isArray(value)) throw errors.invalidArgType(name, 'an instance of Array', value);
  value.forEach((each, index) => check(each, `${name}[${index}]`));
}

function checkOption(option, name) {
  errors.validateObject(option, name);
  const [type, short, multiple, preset] = ['type', 'short', 'multiple', 'default'].map((key) => own(option, key));
  if (type !== 'string' && type !== 'boolean') throw errors.invalidArgType(`${name}.type`, "('string|boolean')", type);
  if (Object.hasOwn(option, 'short')) {
    errors.validateString(short, `${name}.short`);
    if (short.length !== 1) throw errors.invalidArgValue(`${name}.short`, short, 'must be a single character');
  }
  if (Object.hasOwn(option, 'multiple')) errors.validateBoolean(multiple, `${name}.multiple`);
  if (preset !== undefined) checkDefault(preset, { type, multiple }, `${name}.default`);
}

// Code from the command line has no file before its arguments.
const givenArguments = () => process.argv.slice(started.code === undefined ? 2 : 1);

function readConfig(config) {
  const read = (name, usual) => own(config, name) ?? usual;
  const strict = read('strict', true);
  const wanted = {
    args: read('args') ?? givenArguments(),
    strict,
    allowPositionals: read('allowPositionals', !strict),
    allowNegative: read('allowNegative', false),
    tokens: read('tokens', false),
    options: read('options', { __proto__: null }),
  };
  if (!Array.isArray(wanted.args)) throw errors.invalidArgType('args', 'an instance of Array', wanted.args);
  for (const name of ['strict', 'allowPositionals', 'tokens', 'allowNegative']) errors.validateBoolean(wanted[name], name);
  errors.validateObject(wanted.options, 'options');
  for (const [name, option] of Object.entries(wanted.options)) checkOption(option, `options.${name}`);
  return wanted;
}

// --- tokens ---------------------------------------------------------------------------------------

function tokensOf(args, options) {
  const tokens = [];
  const byShort = new Map();
  for (const [name, option] of Object.entries(options))
    if (own(option, 'short') !== undefined && !byShort.has(option.short)) byShort.set(option.short, name);
  const takesValue = (name) => own(own(options, name), 'type') === 'string';
  let at = 0;

  const add = (name, rawName, index, value, inlineValue) =>
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
  // Its value is the next argument, if there is one.
  const addWithNext = (name, rawName, index) => {
    const hasNext = takesValue(name) && args[at] !== undefined && args[at] !== null;
    add(name, rawName, index, hasNext ? args[at++] : undefined, hasNext ? false : undefined);
  };
  const addGroup = (letters, index) => {
    for (let place = 0; place < letters.length; place++) {
      const letter = letters[place];
      const name = byShort.get(letter) ?? letter;
      const rest = letters.slice(place + 1);
      if (rest === '') {
        addWithNext(name, `-${letter}`, index);
      } else if (takesValue(name)) {
        add(name, `-${letter}`, index, rest, true);
        return;
      } else {
        add(name, `-${letter}`, index, undefined, undefined);
      }
    }
  };

  while (at < args.length) {
    const index = at++;
    const text = args[index];
    if (text === '--') {
      tokens.push({ kind: 'option-terminator', index });
      while (at < args.length) tokens.push({ kind: 'positional', index: at, value: args[at++] });
    } else if (typeof text !== 'string' || text.length < 2 || text[0] !== '-') {
      tokens.push({ kind: 'positional', index, value: text });
    } else if (text[1] !== '-') {
      addGroup(text.slice(1), index);
    } else {
      const equals = text.indexOf('=', 3);
      if (equals < 0) addWithNext(text.slice(2), text, index);
      else add(text.slice(2, equals), text.slice(0, equals), index, text.slice(equals + 1), true);
    }
  }
  return tokens;
}

// --no-color says that color is false.
function negate(token) {
  if (token.value !== undefined || !token.name.startsWith('no-') || !token.rawName.startsWith('--')) return false;
  token.name = token.name.slice(3);
  return true;
}

// --- values ---------------------------------------------------------------------------------------

const refused = (what, message) => errors.coded(TypeError, `ERR_PARSE_ARGS_${what}`, message);

function checkToken(token, negated, { options, allowPositionals, allowNegative }) {
  const { rawName, value, inlineValue } = token;
  // --no-color=1, where there is no option of that whole name
  const given = allowNegative && value !== undefined && rawName.startsWith('--no-') && !Object.hasOwn(options, token.name);
  const name = given && own(own(options, token.name.slice(3)), 'type') === 'boolean' ? token.name.slice(3) : token.name;
  const type = own(own(options, name), 'type');
  if (type === undefined || (negated && type !== 'boolean')) {
    const advice = '. To specify a positional argument starting with a \'-\', place it at the end of the command ' +
      `after '--', as in '-- ${JSON.stringify(rawName)}`;
    throw refused('UNKNOWN_OPTION', `Unknown option '${rawName}'${allowPositionals ? advice : ''}`);
  }
  const short = own(options[name], 'short');
  const both = `${short ? `-${short}, ` : ''}--${name}`;
  if (type === 'boolean' && value !== undefined)
    throw refused('INVALID_OPTION_VALUE', `Option '${both}' does not take an argument`);
  if (type === 'string' && typeof value !== 'string')
    throw refused('INVALID_OPTION_VALUE', `Option '${both} <value>' argument missing`);
  if (inlineValue === false && value.length > 1 && value[0] === '-') {
    const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw refused('INVALID_OPTION_VALUE', `Option '${rawName}' argument is ambiguous.\n` +
      `Did you forget to specify the option argument for '${rawName}'?\n` +
      `To specify an option argument starting with a dash use ${example}.`);
  }
}

function store(values, name, value, multiple) {
  if (name === '__proto__') return;
  if (!multiple) values[name] = value;
  else if (Object.hasOwn(values, name)) values[name].push(value);
  else values[name] = [value];
}

function parseArgs(config = {}) {
  const wanted = readConfig(config);
  const { options, strict } = wanted;
  const tokens = tokensOf(wanted.args, options);
  const result = { values: { __proto__: null }, positionals: [] };
  if (wanted.tokens) result.tokens = tokens;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (!wanted.allowPositionals)
        throw refused('UNEXPECTED_POSITIONAL',
          `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      result.positionals.push(token.value);
    } else if (token.kind === 'option') {
      const negated = wanted.allowNegative && negate(token);
      if (strict) checkToken(token, negated, wanted);
      store(result.values, token.name, token.value ?? !negated, own(own(options, token.name), 'multiple'));
    }
  }
  for (const [name, option] of Object.entries(options)) {
    const preset = own(option, 'default');
    if (preset !== undefined && result.values[name] === undefined && name !== '__proto__') result.values[name] = preset;
  }
  return result;
}

module.exports = { parseArgs };
