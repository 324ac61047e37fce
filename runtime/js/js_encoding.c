/* native('encoding'): text to bytes and back, for every encoding that Buffer knows, and
 * the comparison of bytes, where JavaScript would be slow. Bytes are read from and
 * written to the caller's typed array directly. */
#include "js.h"

#include <stdlib.h>
#include <string.h>

/* The part [start, end) of a typed array given as arguments index … index + 2. */
static bool range_arg(size_t argc, const JSValueRef argv[], size_t index, uint8_t** bytes,
                      size_t* length) {
  if (!js_bytes(js_arg(argc, argv, index), bytes, length))
    return false;
  double start = js_arg_number(argc, argv, index + 1, 0);
  double end = js_arg_number(argc, argv, index + 2, (double) *length);
  if (!(start >= 0))
    start = 0;
  if (!(end <= (double) *length))
    end = (double) *length;
  if (start >= end) {
    *length = 0;
    return true;
  }
  *bytes += (size_t) start;
  *length = (size_t) end - (size_t) start;
  return true;
}

static JSValueRef not_bytes(JSValueRef* exception) {
  *exception = js_error("TypeError", "ERR_INVALID_ARG_TYPE",
                        "The argument must be a Buffer, TypedArray or ArrayBuffer");
  return js_undefined();
}

/* utf8(string) → Uint8Array */
static JSValueRef utf8_encode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  size_t length = 0;
  char* text = js_utf8(js_arg(argc, argv, 0), &length);
  if (text == NULL) {
    *exception =
        js_error("Error", "ERR_OUT_OF_MEMORY", "No memory for the string's bytes");
    return js_undefined();
  }
  return js_bytes_take(text, length);
}

/* Looks at four units at a time: an answer of http is counted before it is sent. */
static bool units_are_ascii(const JSChar* units, size_t count) {
  uint64_t bits = 0, four;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    memcpy(&four, units + i, sizeof(four));
    bits |= four;
  }
  for (; i < count; i++)
    bits |= units[i];
  return (bits & 0xFF80FF80FF80FF80u) == 0;
}

/* utf8Length(string) */
static JSValueRef utf8_length(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  JSStringRef string = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 0), exception);
  if (string == NULL)
    return js_undefined();
  const JSChar* units = JSStringGetCharactersPtr(string);
  size_t count = JSStringGetLength(string), length = 0;
  bool is_ascii = units_are_ascii(units, count);
  if (is_ascii)
    length = count;
  for (size_t i = 0; !is_ascii && i < count; i++) {
    if ((units[i] & 0xFC00) == 0xD800 && i + 1 < count &&
        (units[i + 1] & 0xFC00) == 0xDC00) {
      length += 4;
      i++;
    } else {
      length += units[i] < 0x80 ? 1 : units[i] < 0x800 ? 2 : 3;
    }
  }
  JSStringRelease(string);
  return js_number((double) length);
}

/* utf8Write(string, bytes, start, end) → how many were written; never half a character */
static JSValueRef utf8_write(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t room, length = 0;
  if (!range_arg(argc, argv, 1, &bytes, &room))
    return not_bytes(exception);
  char* text = js_utf8(js_arg(argc, argv, 0), &length);
  if (text == NULL)
    return js_number(0);
  if (length > room) {
    length = room;
    while (length > 0 && ((unsigned char) text[length] & 0xC0) == 0x80)
      length--;
  }
  memcpy(bytes, text, length);
  free(text);
  return js_number((double) length);
}

/* utf8Text(bytes, start, end) → string */
static JSValueRef utf8_decode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  return js_string_n((const char*) bytes, length);
}

/* utf8Valid(bytes), for TextDecoder's option `fatal` */
static JSValueRef utf8_valid(JS_ARGS) {
  JS_UNUSED;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return js_boolean(false);
  for (size_t i = 0; i < length;) {
    uint8_t lead = bytes[i++];
    if (lead < 0x80)
      continue;
    size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || need > length - i)
      return js_boolean(false);
    uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (; need > 0; need--, low = 0x80, high = 0xBF, i++)
      if (bytes[i] < low || bytes[i] > high)
        return js_boolean(false);
  }
  return js_boolean(true);
}

