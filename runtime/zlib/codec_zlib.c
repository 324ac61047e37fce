/* gzip, deflate and raw deflate, both ways. The library's state is made at the first run,
 * on the thread that runs, since it takes 256 KiB. */
#define ZLIB_CONST /* the input is only read */
#include "codec.h"

#include <stdlib.h>
#include <zlib.h>

enum { MAGIC_FIRST = 0x1f, MAGIC_SECOND = 0x8b };

struct zlib_codec {
  struct codec base;
  struct codec_options options;
  enum codec_mode mode; /* CODEC_UNZIP becomes another one by the first two bytes */
  unsigned magic;       /* how many of gzip's two first bytes an unzip has seen */
  z_stream stream;
  bool made;
  int result, flush;
  const char* failed; /* what a result other than the usual ones means, or NULL */
};

static bool zlib_compresses(enum codec_mode mode) {
  return mode == CODEC_DEFLATE || mode == CODEC_GZIP || mode == CODEC_DEFLATERAW;
}

static struct codec* zlib_open(const struct codec_options* options) {
  struct zlib_codec* codec = calloc(1, sizeof(*codec));
  if (codec == NULL)
    return NULL;
  codec->base.kind = &codec_zlib;
  codec->options = *options;
  codec->mode = options->mode;
  return &codec->base;
}

/* The library takes the format from the number of window bits. */
static int window_of(const struct zlib_codec* codec) {
  int bits = codec->options.window_bits;
  switch (codec->options.mode) {
  case CODEC_GZIP:
  case CODEC_GUNZIP:
    return bits + 16;
  case CODEC_UNZIP:
    return bits + 32;
  case CODEC_DEFLATERAW:
  case CODEC_INFLATERAW:
    return -bits;
  default:
    return bits;
  }
}

static void dictionary_set(struct zlib_codec* codec) {
  const struct codec_options* options = &codec->options;
  codec->failed = NULL;
  if (options->dictionary == NULL)
    return;
  if (codec->mode == CODEC_DEFLATE || codec->mode == CODEC_DEFLATERAW)
    codec->result = deflateSetDictionary(&codec->stream, options->dictionary,
                                         (uInt) options->dictionary_size);
  else if (codec->mode == CODEC_INFLATERAW)
    codec->result = inflateSetDictionary(&codec->stream, options->dictionary,
                                         (uInt) options->dictionary_size);
  if (codec->result != Z_OK)
    codec->failed = "Failed to set dictionary";
}

static bool stream_make(struct zlib_codec* codec) {
  const struct codec_options* options = &codec->options;
  if (codec->made)
    return true;
  if (zlib_compresses(codec->mode))
    codec->result =
        deflateInit2(&codec->stream, options->level, Z_DEFLATED, window_of(codec),
                     options->memory_level, options->strategy);
  else
    codec->result = inflateInit2(&codec->stream, window_of(codec));
  codec->made = codec->result == Z_OK;
  if (codec->made)
    dictionary_set(codec);
  else
    codec->failed = "Init error";
  return codec->failed == NULL;
}

/* Unzip: gzip if the data begins with its two bytes, else deflate. The library finds out
 * by itself; only whether members may follow has to be known here. */
static void unzip_look(struct zlib_codec* codec, const uint8_t* in, uint32_t count) {
  static const uint8_t magic[] = {MAGIC_FIRST, MAGIC_SECOND};
  for (uint32_t i = 0; i < count && codec->mode == CODEC_UNZIP; i++) {
    if (in[i] != magic[codec->magic])
      codec->mode = CODEC_INFLATE;
    else if (++codec->magic == 2)
      codec->mode = CODEC_GUNZIP;
  }
}

static void inflate_run(struct zlib_codec* codec, int flush) {
  z_stream* stream = &codec->stream;
  unzip_look(codec, stream->next_in, stream->avail_in);
  codec->result = inflate(stream, flush);
  if (codec->result == Z_NEED_DICT && codec->mode != CODEC_INFLATERAW &&
      codec->options.dictionary != NULL) {
    int set = inflateSetDictionary(stream, codec->options.dictionary,
                                   (uInt) codec->options.dictionary_size);
    if (set == Z_OK)
      codec->result = inflate(stream, flush);
  }
  /* Members of a gzip file follow each other; padding of zeros ends it. */
  while (codec->mode == CODEC_GUNZIP && codec->result == Z_STREAM_END &&
         stream->avail_in > 0 && stream->next_in[0] != 0) {
    codec->result = inflateReset(stream);
    if (codec->result == Z_OK)
      codec->result = inflate(stream, flush);
  }
}

