/* Compression for zlib of runtime/lib: zlib's formats and brotli behind one interface.
 * This room is an object of its own, librondo-zlib.so, which js_zlib.c loads when a
 * program first requires zlib, so that no other program pays for the libraries. No
 * JavaScript in here.
 *
 * A codec is worked on by one thread at a time: codec_run on a thread of the pool or on
 * the loop's, everything else on the loop's while it isn't run. */
#ifndef RONDO_CODEC_H
#define RONDO_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As zlib.constants names them. */
enum codec_mode {
  CODEC_DEFLATE = 1,
  CODEC_INFLATE,
  CODEC_GZIP,
  CODEC_GUNZIP,
  CODEC_DEFLATERAW,
  CODEC_INFLATERAW,
  CODEC_UNZIP,
  CODEC_BROTLI_DECODE,
  CODEC_BROTLI_ENCODE
};

struct codec;

/* Parameters of brotli by number; only those that `given` says. */
enum { CODEC_PARAMETERS = 16 };

struct codec_options {
  enum codec_mode mode;
  int window_bits, level, memory_level, strategy;
  uint8_t*
      dictionary; /* from malloc, or NULL; the codec takes it, also if opening fails */
  size_t dictionary_size;
  bool given[CODEC_PARAMETERS];
  uint32_t parameters[CODEC_PARAMETERS];
};

/* The bytes that a step consumes and produces; codec_run moves the pointers and counts.
 */
struct codec_step {
  const uint8_t* in;
  uint8_t* out;
  uint32_t in_left, out_left;
  int flush; /* as zlib.constants: Z_NO_FLUSH …, or BROTLI_OPERATION_PROCESS … */
};

/* message is NULL if nothing failed. The texts live as long as the codec. */
struct codec_error {
  const char* message;
  const char* code;
  int number;
};

struct codec_kind {
  /* NULL without memory or if the parameters are refused. */
  struct codec* (*open)(const struct codec_options* options);
  void (*run)(struct codec* codec, struct codec_step* step);
  /* The result of the last run, change or reset. */
  struct codec_error (*error)(const struct codec* codec);
  void (*change)(struct codec* codec, int level, int strategy);
  void (*reset)(struct codec* codec);
  void (*close)(struct codec* codec);
  size_t memory; /* roughly, of one codec that compresses */
};

struct codec {
  const struct codec_kind* kind;
};

extern const struct codec_kind codec_zlib, codec_brotli_encoder, codec_brotli_decoder;

/* The table that the object exports, under CODEC_LIBRARY. */
struct codec_library {
  uint64_t interface; /* MODULE_INTERFACE, first (js_module.h) */
  uint32_t (*crc32)(uint32_t before, const uint8_t* bytes, size_t length);
  const struct codec_kind* (*kind)(enum codec_mode mode);
  uint32_t zlib_version;
};

#define CODEC_LIBRARY "rondo_codec_library"

#endif
