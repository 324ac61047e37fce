/* Names of V8's functions, read from a heap that is made up here, in the layouts of old
 * and new V8s; and from the same heap with any of its bytes changed: whatever is in the
 * memory, nothing outside of it is read and every name ends with a zero. */
#include "v8/v8_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BASE = 0x10000, HEAP = 1 << 14, TYPES = 300 };

static unsigned char memory[HEAP];
static uintptr_t used;
static uintptr_t maps[TYPES];
static bool is_old; /* begin and end of a function stand behind its name */

static const struct named {
  const char* name;
  int value;
} constants[] = {
    {"SmiShiftSize", 31},
    {"off_fp_context", -8},
    {"off_fp_function", -16},
    {"class_Map__instance_type__uint16_t", 12},
    {"FirstContextType", 200},
    {"LastContextType", 210},
    {"class_JSFunction__shared__SharedFunctionInfo", 32},
    {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 220},
    {"class_SharedFunctionInfo__name_or_scope_info__Object", 24},
    {"class_SharedFunctionInfo__script_or_debug_info__HeapObject", 40},
    {"type_Script__SCRIPT_TYPE", 230},
    {"class_Script__name__Object", 16},
    {"class_Script__line_ends__Object", 56},
    {"class_Script__eval_from_position__SMI", 80},
    {"type_ScopeInfo__SCOPE_INFO_TYPE", 240},
    {"scopeinfo_idx_ncontextlocals", 2},
    {"FirstNonstringType", 128},
    {"StringRepresentationMask", 7},
    {"StringEncodingMask", 8},
    {"class_String__length__int32_t", 12},
    {"ConsStringTag", 1},
    {"ExternalStringTag", 2},
    {"SlicedStringTag", 3},
    {"ThinStringTag", 5},
    {"OneByteStringTag", 8},
    {"class_ConsString__first__String", 16},
    {"class_ConsString__second__String", 24},
    {"class_SlicedString__parent__String", 16},
    {"class_SlicedString__offset__SMI", 24},
    {"class_ThinString__actual__String", 16},
    {"class_ExternalString__resource__Object", 16},
    {"class_SeqOneByteString__chars__char", 16},
    {"class_SeqTwoByteString__chars__char", 16},
    {"class_FixedArrayBase__length__SMI", 8},
    {"class_FixedArray__data__uintptr_t", 16},
};

static bool constant_made_up(void* data, const char* name, int* value) {
  const char* missing = data;
  if (missing != NULL && strcmp(name, missing) == 0)
    return false;
  if (strcmp(name, "scopeinfo_idx_first_vars") == 0) {
    *value = is_old ? 3 : 5;
    return true;
  }
  for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
    if (strcmp(name, constants[i].name) == 0) {
      *value = constants[i].value;
      return true;
    }
  }
  return false;
}

static bool memory_made_up(void* data, uintptr_t address, void* to, size_t size) {
  (void) data;
  if (address < BASE || address - BASE > HEAP || HEAP - (address - BASE) < size)
    return false;
  memcpy(to, memory + (address - BASE), size);
  return true;
}

/* --- making ----------------------------------------------------------------------------
 */

static uintptr_t small(int64_t value) {
  return (uintptr_t) value << 32;
}

static void put(uintptr_t object, size_t offset, uintptr_t word) {
  memcpy(memory + (object - 1 - BASE) + offset, &word, sizeof(word));
}

static uintptr_t room(size_t size) {
  uintptr_t at = BASE + used;
  used += (size + 7) / 8 * 8;
  assert_true(used <= HEAP);
  return at + 1;
}

static uintptr_t make(int type, size_t size) {
  if (maps[type] == 0) {
    uint16_t value = (uint16_t) type;
    maps[type] = room(64);
    memcpy(memory + (maps[type] - 1 - BASE) + 12, &value, sizeof(value));
  }
  uintptr_t object = room(size);
  put(object, 0, maps[type]);
  return object;
}

static uintptr_t string_of(int type, int32_t length) {
  uintptr_t object = make(type, 128);
  memcpy(memory + (object - 1 - BASE) + 12, &length, sizeof(length));
  return object;
}

static uintptr_t bytes(const char* text) {
  uintptr_t object = string_of(8, (int32_t) strlen(text));
  memcpy(memory + (object - 1 - BASE) + 16, text, strlen(text));
  return object;
}

