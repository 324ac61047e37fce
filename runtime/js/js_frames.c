/* Names for JavaScript's frames on a sampled stack: function, file and line.
 *
 * The recorder's sampler finds the frames; in each frame the engine stores the function
 * that was called. The name, the source and the line of that function are a few pointers
 * away, at offsets that the engine's headers don't document and that change with its
 * version. So the offsets are measured: functions with a known name, file and line are
 * made, and the offsets at which all of these are found are used. If none fit, frames get
 * no names.
 *
 * Frames are named on the sampling thread while the engine runs. A function on the stack
 * is kept alive by the engine's collector, which is conservative and doesn't move
 * objects. If the word isn't a function, it is read in a way that can't fault and is then
 * rejected. All of this costs time only when a sample is taken. */
#include "js.h"

#include "../node/tracing.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  /* Offset from the frame pointer, in words, in every frame of the engine. */
  FRAME_CALLEE = 3,
  CELL_TYPE = 5, /* offset in bytes in every object of the collector */
  OBJECT_BYTES = 64,
  NEAR_BYTES = 320, /* how many bytes of an object are searched */
  TEXT_MOST = 512,
  RARE = 1, /* a bit of the pointer to the code: there is an object in between */
};

/* Offsets in bytes; 0: not known. */
static struct {
  unsigned char function_type, code_type;
  size_t code;            /* in the function: a pointer to its code, */
  size_t rare_code;       /* or in the object in between; */
  size_t shape, name;     /* in the code: a pointer to the object with the name; */
  size_t source, address; /* a pointer to the object with the file's name; */
  size_t line;            /* the line's number, */
  uint32_t line_first;    /* minus this */
} layout;

/* --- reading -------------------------------------------------------------------------
 */

/* False if the memory can't be read. */
static bool memory_read(uintptr_t address, void* to, size_t size) {
  struct iovec here = {to, size}, there = {(void*) address, size};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t) size;
}

static uintptr_t word_at(const unsigned char* bytes, size_t distance) {
  uintptr_t word;
  memcpy(&word, bytes + distance, sizeof(word));
  return word;
}

static uint32_t number_at(const unsigned char* bytes, size_t distance) {
  uint32_t number;
  memcpy(&number, bytes + distance, sizeof(number));
  return number;
}

static bool is_pointer(uintptr_t word) {
  return word > 4096 && word >> 47 == 0 && word % 8 == 0;
}

static bool read_near(uintptr_t address, unsigned char bytes[NEAR_BYTES]) {
  return is_pointer(address) && memory_read(address, bytes, NEAR_BYTES);
}

/* Reads a string of the engine: a count of references, the length, a pointer to the
 * characters, and flags, one of which says that they are bytes. Cut to TEXT_MOST; false
 * if it isn't a string. */
static bool read_string(uintptr_t address, char* text, size_t size) {
  enum { LENGTH = 4, CHARACTERS = 8, FLAGS = 16, HEAD = 24, FLAG_BYTES = 4 };
  unsigned char head[HEAD];
  unsigned char characters[TEXT_MOST * 2];
  JSChar units[TEXT_MOST];
  char utf8[TEXT_MOST * 3];
  if (!is_pointer(address) || !memory_read(address, head, sizeof(head)))
    return false;
  size_t width = (number_at(head, FLAGS) & FLAG_BYTES) != 0 ? 1 : 2;
  size_t length = number_at(head, LENGTH);
  if (length > 1 << 20)
    return false;
  length = length < TEXT_MOST ? length : TEXT_MOST;
  if (length > 0 && !memory_read(word_at(head, CHARACTERS), characters, length * width))
    return false;
  for (size_t i = 0; i < length; i++) {
    unsigned int high = width == 2 ? characters[i * 2 + 1] : 0;
    units[i] = (JSChar) (high << 8 | characters[i * width]);
    if (units[i] == 0)
      return false;
  }
  size_t total = js_utf8_of_units(units, length, utf8);
  size_t used = total < size ? total : size - 1;
  while (used > 0 && used < total && (utf8[used] & 0xc0) == 0x80)
    used--; /* not in the middle of a character */
  memcpy(text, utf8, used);
  text[used] = '\0';
  return true;
}

static bool string_is(uintptr_t address, const char* wanted) {
  char text[TEXT_MOST];
  return read_string(address, text, sizeof(text)) && strcmp(text, wanted) == 0;
}

/* The code of a function; 0 if it isn't a function, or not one of a script. */
static uintptr_t code_of(uintptr_t function, unsigned char bytes[NEAR_BYTES]) {
  unsigned char object[OBJECT_BYTES];
  if (!is_pointer(function) || !memory_read(function, object, sizeof(object)) ||
      object[CELL_TYPE] != layout.function_type)
    return 0;
  uintptr_t code = word_at(object, layout.code);
  if ((code & RARE) != 0) {
    if (layout.rare_code == 0 || !read_near(code & ~(uintptr_t) RARE, bytes))
      return 0;
    code = word_at(bytes, layout.rare_code);
  }
  return read_near(code, bytes) && bytes[CELL_TYPE] == layout.code_type ? code : 0;
}

/* --- naming --------------------------------------------------------------------------
 */

/* "parse /app/server.js:12", as the recorder's names of other engines. */
static int frame_name(const uintptr_t* frame, char* text, size_t size) {
  unsigned char code[NEAR_BYTES], near[NEAR_BYTES];
  char name[TEXT_MOST] = "", address[TEXT_MOST];
  if (code_of(frame[FRAME_CALLEE], code) == 0)
    return 0;
  if (!read_near(word_at(code, layout.source), near) ||
      !read_string(word_at(near, layout.address), address, sizeof(address)) ||
      *address == '\0')
    return 0;
  if (!read_near(word_at(code, layout.shape), near) ||
      !read_string(word_at(near, layout.name), name, sizeof(name)) || *name == '\0')
    snprintf(name, sizeof(name), "(anonymous)");
  const char* path = strncmp(address, "file://", 7) == 0 ? address + 7 : address;
  snprintf(text, size, "%.200s %.700s:%u", name, path,
           number_at(code, layout.line) + 1 - layout.line_first);
  return 1;
}

