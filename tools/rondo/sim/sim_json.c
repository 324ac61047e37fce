/* Text of a program as a JSON string. */
#include "sim_json.h"

#include <stdbool.h>
#include <stdio.h>

/* The length of the UTF-8 sequence at the start of the text; 0 if it isn't one. */
static size_t json_sequence(const char* text, size_t left) {
  const unsigned char* bytes = (const unsigned char*) text;
  size_t length = bytes[0] < 0x80             ? 1
                  : (bytes[0] & 0xe0) == 0xc0 ? 2
                  : (bytes[0] & 0xf0) == 0xe0 ? 3
                  : (bytes[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
  unsigned int code = length < 2 ? bytes[0] : bytes[0] & (0x7fu >> length);
  static const unsigned int least[] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 1; i < length; i++) {
    if (i >= left || (bytes[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (bytes[i] & 0x3f);
  }
  bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}

/* Each byte that isn't UTF-8 becomes U+FFFD. */
void sim_json_text(const char* text, size_t length) {
  putchar('"');
  for (size_t i = 0; i < length;) {
    unsigned char c = (unsigned char) text[i];
    size_t sequence = json_sequence(text + i, length - i);
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else if (sequence == 0)
      fputs("\\ufffd", stdout);
    else
      fwrite(text + i, 1, sequence, stdout);
    i += sequence == 0 ? 1 : sequence;
  }
  putchar('"');
}

void sim_json_part(const struct sim_options* options, bool is_complete) {
  bool is_part = options->shards > 1;
  printf("{\"shard\":[%u,%u],\"partComplete\":%s,", is_part ? options->shard : 1,
         is_part ? options->shards : 1, is_complete ? "true" : "false");
}