/* latin1Text(bytes, start, end) → string */
static JSValueRef latin1_decode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  JSChar* units = malloc((length + 1) * sizeof(*units));
  if (units == NULL)
    return js_undefined();
  for (size_t i = 0; i < length; i++)
    units[i] = bytes[i];
  JSStringRef string = JSStringCreateWithCharacters(units, length);
  free(units);
  JSValueRef value = JSValueMakeString(js.ctx, string);
  JSStringRelease(string);
  return value;
}

/* base64Text(bytes, start, end, url) → string */
static JSValueRef base64_encode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char safe[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  bool url = js_arg_bool(argc, argv, 3);
  const char* digits = url ? safe : plain;
  char* text = malloc((length + 2) / 3 * 4 + 1);
  char* at = text;
  if (text == NULL)
    return js_undefined();
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    uint32_t group = (uint32_t) bytes[i] << 16 |
                     (left > 1 ? (uint32_t) bytes[i + 1] << 8 : 0) |
                     (left > 2 ? bytes[i + 2] : 0u);
    *at++ = digits[group >> 18];
    *at++ = digits[group >> 12 & 63];
    if (left > 1)
      *at++ = digits[group >> 6 & 63];
    else if (!url)
      *at++ = '=';
    if (left > 2)
      *at++ = digits[group & 63];
    else if (!url)
      *at++ = '=';
  }
  JSValueRef value = js_string_n(text, (size_t) (at - text));
  free(text);
  return value;
}

/* asciiText(bytes, start, end) → string: the lower seven bits of each */
static JSValueRef ascii_decode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  char* text = malloc(length + 1);
  if (text == NULL)
    return js_undefined();
  for (size_t i = 0; i < length; i++)
    text[i] = (char) (bytes[i] & 0x7F);
  JSValueRef value = js_string_n(text, length);
  free(text);
  return value;
}

/* utf16Text(bytes, start, end) → string; an odd last byte is left out */
static JSValueRef utf16_decode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  size_t count = length / 2;
  JSChar* units = malloc((count + 1) * sizeof(*units));
  if (units == NULL)
    return js_undefined();
  for (size_t i = 0; i < count; i++)
    units[i] = (JSChar) (bytes[2 * i] | bytes[2 * i + 1] << 8);
  JSStringRef string = JSStringCreateWithCharacters(units, count);
  free(units);
  JSValueRef value = JSValueMakeString(js.ctx, string);
  JSStringRelease(string);
  return value;
}

/* hexText(bytes, start, end) → string */
static JSValueRef hex_decode(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t* bytes;
  size_t length;
  if (!range_arg(argc, argv, 0, &bytes, &length))
    return not_bytes(exception);
  char* text = malloc(2 * length + 1);
  if (text == NULL)
    return js_undefined();
  for (size_t i = 0; i < length; i++) {
    text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
  }
  JSValueRef value = js_string_n(text, 2 * length);
  free(text);
  return value;
}

/* A writer stores as much of the text as fits into the room, never half a unit, and
 * returns the number of bytes. */
typedef size_t (*encoding_writer)(const JSChar* units, size_t count, uint8_t* bytes,
                                  size_t room);

static size_t latin1_put(const JSChar* units, size_t count, uint8_t* bytes, size_t room) {
  size_t length = count < room ? count : room;
  for (size_t i = 0; i < length; i++)
    bytes[i] = (uint8_t) (units[i] & 0xFF);
  return length;
}

static size_t utf16_put(const JSChar* units, size_t count, uint8_t* bytes, size_t room) {
  size_t length = count < room / 2 ? count : room / 2;
  for (size_t i = 0; i < length; i++) {
    bytes[2 * i] = (uint8_t) (units[i] & 0xFF);
    bytes[2 * i + 1] = (uint8_t) (units[i] >> 8);
  }
  return 2 * length;
}