static uintptr_t units(const uint16_t* text, int32_t length) {
  uintptr_t object = string_of(0, length);
  memcpy(memory + (object - 1 - BASE) + 16, text, (size_t) length * sizeof(*text));
  return object;
}

static uintptr_t script_of(uintptr_t source, uintptr_t name) {
  uintptr_t script = make(230, 96);
  put(script, 8, source);
  put(script, 16, name);
  put(script, 56, small(0));
  return script;
}

/* With so many variables, whose names are in the row or in a table. */
static uintptr_t scope_of(uintptr_t name, uintptr_t inferred, int64_t start, int locals,
                          bool table, bool more) {
  uintptr_t scope = make(240, 256);
  size_t at = 8 + 2 * 8;
  put(scope, at, small(locals));
  at += 8;
  if (!is_old) {
    put(scope, at, small(start));
    put(scope, at + 8, small(start + 10));
    at += 16;
  }
  for (int i = 0; i < (table ? 1 : locals); i++, at += 8)
    put(scope, at, bytes("variable"));
  for (int i = 0; i < locals + more; i++, at += 8)
    put(scope, at, small(i + 1));
  put(scope, at, name);
  put(scope, at + 8, small(0));
  put(scope, at + 16, inferred);
  if (is_old) {
    put(scope, at + 24, small(start));
    put(scope, at + 32, small(start + 10));
  }
  return scope;
}

static struct {
  struct v8_heap heap;
  uintptr_t context, source, path;
} made;

static uintptr_t function_of(uintptr_t scope, uintptr_t script) {
  uintptr_t shared = make(220, 64), function = make(250, 64);
  put(shared, 24, scope);
  put(shared, 40, script);
  put(function, 32, shared);
  return function;
}

static void start(bool old) {
  memset(memory, 0, sizeof(memory));
  memset(maps, 0, sizeof(maps));
  used = 0;
  is_old = old;
  made.heap = (struct v8_heap){.read = memory_made_up};
  assert_true(v8_layout_find(&made.heap.layout, constant_made_up, NULL));
  made.context = make(205, 32);
  made.source = bytes("one\ntwo\r\nthree\rfour(a) {}");
  made.path = bytes("file:///app/server.js");
}

static const char* name_of(uintptr_t function) {
  static char text[512];
  struct v8_function found;
  if (!v8_function_of_frame(&made.heap, made.context, function, &found) ||
      !v8_function_name(&made.heap, &found, text, sizeof(text)))
    return "";
  return text;
}

/* --- tests -----------------------------------------------------------------------------
 */

static void functions_have_name_file_and_line(void** state) {
  (void) state;
  for (int old = 0; old < 2; old++) {
    start(old != 0);
    uintptr_t script = script_of(made.source, made.path), name = bytes("parse");
    for (int locals = 0; locals < 3; locals++) {
      for (int more = 0; more < 2; more++) {
        uintptr_t scope = scope_of(name, bytes(""), 20, locals, false, more != 0);
        assert_string_equal(name_of(function_of(scope, script)),
                            "parse /app/server.js:4");
      }
    }
    uintptr_t table = scope_of(name, bytes(""), 5, 4, true, false);
    assert_string_equal(name_of(function_of(table, script)), "parse /app/server.js:2");
    uintptr_t inferred = scope_of(0, bytes("app.parse"), 0, 0, false, false);
    assert_string_equal(name_of(function_of(inferred, script)),
                        "app.parse /app/server.js:1");
    uintptr_t nameless = scope_of(bytes(""), bytes(""), 0, 0, false, false);
    assert_string_equal(name_of(function_of(nameless, script)),
                        "(anonymous) /app/server.js:1");
    assert_string_equal(name_of(function_of(bytes("map"), made.context)), "");
    assert_string_equal(name_of(made.context), "");
  }
}

static void lines_are_those_of_the_table_if_there_is_one(void** state) {
  (void) state;
  start(false);
  uintptr_t script = script_of(made.source, made.path), ends = make(255, 64);
  put(ends, 8, small(3));
  for (size_t i = 0; i < 3; i++)
    put(ends, 16 + 8 * i, small((int64_t) (10 * i + 10)));
  put(script, 56, ends);
  put(script, 24, small(100)); /* the script's own first line */
  uintptr_t scope = scope_of(bytes("f"), bytes(""), 25, 0, false, false);
  assert_string_equal(name_of(function_of(scope, script)), "f /app/server.js:103");
}

