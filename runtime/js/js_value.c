/* Values between C and JavaScript: making, reading, keeping them. Nothing here waits, and
 * nothing throws unless its comment says so. */
#include "js.h"

#include <stdlib.h>
#include <string.h>

struct js_engine js;

static void set_with(JSObjectRef target, const char* name, JSValueRef value) {
  JSStringRef key = JSStringCreateWithUTF8CString(name);
  JSObjectSetProperty(js.ctx, target, key, value, kJSPropertyAttributeNone, NULL);
  JSStringRelease(key);
}

JSObjectRef js_object(void) {
  return JSObjectMake(js.ctx, NULL, NULL);
}

JSObjectRef js_function(const char* name, JSObjectCallAsFunctionCallback call) {
  JSStringRef text = JSStringCreateWithUTF8CString(name);
  JSObjectRef function = JSObjectMakeFunctionWithCallback(js.ctx, text, call);
  JSStringRelease(text);
  return function;
}

void js_methods(JSObjectRef target, const struct js_method* methods) {
  for (; methods->name != NULL; methods++)
    set_with(target, methods->name, js_function(methods->name, methods->call));
}

void js_set(JSObjectRef target, const char* name, JSValueRef value) {
  set_with(target, name, value);
}

void js_set_number(JSObjectRef target, const char* name, double value) {
  set_with(target, name, js_number(value));
}

void js_set_string(JSObjectRef target, const char* name, const char* utf8) {
  set_with(target, name, js_string(utf8));
}

JSValueRef js_get(JSObjectRef object, const char* name) {
  JSStringRef key = JSStringCreateWithUTF8CString(name);
  JSValueRef value = JSObjectGetProperty(js.ctx, object, key, NULL);
  JSStringRelease(key);
  return value != NULL ? value : js_undefined();
}

JSValueRef js_undefined(void) {
  return JSValueMakeUndefined(js.ctx);
}

JSValueRef js_null(void) {
  return JSValueMakeNull(js.ctx);
}

JSValueRef js_number(double value) {
  return JSValueMakeNumber(js.ctx, value);
}

JSValueRef js_boolean(bool value) {
  return JSValueMakeBoolean(js.ctx, value);
}

/* The engine's own conversion gives an empty string for bytes that aren't UTF-8, so text
 * that isn't plain ASCII is decoded here: one U+FFFD for each maximal bad part, as in the
 * Encoding Standard. Returns the character at `at`; *used is its number of bytes, or that
 * of the bad part. */
static uint32_t decode_one(const unsigned char* at, const unsigned char* end,
                           size_t* used) {
  unsigned char lead = *at;
  size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  unsigned char low = 0x80, high = 0xBF;
  *used = 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0xFFFD;
  if (lead == 0xE0)
    low = 0xA0;
  else if (lead == 0xED)
    high = 0x9F;
  else if (lead == 0xF0)
    low = 0x90;
  else if (lead == 0xF4)
    high = 0x8F;
  uint32_t point = lead & (need == 1 ? 0x1Fu : need == 2 ? 0x0Fu : 0x07u);
  for (size_t i = 1; i <= need; i++) {
    if (at + i >= end || at[i] < low || at[i] > high)
      return 0xFFFD;
    point = point << 6 | (at[i] & 0x3Fu);
    *used = i + 1;
    low = 0x80;
    high = 0xBF;
  }
  return point;
}

