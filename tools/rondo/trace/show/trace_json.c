/* Strings of JSON, for the picture's page and for Chrome's trace events. */
#include "trace_write.h"

/* Reads one character of UTF-8; each byte of a bad sequence becomes U+FFFD. */
static uint32_t next_character(const unsigned char** at) {
  const unsigned char* text = *at;
  int more = *text < 0x80 ? 0 : *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : 1;
  uint32_t character = more == 0 ? *text : *text & (0x3fu >> more);
  *at = text + 1;
  if (*text >= 0x80 && (*text < 0xc2 || *text > 0xf4))
    return 0xfffd;
  for (int i = 1; i <= more; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0xfffd;
    character = character << 6 | (text[i] & 0x3fu);
  }
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (character < least[more] || character > 0x10ffff ||
      (character >= 0xd800 && character < 0xe000))
    return 0xfffd;
  *at = text + 1 + more;
  return character;
}

void write_string(FILE* out, const char* text) {
  const unsigned char* at = (const unsigned char*) text;
  putc('"', out);
  while (*at != '\0') {
    uint32_t character = next_character(&at);
    if (character == '"' || character == '\\')
      fprintf(out, "\\%c", (int) character);
    else if (character >= 0x10000)
      fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
              0xdc00 + (character & 0x3ff));
    else if (character < ' ' || character > '~' || character == '<')
      fprintf(out, "\\u%04x", character);
    else
      putc((int) character, out);
  }
  putc('"', out);
}
