/* The one name that librondo-zlib.so exports: see codec.h. */
#include "codec.h"

#include <zlib.h>

static uint32_t checksum(uint32_t before, const uint8_t* bytes, size_t length) {
  return (uint32_t) crc32_z(before, bytes, length);
}

static const struct codec_kind* kind_of(enum codec_mode mode) {
  return mode == CODEC_BROTLI_ENCODE   ? &codec_brotli_encoder
         : mode == CODEC_BROTLI_DECODE ? &codec_brotli_decoder
                                       : &codec_zlib;
}

extern const struct codec_library rondo_codec_library;

__attribute__((visibility("default"))) const struct codec_library rondo_codec_library = {
    MODULE_INTERFACE, checksum, kind_of, ZLIB_VERNUM};