/* --- measuring -----------------------------------------------------------------------
 */

enum { PROBES = 3, PROBE_LINES = 3 };

static const struct probe {
  const char *name, *source, *address;
  int first; /* line of the source; the function is on the fourth line */
} probes[PROBES] = {
    {"rondoProbeAlpha", "\n\n\n(function rondoProbeAlpha() { return 1; })",
     "/rondo/probe-alpha.js", 70001},
    {"rondoProbeBetaLonger", "\n\n\n(function rondoProbeBetaLonger(a) { return a; })",
     "/rondo/probe-the-second.js", 81207},
    {"rondoProbeGammaN", "\n\n\n({ rondoProbeGammaN: () => 3 }).rondoProbeGammaN",
     "/rondo/the-last-probe.js", 92411},
};

static JSObjectRef probe_make(const struct probe* probe) {
  JSStringRef source = JSStringCreateWithUTF8CString(probe->source);
  JSStringRef address = JSStringCreateWithUTF8CString(probe->address);
  JSValueRef value = JSEvaluateScript(js.ctx, source, NULL, address, probe->first, NULL);
  JSStringRelease(source);
  JSStringRelease(address);
  if (value == NULL || !JSValueIsObject(js.ctx, value))
    return NULL;
  js_keep((JSObjectRef) value);
  return (JSObjectRef) value;
}

/* Whether the strings two pointers away from the code are these texts. */
static bool measure_text(unsigned char code[PROBES][NEAR_BYTES], size_t* outer,
                         size_t* inner, bool is_name) {
  unsigned char near[PROBES][NEAR_BYTES];
  for (*outer = 8; *outer < NEAR_BYTES; *outer += 8) {
    size_t probe = 0;
    while (probe < PROBES && read_near(word_at(code[probe], *outer), near[probe]))
      probe++;
    if (probe < PROBES)
      continue;
    for (*inner = 8; *inner < NEAR_BYTES; *inner += 8) {
      for (probe = 0; probe < PROBES; probe++) {
        const char* wanted = is_name ? probes[probe].name : probes[probe].address;
        if (!string_is(word_at(near[probe], *inner), wanted))
          break;
      }
      if (probe == PROBES)
        return true;
    }
  }
  return false;
}

static bool measure_line(unsigned char code[PROBES][NEAR_BYTES]) {
  for (layout.line = 8; layout.line < NEAR_BYTES; layout.line += 4) {
    for (layout.line_first = 0; layout.line_first < 2; layout.line_first++) {
      size_t probe = 0;
      while (probe < PROBES &&
             number_at(code[probe], layout.line) + 1 - layout.line_first ==
                 (uint32_t) (probes[probe].first + PROBE_LINES))
        probe++;
      if (probe == PROBES)
        return true;
    }
  }
  return false;
}

/* A function that has constructed objects has an object between itself and its code. */
static void measure_rare(JSObjectRef function, uintptr_t code) {
  unsigned char object[OBJECT_BYTES], near[NEAR_BYTES];
  JSObjectCallAsConstructor(js.ctx, function, 0, NULL, NULL);
  if (!memory_read((uintptr_t) function, object, sizeof(object)))
    return;
  uintptr_t word = word_at(object, layout.code);
  if ((word & RARE) == 0 || !read_near(word & ~(uintptr_t) RARE, near))
    return;
  for (size_t i = 8; i < NEAR_BYTES && layout.rare_code == 0; i += 8) {
    if (word_at(near, i) == code)
      layout.rare_code = i;
  }
}

static bool measure_code(const uintptr_t functions[PROBES]) {
  unsigned char object[PROBES][OBJECT_BYTES], code[PROBES][NEAR_BYTES];
  for (size_t i = 0; i < PROBES; i++) {
    if (!memory_read(functions[i], object[i], sizeof(object[i])))
      return false;
  }
  for (layout.code = 8; layout.code < OBJECT_BYTES; layout.code += 8) {
    size_t probe = 0;
    while (probe < PROBES && read_near(word_at(object[probe], layout.code), code[probe]))
      probe++;
    if (probe < PROBES || !measure_line(code) ||
        !measure_text(code, &layout.shape, &layout.name, true) ||
        !measure_text(code, &layout.source, &layout.address, false))
      continue;
    layout.function_type = object[0][CELL_TYPE];
    layout.code_type = code[0][CELL_TYPE];
    return layout.function_type == object[1][CELL_TYPE];
  }
  return false;
}

void js_frames_open(void) {
  JSObjectRef functions[PROBES] = {NULL};
  uintptr_t addresses[PROBES];
  bool made = true;
  for (size_t i = 0; i < PROBES; i++) {
    functions[i] = probe_make(&probes[i]);
    addresses[i] = (uintptr_t) functions[i];
    made = made && functions[i] != NULL;
  }
  if (made && measure_code(addresses)) {
    unsigned char object[OBJECT_BYTES];
    if (memory_read(addresses[0], object, sizeof(object)))
      measure_rare(functions[0], word_at(object, layout.code));
    rondo_trace_frames_named_by(frame_name);
  }
  for (size_t i = 0; i < PROBES; i++) {
    if (functions[i] != NULL)
      js_drop(functions[i]);
  }
}