static void strings_of_every_form_are_read(void** state) {
  (void) state;
  start(false);
  static const uint16_t wide[] = {'x', 0xe4, 0x20ac, 0xd83d, 0xde00, '\n'};
  uintptr_t joined = string_of(8 | 1, 8), part = string_of(8 | 3, 3);
  uintptr_t other = string_of(8 | 5, 3), outside = string_of(8 | 2, 4);
  put(joined, 16, bytes("left"));
  put(joined, 24, bytes("right"));
  put(part, 16, bytes("abcdef"));
  put(part, 24, small(2));
  put(other, 16, bytes("actual"));
  put(outside, 24, BASE + 0x2000);
  memcpy(memory + 0x2000, "far!", 4);
  char text[64];
  assert_true(v8_string_read(&made.heap, units(wide, 6), text, sizeof(text)));
  assert_string_equal(text, "xä€😀 ");
  assert_true(v8_string_read(&made.heap, joined, text, sizeof(text)));
  assert_string_equal(text, "leftright");
  assert_true(v8_string_read(&made.heap, part, text, sizeof(text)));
  assert_string_equal(text, "cde");
  assert_true(v8_string_read(&made.heap, other, text, sizeof(text)));
  assert_string_equal(text, "act");
  assert_true(v8_string_read(&made.heap, outside, text, sizeof(text)));
  assert_string_equal(text, "far!");
  assert_true(v8_string_read(&made.heap, units(wide, 6), text, 5));
  assert_string_equal(text, "xä"); /* not half of a character */
}

static void code_of_eval_has_the_place_of_its_maker(void** state) {
  (void) state;
  start(false);
  uintptr_t script = script_of(made.source, made.path);
  uintptr_t maker =
      function_of(scope_of(bytes("make"), bytes(""), 12, 0, false, false), script);
  uintptr_t evaluated = script_of(made.source, 0), shared;
  memcpy(&shared, memory + (maker - 1 - BASE) + 32, sizeof(shared));
  put(evaluated, 72, shared);
  uintptr_t scope = scope_of(bytes("rare"), bytes(""), 3, 0, false, false);
  assert_string_equal(name_of(function_of(scope, evaluated)),
                      "rare (eval) /app/server.js:3");
}

static void an_object_is_followed_to_where_it_was_moved(void** state) {
  (void) state;
  start(false);
  uintptr_t script = script_of(made.source, made.path);
  uintptr_t scope = scope_of(bytes("moved"), bytes(""), 0, 0, false, false);
  uintptr_t function = function_of(scope, script), old = make(250, 64);
  put(old, 0, function - 1);
  assert_string_equal(name_of(old), "moved /app/server.js:1");
  put(old, 0, old - 1); /* to itself */
  assert_string_equal(name_of(old), "");
}

static void without_a_constant_nothing_is_read(void** state) {
  struct v8_layout layout;
  (void) state;
  for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
    assert_false(
        v8_layout_find(&layout, constant_made_up, (void*) (uintptr_t) constants[i].name));
}

static void whatever_is_in_the_memory_is_survived(void** state) {
  (void) state;
  srandom(22);
  for (int round = 0; round < 20000; round++) {
    start(round % 2 == 0);
    uintptr_t joined = string_of(8 | 1, 9);
    put(joined, 16, bytes("left"));
    put(joined, 24, joined);
    uintptr_t script = script_of(made.source, made.path);
    uintptr_t scope = scope_of(joined, joined, 20, 2, false, false);
    uintptr_t function = function_of(scope, script);
    for (long changes = random() % 8; changes >= 0; changes--) {
      size_t at = (size_t) random() % used;
      if (random() % 2 == 0)
        memory[at] = (unsigned char) random();
      else
        put(BASE + at / 8 * 8 + 1, 0, BASE + (uintptr_t) random() % used / 8 * 8 + 1);
    }
    assert_true(strlen(name_of(function)) < 512);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_have_name_file_and_line),
      cmocka_unit_test(lines_are_those_of_the_table_if_there_is_one),
      cmocka_unit_test(strings_of_every_form_are_read),
      cmocka_unit_test(code_of_eval_has_the_place_of_its_maker),
      cmocka_unit_test(an_object_is_followed_to_where_it_was_moved),
      cmocka_unit_test(without_a_constant_nothing_is_read),
      cmocka_unit_test(whatever_is_in_the_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