static void zlib_run(struct codec* base, struct codec_step* step) {
  struct zlib_codec* codec = (struct zlib_codec*) base;
  z_stream* stream = &codec->stream;
  codec->flush = step->flush;
  if (!stream_make(codec))
    return;
  stream->next_in = step->in;
  stream->avail_in = step->in_left;
  stream->next_out = step->out;
  stream->avail_out = step->out_left;
  if (zlib_compresses(codec->mode))
    codec->result = deflate(stream, step->flush);
  else
    inflate_run(codec, step->flush);
  step->in = stream->next_in;
  step->in_left = stream->avail_in;
  step->out = stream->next_out;
  step->out_left = stream->avail_out;
}

static const char* code_of(int result) {
  switch (result) {
  case Z_NEED_DICT:
    return "Z_NEED_DICT";
  case Z_ERRNO:
    return "Z_ERRNO";
  case Z_STREAM_ERROR:
    return "Z_STREAM_ERROR";
  case Z_DATA_ERROR:
    return "Z_DATA_ERROR";
  case Z_MEM_ERROR:
    return "Z_MEM_ERROR";
  case Z_BUF_ERROR:
    return "Z_BUF_ERROR";
  default:
    return "Z_VERSION_ERROR";
  }
}

static struct codec_error failure(const char* message, int result) {
  return (struct codec_error){message, code_of(result), result};
}

static struct codec_error zlib_error(const struct codec* base) {
  const struct zlib_codec* codec = (const struct zlib_codec*) base;
  if (codec->failed != NULL)
    return failure(codec->failed, codec->result);
  switch (codec->result) {
  case Z_OK:
  case Z_BUF_ERROR:
    if (codec->flush == Z_FINISH && codec->stream.avail_out != 0)
      return failure("unexpected end of file", Z_BUF_ERROR);
    return (struct codec_error){0};
  case Z_STREAM_END:
    return (struct codec_error){0};
  case Z_NEED_DICT:
    return failure(codec->options.dictionary == NULL ? "Missing dictionary"
                                                     : "Bad dictionary",
                   Z_NEED_DICT);
  default:
    return failure(codec->stream.msg != NULL ? codec->stream.msg : "Zlib error",
                   codec->result);
  }
}

/* A change needs room for what is compressed up to here, which a flush before it has
 * made; Z_BUF_ERROR only says that there was nothing. */
static void zlib_change(struct codec* base, int level, int strategy) {
  struct zlib_codec* codec = (struct zlib_codec*) base;
  uint8_t none[1];
  codec->flush = Z_NO_FLUSH;
  if (!zlib_compresses(codec->mode) || !stream_make(codec))
    return;
  codec->stream.next_in = none;
  codec->stream.avail_in = 0;
  codec->stream.next_out = none;
  codec->stream.avail_out = 0;
  codec->result = deflateParams(&codec->stream, level, strategy);
  if (codec->result != Z_OK && codec->result != Z_BUF_ERROR)
    codec->failed = "Failed to set parameters";
}

static void zlib_reset(struct codec* base) {
  struct zlib_codec* codec = (struct zlib_codec*) base;
  codec->failed = NULL;
  codec->flush = Z_NO_FLUSH;
  codec->result = Z_OK;
  if (!codec->made)
    return;
  codec->result = zlib_compresses(codec->mode) ? deflateReset(&codec->stream)
                                               : inflateReset(&codec->stream);
  if (codec->result == Z_OK)
    dictionary_set(codec);
  else
    codec->failed = "Failed to reset stream";
}

static void zlib_close(struct codec* base) {
  struct zlib_codec* codec = (struct zlib_codec*) base;
  if (codec->made && zlib_compresses(codec->options.mode))
    (void) deflateEnd(&codec->stream);
  else if (codec->made)
    (void) inflateEnd(&codec->stream);
  free(codec->options.dictionary);
  free(codec);
}

const struct codec_kind codec_zlib = {
    .open = zlib_open,
    .run = zlib_run,
    .error = zlib_error,
    .change = zlib_change,
    .reset = zlib_reset,
    .close = zlib_close,
    .memory = 256 * 1024,
};
