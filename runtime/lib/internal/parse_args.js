'use strict';
// util.parseArgs: turns the arguments into tokens, then checks the tokens and turns them into
// values.

const {
  ArrayIsArray, arrayForEach, arrayMap, arrayPush, arraySlice, over, stringIndexOf, stringSlice, stringStartsWith,
} = intrinsics;
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
  if (!ArrayIsArray(value)) throw errors.invalidArgType(name, 'an instance of Array', value);
  arrayForEach.call(value, (each, index) => check(each, `${name}[${index}]`));
}

function checkOption(option, name) {
  errors.validateObject(option, name);
  const { 0: type, 1: short, 2: multiple, 3: preset } = arrayMap.call(['type', 'short', 'multiple', 'default'], (key) => own(option, key));
  if (type !== 'string' && type !== 'boolean') throw errors.invalidArgType(`${name}.type`, "('string|boolean')", type);
  if (Object.hasOwn(option, 'short')) {
    errors.validateString(short, `${name}.short`);
    if (short.length !== 1) throw errors.invalidArgValue(`${name}.short`, short, 'must be a single character');
  }
  if (Object.hasOwn(option, 'multiple')) errors.validateBoolean(multiple, `${name}.multiple`);
  if (preset !== undefined) checkDefault(preset, { type, multiple }, `${name}.default`);
}

// With code from the command line, no file precedes the arguments.
const givenArguments = () => arraySlice.call(process.argv, started.code === undefined ? 2 : 1);

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
  if (!ArrayIsArray(wanted.args)) throw errors.invalidArgType('args', 'an instance of Array', wanted.args);
  for (const name of over(['strict', 'allowPositionals', 'tokens', 'allowNegative'])) errors.validateBoolean(wanted[name], name);
  errors.validateObject(wanted.options, 'options');
  for (const { 0: name, 1: option } of over(Object.entries(wanted.options))) checkOption(option, `options.${name}`);
  return wanted;
}

// --- tokens ---------------------------------------------------------------------------------------

function tokensOf(args, options) {
  const tokens = [];
  const byShort = new Map();
  for (const { 0: name, 1: option } of over(Object.entries(options)))
    if (own(option, 'short') !== undefined && !byShort.has(option.short)) byShort.set(option.short, name);
  const takesValue = (name) => own(own(options, name), 'type') === 'string';
  let at = 0;

  const add = (name, rawName, index, value, inlineValue) =>
    arrayPush.call(tokens, { kind: 'option', name, rawName, index, value, inlineValue });
  // Its value is the next argument, if there is one.
  const addWithNext = (name, rawName, index) => {
    const hasNext = takesValue(name) && args[at] !== undefined && args[at] !== null;
    add(name, rawName, index, hasNext ? args[at++] : undefined, hasNext ? false : undefined);
  };
  const addGroup = (letters, index) => {
    for (let place = 0; place < letters.length; place++) {
      const letter = letters[place];
      const name = byShort.get(letter) ?? letter;
      const rest = stringSlice.call(letters, place + 1);
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
      arrayPush.call(tokens, { kind: 'option-terminator', index });
      while (at < args.length) arrayPush.call(tokens, { kind: 'positional', index: at, value: args[at++] });
    } else if (typeof text !== 'string' || text.length < 2 || text[0] !== '-') {
      arrayPush.call(tokens, { kind: 'positional', index, value: text });
    } else if (text[1] !== '-') {
      addGroup(stringSlice.call(text, 1), index);
    } else {
      const equals = stringIndexOf.call(text, '=', 3);
      if (equals < 0) addWithNext(stringSlice.call(text, 2), text, index);
      else add(stringSlice.call(text, 2, equals), stringSlice.call(text, 0, equals), index, stringSlice.call(text, equals + 1), true);
    }
  }
  return tokens;
}

// --no-color says that color is false.
function negate(token) {
  if (token.value !== undefined || !stringStartsWith.call(token.name, 'no-') || !stringStartsWith.call(token.rawName, '--')) return false;
  token.name = stringSlice.call(token.name, 3);
  return true;
}

// --- values ---------------------------------------------------------------------------------------

const refused = (what, message) => errors.coded(TypeError, `ERR_PARSE_ARGS_${what}`, message);

function checkToken(token, negated, { options, allowPositionals, allowNegative }) {
  const { rawName, value, inlineValue } = token;
  // --no-color=1, where there is no option of that whole name
  const given = allowNegative && value !== undefined && stringStartsWith.call(rawName, '--no-') && !Object.hasOwn(options, token.name);
  const name = given && own(own(options, stringSlice.call(token.name, 3)), 'type') === 'boolean' ? stringSlice.call(token.name, 3) : token.name;
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
    const example = stringStartsWith.call(rawName, '--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw refused('INVALID_OPTION_VALUE', `Option '${rawName}' argument is ambiguous.\n` +
      `Did you forget to specify the option argument for '${rawName}'?\n` +
      `To specify an option argument starting with a dash use ${example}.`);
  }
}

function store(values, name, value, multiple) {
  if (name === '__proto__') return;
  if (!multiple) values[name] = value;
  else if (Object.hasOwn(values, name)) arrayPush.call(values[name], value);
  else values[name] = [value];
}

function parseArgs(config = {}) {
  const wanted = readConfig(config);
  const { options, strict } = wanted;
  const tokens = tokensOf(wanted.args, options);
  const result = { values: { __proto__: null }, positionals: [] };
  if (wanted.tokens) result.tokens = tokens;
  for (const token of over(tokens)) {
    if (token.kind === 'positional') {
      if (!wanted.allowPositionals)
        throw refused('UNEXPECTED_POSITIONAL',
          `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      arrayPush.call(result.positionals, token.value);
    } else if (token.kind === 'option') {
      const negated = wanted.allowNegative && negate(token);
      if (strict) checkToken(token, negated, wanted);
      store(result.values, token.name, token.value ?? !negated, own(own(options, token.name), 'multiple'));
    }
  }
  for (const { 0: name, 1: option } of over(Object.entries(options))) {
    const preset = own(option, 'default');
    if (preset !== undefined && result.values[name] === undefined && name !== '__proto__') result.values[name] = preset;
  }
  return result;
}

module.exports = { parseArgs };
