'use strict';
// What zlib.constants and zlib.codes list: the numbers of zlib's and brotli's own interfaces.

const { arrayMap, arrayReduce, over, stringSplit } = intrinsics;

// "A=1 B C=5": a name without a number has that of the name before it plus one.
function numbered(text) {
  const list = [];
  let last = -1;
  for (const word of over(stringSplit.call(text, ' '))) {
    const { 0: name, 1: number } = stringSplit.call(word, '=');
    last = number === undefined ? last + 1 : Number(number);
    list[list.length] = [name, last];
  }
  return list;
}
const prefixed = (prefix, text) => arrayMap.call(numbered(text), ({ 0: name, 1: number }) => [prefix + name, number]);

const { version } = native('zlib');
const FLUSH = prefixed('Z_', 'NO_FLUSH PARTIAL_FLUSH SYNC_FLUSH FULL_FLUSH FINISH BLOCK');
const RESULTS = prefixed('Z_', 'OK STREAM_END NEED_DICT ERRNO=-1 STREAM_ERROR=-2 DATA_ERROR=-3 MEM_ERROR=-4 BUF_ERROR=-5 VERSION_ERROR=-6');
const ZLIB = [
  ...over(FLUSH), ...over(RESULTS),
  ...over(prefixed('Z_', 'NO_COMPRESSION BEST_SPEED BEST_COMPRESSION=9 DEFAULT_COMPRESSION=-1 FILTERED=1 HUFFMAN_ONLY RLE FIXED DEFAULT_STRATEGY=0')),
  ['ZLIB_VERNUM', version],
  ...over(numbered('DEFLATE=1 INFLATE GZIP GUNZIP DEFLATERAW INFLATERAW UNZIP BROTLI_DECODE BROTLI_ENCODE')),
  ...over(prefixed('Z_', 'MIN_WINDOWBITS=8 MAX_WINDOWBITS=15 DEFAULT_WINDOWBITS=15 MIN_CHUNK=64 MAX_CHUNK=Infinity DEFAULT_CHUNK=16384 ' +
    'MIN_MEMLEVEL=1 MAX_MEMLEVEL=9 DEFAULT_MEMLEVEL=8 MIN_LEVEL=-1 MAX_LEVEL=9 DEFAULT_LEVEL=-1')),
];
const BROTLI = [
  ...over(prefixed('BROTLI_', 'OPERATION_PROCESS OPERATION_FLUSH OPERATION_FINISH OPERATION_EMIT_METADATA PARAM_MODE=0 MODE_GENERIC=0 ' +
    'MODE_TEXT MODE_FONT DEFAULT_MODE=0 PARAM_QUALITY=1 MIN_QUALITY=0 MAX_QUALITY=11 DEFAULT_QUALITY=11 PARAM_LGWIN=2 ' +
    'MIN_WINDOW_BITS=10 MAX_WINDOW_BITS=24 LARGE_MAX_WINDOW_BITS=30 DEFAULT_WINDOW=22 PARAM_LGBLOCK=3 MIN_INPUT_BLOCK_BITS=16 ' +
    'MAX_INPUT_BLOCK_BITS=24 PARAM_DISABLE_LITERAL_CONTEXT_MODELING=4 PARAM_SIZE_HINT PARAM_LARGE_WINDOW PARAM_NPOSTFIX PARAM_NDIRECT')),
  ...over(prefixed('BROTLI_DECODER_', 'RESULT_ERROR RESULT_SUCCESS RESULT_NEEDS_MORE_INPUT RESULT_NEEDS_MORE_OUTPUT ' +
    'PARAM_DISABLE_RING_BUFFER_REALLOCATION=0 PARAM_LARGE_WINDOW NO_ERROR=0 SUCCESS NEEDS_MORE_INPUT NEEDS_MORE_OUTPUT')),
  ...over(prefixed('BROTLI_DECODER_ERROR_', 'FORMAT_EXUBERANT_NIBBLE=-1 FORMAT_RESERVED=-2 FORMAT_EXUBERANT_META_NIBBLE=-3 ' +
    'FORMAT_SIMPLE_HUFFMAN_ALPHABET=-4 FORMAT_SIMPLE_HUFFMAN_SAME=-5 FORMAT_CL_SPACE=-6 FORMAT_HUFFMAN_SPACE=-7 ' +
    'FORMAT_CONTEXT_MAP_REPEAT=-8 FORMAT_BLOCK_LENGTH_1=-9 FORMAT_BLOCK_LENGTH_2=-10 FORMAT_TRANSFORM=-11 FORMAT_DICTIONARY=-12 ' +
    'FORMAT_WINDOW_BITS=-13 FORMAT_PADDING_1=-14 FORMAT_PADDING_2=-15 FORMAT_DISTANCE=-16 DICTIONARY_NOT_SET=-19 ' +
    'INVALID_ARGUMENTS=-20 ALLOC_CONTEXT_MODES=-21 ALLOC_TREE_GROUPS=-22 ALLOC_CONTEXT_MAP=-25 ALLOC_RING_BUFFER_1=-26 ' +
    'ALLOC_RING_BUFFER_2=-27 ALLOC_BLOCK_TYPE_TREES=-30 UNREACHABLE=-31')),
];

const object = (prototype, entries) => arrayReduce.call(entries, (made, { 0: name, 1: number }) => {
  made[name] = number;
  return made;
}, prototype);

// A program may add to them, but not change them.
function fixed(entries) {
  const made = object({ __proto__: null }, entries);
  for (const name of over(Object.keys(made))) Object.defineProperty(made, name, { __proto__: null, writable: false, configurable: false });
  return made;
}

const names = arrayMap.call(RESULTS, ({ 0: name, 1: number }) => [number, name]);
module.exports = {
  codes: Object.freeze(object(object({}, RESULTS), names)),
  constants: fixed([...over(ZLIB), ...over(BROTLI)]),
  ofZlib: arrayMap.call(ZLIB, ({ 0: name }) => name), // also found on the module itself, as in programs of old
};