static JSStringRef string_decoded(const char* utf8, size_t length) {
  JSChar* units = malloc((length + 1) * sizeof(*units));
  if (units == NULL)
    return JSStringCreateWithUTF8CString("");
  const unsigned char *at = (const unsigned char*) utf8, *end = at + length;
  size_t count = 0;
  while (at < end) {
    if (*at < 0x80) {
      units[count++] = *at++;
      continue;
    }
    size_t used;
    uint32_t point = decode_one(at, end, &used);
    at += used;
    if (point >= 0x10000) {
      units[count++] = (JSChar) (0xD800 + ((point - 0x10000) >> 10));
      units[count++] = (JSChar) (0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      units[count++] = (JSChar) point;
    }
  }
  JSStringRef string = JSStringCreateWithCharacters(units, count);
  free(units);
  return string;
}

static bool is_ascii(const char* text, size_t length) {
  size_t i = 0;
  for (uint64_t word; i + sizeof(word) <= length; i += sizeof(word)) {
    memcpy(&word, text + i, sizeof(word));
    if ((word & 0x8080808080808080u) != 0)
      return false;
  }
  for (; i < length; i++)
    if (text[i] < 0)
      return false;
  return true;
}

/* ASCII, the most common text. A short one goes through the engine's converter, which
 * makes a string with one byte per character. For a long one the converter is too slow,
 * since it examines each byte; widening it here is faster. NULL on failure. */
static JSStringRef string_ascii(const char* text, size_t length) {
  char small[256];
  if (length < sizeof(small) && memchr(text, '\0', length) == NULL) {
    memcpy(small, text, length);
    small[length] = '\0';
    return JSStringCreateWithUTF8CString(small);
  }
  JSChar* units = malloc(length * sizeof(*units));
  if (units == NULL)
    return NULL;
  for (size_t i = 0; i < length; i++)
    units[i] = (unsigned char) text[i];
  JSStringRef string = JSStringCreateWithCharacters(units, length);
  free(units);
  return string;
}

JSValueRef js_string_n(const char* utf8, size_t length) {
  JSStringRef string = is_ascii(utf8, length) ? string_ascii(utf8, length) : NULL;
  if (string == NULL)
    string = string_decoded(utf8, length);
  JSValueRef value = JSValueMakeString(js.ctx, string);
  JSStringRelease(string);
  return value;
}

JSValueRef js_string(const char* utf8) {
  return js_string_n(utf8, strlen(utf8));
}

JSObjectRef js_array(size_t count, const JSValueRef values[]) {
  return JSObjectMakeArray(js.ctx, count, values, NULL);
}

JSValueRef js_arg(size_t argc, const JSValueRef argv[], size_t index) {
  return index < argc ? argv[index] : js_undefined();
}

double js_arg_number(size_t argc, const JSValueRef argv[], size_t index,
                     double otherwise) {
  if (index >= argc || JSValueIsUndefined(js.ctx, argv[index]))
    return otherwise;
  JSValueRef exception = NULL;
  double number = JSValueToNumber(js.ctx, argv[index], &exception);
  return exception == NULL ? number : otherwise;
}

int32_t js_arg_int(size_t argc, const JSValueRef argv[], size_t index,
                   int32_t otherwise) {
  double number = js_arg_number(argc, argv, index, otherwise);
  return number >= INT32_MIN && number <= INT32_MAX ? (int32_t) number : otherwise;
}

bool js_arg_bool(size_t argc, const JSValueRef argv[], size_t index) {
  return index < argc && JSValueToBoolean(js.ctx, argv[index]);
}

JSObjectRef js_arg_object(size_t argc, const JSValueRef argv[], size_t index) {
  if (index >= argc || !JSValueIsObject(js.ctx, argv[index]))
    return NULL;
  return (JSObjectRef) argv[index];
}

JSObjectRef js_arg_function(size_t argc, const JSValueRef argv[], size_t index) {
  JSObjectRef object = js_arg_object(argc, argv, index);
  return object != NULL && JSObjectIsFunction(js.ctx, object) ? object : NULL;
}

/* Converted here because the engine's converter stops at a lone surrogate. */
size_t js_utf8_of_units(const JSChar* units, size_t count, char* out) {
  unsigned char* at = (unsigned char*) out;
  for (size_t i = 0; i < count; i++) {
    uint32_t point = units[i];
    if (point < 0x80) {
      *at++ = (unsigned char) point;
      continue;
    }
    if (point >= 0xD800 && point <= 0xDFFF) {
      if (point <= 0xDBFF && i + 1 < count && (units[i + 1] & 0xFC00) == 0xDC00)
        point = 0x10000 + ((point - 0xD800) << 10) + (units[++i] - 0xDC00u);
      else
        point = 0xFFFD;
    }
    if (point < 0x800) {
      *at++ = (unsigned char) (0xC0 | point >> 6);
    } else {
      if (point < 0x10000) {
        *at++ = (unsigned char) (0xE0 | point >> 12);
      } else {
        *at++ = (unsigned char) (0xF0 | point >> 18);
        *at++ = (unsigned char) (0x80 | (point >> 12 & 0x3F));
      }
      *at++ = (unsigned char) (0x80 | (point >> 6 & 0x3F));
    }
    *at++ = (unsigned char) (0x80 | (point & 0x3F));
  }
  return (size_t) (at - (unsigned char*) out);
}

/* Text in ASCII, by far the most, without a copy in UTF-16 on the way; NULL if it is
 * something else. */
static char* ascii_of(JSStringRef string, size_t count) {
  char* text = malloc(count + 1);
  uint64_t bits = 0, eight;
  size_t i = 0;
  /* Of other text as much as fits is written, which may be as many bytes. */
  if (text == NULL || JSStringGetUTF8CString(string, text, count + 1) != count + 1)
    bits = 0x80;
  for (; bits == 0 && i + 8 <= count; i += 8) {
    memcpy(&eight, text + i, sizeof(eight));
    bits = eight & 0x8080808080808080u;
  }
  for (; bits == 0 && i < count; i++)
    bits = (unsigned char) text[i] & 0x80;
  if (bits == 0)
    return text;
  free(text);
  return NULL;
}

char* js_utf8(JSValueRef value, size_t* length) {
  JSValueRef exception = NULL;
  JSStringRef string = JSValueToStringCopy(js.ctx, value, &exception);
  if (string == NULL)
    return NULL;
  size_t count = JSStringGetLength(string);
  char* ascii = ascii_of(string, count);
  if (ascii != NULL) {
    if (length != NULL)
      *length = count;
    JSStringRelease(string);
    return ascii;
  }
  const JSChar* units = JSStringGetCharactersPtr(string);
  JSChar bits = 0;
  for (size_t i = 0; i < count; i++)
    bits |= units[i];
  size_t used = count;
  char* text = malloc(bits < 0x80 ? count + 1 : count * 3 + 1);
  if (text != NULL && bits >= 0x80)
    used = js_utf8_of_units(units, count, text);
  else if (text != NULL)
    for (size_t i = 0; i < count; i++)
      text[i] = (char) units[i];
  if (text != NULL)
    text[used] = '\0';
  if (text != NULL && length != NULL)
    *length = used;
  JSStringRelease(string);
  return text;
}

char* js_arg_utf8(size_t argc, const JSValueRef argv[], size_t index) {
  return js_utf8(js_arg(argc, argv, index), NULL);
}
