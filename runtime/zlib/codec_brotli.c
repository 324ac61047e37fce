/* brotli, both ways. */
#include "codec.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <stdlib.h>

enum { BUF_ERROR = -5 }; /* zlib's Z_BUF_ERROR, which stands for a text that ends early */

struct brotli_codec {
  struct codec base;
  struct codec_options options;
  BrotliEncoderState* encoder; /* one of the two */
  BrotliDecoderState* decoder;
  bool failed;
  bool starved; /* the decoder waits for more input */
  int flush;
};

static bool encoder_make(struct brotli_codec* codec) {
  codec->encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
  for (int i = 0; codec->encoder != NULL && i < CODEC_PARAMETERS; i++)
    if (codec->options.given[i] &&
        !BrotliEncoderSetParameter(codec->encoder, (BrotliEncoderParameter) i,
                                   codec->options.parameters[i])) {
      BrotliEncoderDestroyInstance(codec->encoder);
      codec->encoder = NULL;
    }
  return codec->encoder != NULL;
}

static bool decoder_make(struct brotli_codec* codec) {
  codec->decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  for (int i = 0; codec->decoder != NULL && i < CODEC_PARAMETERS; i++)
    if (codec->options.given[i] &&
        !BrotliDecoderSetParameter(codec->decoder, (BrotliDecoderParameter) i,
                                   codec->options.parameters[i])) {
      BrotliDecoderDestroyInstance(codec->decoder);
      codec->decoder = NULL;
    }
  return codec->decoder != NULL;
}

static struct codec* brotli_open(const struct codec_options* options) {
  struct brotli_codec* codec = calloc(1, sizeof(*codec));
  bool encodes = options->mode == CODEC_BROTLI_ENCODE;
  free(options->dictionary); /* brotli has none here */
  if (codec == NULL)
    return NULL;
  codec->base.kind = encodes ? &codec_brotli_encoder : &codec_brotli_decoder;
  codec->options = *options;
  codec->options.dictionary = NULL;
  if (!(encodes ? encoder_make(codec) : decoder_make(codec))) {
    free(codec);
    return NULL;
  }
  return &codec->base;
}

static void encoder_run(struct codec* base, struct codec_step* step) {
  struct brotli_codec* codec = (struct brotli_codec*) base;
  size_t in_left = step->in_left, out_left = step->out_left;
  codec->flush = step->flush;
  codec->failed =
      !BrotliEncoderCompressStream(codec->encoder, (BrotliEncoderOperation) step->flush,
                                   &in_left, &step->in, &out_left, &step->out, NULL);
  step->in_left = (uint32_t) in_left;
  step->out_left = (uint32_t) out_left;
}

static void decoder_run(struct codec* base, struct codec_step* step) {
  struct brotli_codec* codec = (struct brotli_codec*) base;
  size_t in_left = step->in_left, out_left = step->out_left;
  codec->flush = step->flush;
  BrotliDecoderResult result = BrotliDecoderDecompressStream(
      codec->decoder, &in_left, &step->in, &out_left, &step->out, NULL);
  codec->failed = result == BROTLI_DECODER_RESULT_ERROR;
  codec->starved = result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
  step->in_left = (uint32_t) in_left;
  step->out_left = (uint32_t) out_left;
}

static struct codec_error encoder_error(const struct codec* base) {
  const struct brotli_codec* codec = (const struct brotli_codec*) base;
  if (codec->failed)
    return (struct codec_error){"Compression failed", "ERR_BROTLI_COMPRESSION_FAILED",
                                -1};
  return (struct codec_error){0};
}

/* Versions of the library differ in how much of a code's name they give. */
#define CODE_ROW(prefix, name, value) {value, "ERR_" #prefix #name},
#define CODE_BETWEEN
static const struct {
  int number;
  const char* code;
} decoder_codes[] = {BROTLI_DECODER_ERROR_CODES_LIST(CODE_ROW, CODE_BETWEEN)};

static const char* decoder_code(int number) {
  for (size_t i = 0; i < sizeof(decoder_codes) / sizeof(decoder_codes[0]); i++)
    if (decoder_codes[i].number == number)
      return decoder_codes[i].code;
  return "ERR_BROTLI_DECODER"; /* of a newer library */
}

static struct codec_error decoder_error(const struct codec* base) {
  const struct brotli_codec* codec = (const struct brotli_codec*) base;
  int number = (int) BrotliDecoderGetErrorCode(codec->decoder);
  if (codec->failed)
    return (struct codec_error){"Decompression failed", decoder_code(number), number};
  if (codec->flush == BROTLI_OPERATION_FINISH && codec->starved)
    return (struct codec_error){"unexpected end of file", "Z_BUF_ERROR", BUF_ERROR};
  return (struct codec_error){0};
}

static void brotli_change(struct codec* base, int level, int strategy) {
  (void) base, (void) level, (void) strategy; /* of zlib's streams only */
}

/* The library can't start a state again. A state that can't be made leaves the old one,
 * which then reports that it failed. */
static void brotli_reset(struct codec* base) {
  struct brotli_codec* codec = (struct brotli_codec*) base;
  BrotliEncoderState* encoder = codec->encoder;
  BrotliDecoderState* decoder = codec->decoder;
  codec->starved = false;
  codec->failed = !(encoder != NULL ? encoder_make(codec) : decoder_make(codec));
  if (codec->failed) {
    codec->encoder = encoder;
    codec->decoder = decoder;
    return;
  }
  if (encoder != NULL)
    BrotliEncoderDestroyInstance(encoder);
  if (decoder != NULL)
    BrotliDecoderDestroyInstance(decoder);
}

static void brotli_close(struct codec* base) {
  struct brotli_codec* codec = (struct brotli_codec*) base;
  if (codec->encoder != NULL)
    BrotliEncoderDestroyInstance(codec->encoder);
  if (codec->decoder != NULL)
    BrotliDecoderDestroyInstance(codec->decoder);
  free(codec);
}

const struct codec_kind codec_brotli_encoder = {
    .open = brotli_open,
    .run = encoder_run,
    .error = encoder_error,
    .change = brotli_change,
    .reset = brotli_reset,
    .close = brotli_close,
    .memory = 256 * 1024,
};

const struct codec_kind codec_brotli_decoder = {
    .open = brotli_open,
    .run = decoder_run,
    .error = decoder_error,
    .change = brotli_change,
    .reset = brotli_reset,
    .close = brotli_close,
    .memory = 64 * 1024,
};