static int hex_digit(JSChar unit) {
  if (unit >= '0' && unit <= '9')
    return unit - '0';
  if (unit >= 'a' && unit <= 'f')
    return unit - 'a' + 10;
  return unit >= 'A' && unit <= 'F' ? unit - 'A' + 10 : -1;
}

/* Ends before the first pair that isn't two hexadecimal digits. */
static size_t hex_put(const JSChar* units, size_t count, uint8_t* bytes, size_t room) {
  size_t length = count / 2 < room ? count / 2 : room;
  for (size_t i = 0; i < length; i++) {
    int high = hex_digit(units[2 * i]), low = hex_digit(units[2 * i + 1]);
    if (high < 0 || low < 0)
      return i;
    bytes[i] = (uint8_t) (high << 4 | low);
  }
  return length;
}

/* Accepts both alphabets; -1 for a character that isn't a digit. */
static int base64_digit(JSChar unit) {
  if (unit >= 'A' && unit <= 'Z')
    return unit - 'A';
  if (unit >= 'a' && unit <= 'z')
    return unit - 'a' + 26;
  if (unit >= '0' && unit <= '9')
    return unit - '0' + 52;
  return unit == '+' || unit == '-' ? 62 : unit == '/' || unit == '_' ? 63 : -1;
}

/* Reads up to the first padding; characters that aren't digits are skipped. */
static size_t base64_put(const JSChar* units, size_t count, uint8_t* bytes, size_t room) {
  size_t length = 0;
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < count && units[i] != '=' && length < room; i++) {
    int digit = base64_digit(units[i]);
    if (digit < 0)
      continue;
    bits = bits << 6 | (uint32_t) digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[length++] = (uint8_t) (bits >> held & 0xFF);
    }
  }
  return length;
}

/* The four below are …Write(string, bytes, start, end) → how many were written. */
static JSValueRef put_text(encoding_writer put, size_t argc, const JSValueRef argv[],
                           JSValueRef* exception) {
  uint8_t* bytes;
  size_t room;
  JSStringRef string = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 0), exception);
  if (string == NULL)
    return js_undefined();
  JSValueRef written;
  if (range_arg(argc, argv, 1, &bytes, &room))
    written = js_number((double) put(JSStringGetCharactersPtr(string),
                                     JSStringGetLength(string), bytes, room));
  else
    written = not_bytes(exception);
  JSStringRelease(string);
  return written;
}

static JSValueRef latin1_write(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  return put_text(latin1_put, argc, argv, exception);
}

static JSValueRef utf16_write(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  return put_text(utf16_put, argc, argv, exception);
}

static JSValueRef hex_write(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  return put_text(hex_put, argc, argv, exception);
}

static JSValueRef base64_write(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  return put_text(base64_put, argc, argv, exception);
}

/* compare(a, start, end, b, start, end) → -1, 0 or 1 */
static JSValueRef bytes_compare(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  uint8_t *first, *second;
  size_t first_length, second_length;
  if (!range_arg(argc, argv, 0, &first, &first_length) ||
      !range_arg(argc, argv, 3, &second, &second_length))
    return not_bytes(exception);
  size_t shared = first_length < second_length ? first_length : second_length;
  int order = shared == 0 ? 0 : memcmp(first, second, shared);
  if (order == 0)
    order = (first_length > second_length) - (first_length < second_length);
  return js_number((order > 0) - (order < 0));
}

void native_encoding(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"utf8", utf8_encode},         {"utf8Length", utf8_length},
      {"utf8Write", utf8_write},     {"utf8Text", utf8_decode},
      {"utf8Valid", utf8_valid},     {"latin1Text", latin1_decode},
      {"latin1Write", latin1_write}, {"asciiText", ascii_decode},
      {"utf16Text", utf16_decode},   {"utf16Write", utf16_write},
      {"hexText", hex_decode},       {"hexWrite", hex_write},
      {"base64Text", base64_encode}, {"base64Write", base64_write},
      {"compare", bytes_compare},    {NULL, NULL},
  };
  js_methods(exports, methods);
}
