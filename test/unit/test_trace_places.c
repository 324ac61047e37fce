/* Places in scripts: columns where a line says too little, and source maps, also broken
 * ones and those made to break their reader. */
#include "trace_test.h"

#include "json_reader.h"
#include "script_file.h"
#include "script_text.h"
#include "source_map.h"
#include "trace_places.h"

#include <sys/time.h>

static void file_write(const char* name, const char* text) {
  FILE* file = fopen(path_of(name), "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

/* The names that a process has after they were read; `names` end with NULL. */
static struct trace_process process_of(const char* const* names) {
  struct trace_process process = {0};
  while (names[process.name_count] != NULL)
    process.name_count++;
  process.names = calloc(process.name_count, sizeof(char*));
  for (size_t i = 0; i < process.name_count; i++) {
    char text[1024];
    snprintf(text, sizeof(text), names[i], folder);
    process.names[i] = strdup(text);
  }
  return process;
}

static void process_end(struct trace_process* process) {
  for (size_t i = 0; i < process->name_count; i++)
    free(process->names[i]);
  free(process->names);
}

static void assert_name(const struct trace_process* process, size_t number,
                        const char* format) {
  char text[1024];
  snprintf(text, sizeof(text), format, folder);
  assert_string_equal(process->names[number], text);
}

static void a_column_goes_where_the_line_says_enough(void** state) {
  static const char* const names[] = {"parse %s/app.js:12:9",
                                      "microtasks of onFile %s/app.js:3:1 for GET /file",
                                      "GET /users/7:3 handle %s/my app.js:4:77",
                                      "(anonymous) %s/app.js:5:10",
                                      "(anonymous) %s/app.js:5:40",
                                      "GET /users/1:2",
                                      "write node:fs:12:3",
                                      "onRead /plugin.lua:12",
                                      "12:3",
                                      "a:1:2:3",
                                      "",
                                      NULL};
  (void) state;
  struct trace_process process = process_of(names);
  places_read(&process);
  assert_name(&process, 0, "parse %s/app.js:12");
  assert_name(&process, 1, "microtasks of onFile %s/app.js:3 for GET /file");
  assert_name(&process, 2, "GET /users/7:3 handle %s/my app.js:4");
  assert_name(&process, 3, "(anonymous) %s/app.js:5:10");
  assert_name(&process, 4, "(anonymous) %s/app.js:5:40");
  for (size_t i = 5; i < process.name_count; i++)
    assert_string_equal(process.names[i], names[i]);
  process_end(&process);
}

static void a_bundle_of_long_lines_keeps_its_columns(void** state) {
  static const char* const names[] = {"a %s/bundle.js:1:20", "b %s/bundle.js:1:4343",
                                      "(anonymous) %s/bundle.js:1:1", NULL};
  (void) state;
  struct trace_process process = process_of(names);
  places_read(&process);
  assert_name(&process, 0, "a %s/bundle.js:1:20");
  assert_name(&process, 1, "b %s/bundle.js:1:4343");
  assert_name(&process, 2, "(anonymous) %s/bundle.js:1");
  process_end(&process);
}

/* --- maps ------------------------------------------------------------------------------
 */

static char* number_write(char* out, int number) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned int bits =
      number < 0 ? (unsigned int) -number << 1 | 1 : (unsigned int) number << 1;
  do {
    *out++ = digits[(bits & 31) | (bits > 31 ? 32 : 0)];
    bits >>= 5;
  } while (bits > 0);
  return out;
}

/* A segment, relative to the one before; `name` INT_MAX: none. */
static char* segment_write(char* out, int column, int source, int line, int at,
                           int name) {
  out = number_write(out, column);
  out = number_write(out, source);
  out = number_write(out, line);
  out = number_write(out, at);
  out = name == INT_MAX ? out : number_write(out, name);
  *out = '\0';
  return out;
}

/* "function a(b){…}var c=(d)=>d;" */
static const char bundle[] = "function a(b){return c(b)}var c=(d)=>d;class e{f(){}}\n";

static const char* map_of(const char* root) {
  static char map[1024];
  char mappings[256], *out = mappings;
  out = segment_write(out, 9, 0, 3, 9, 0); /* a: parseReport, report.ts:4 */
  *out++ = ',';
  out = segment_write(out, 21, 0, 5, 0, 1); /* c: helper, report.ts:9 */
  *out++ = ',';
  out = segment_write(out, 15, 1, -7, 0, INT_MAX); /* e, store.ts:2 */
  *out++ = ',';
  out = segment_write(out, 2, 0, 2, 0, 1); /* f: rebuild, store.ts:4 */
  snprintf(
      map, sizeof(map),
      "{\"version\":3,\"file\":\"x\",\"sourceRoot\":\"%s\",\"sources\":"
      "[\"../src/report.ts\",\"webpack://app/./lib/store.ts\"],"
      "\"sourcesContent\":[\"\\\"]}\",null],\"names\":[\"parseReport\",\"help\\u0065r\","
      "\"rebuild\"],\"mappings\":\"%s\"}",
      root, mappings);
  return map;
}

static void assert_mapped(const char* script) {
  static const char* const suffixes[] = {"a %%s/%s:1:11 for GET /x",
                                         "c %%s/%s:1:33",
                                         "f %%s/%s:1:49",
                                         "e %%s/%s:1:40",
                                         "a %%s/%s:1",
                                         "f %%s/%s:1"};
  char texts[6][64];
  const char* names[7] = {0};
  for (size_t i = 0; i < 6; i++) {
    snprintf(texts[i], sizeof(texts[i]), suffixes[i], script);
    names[i] = texts[i];
  }
  struct trace_process process = process_of(names);
  places_read(&process);
  char base[64];
  snprintf(base, sizeof(base), "%s", folder);
  *strrchr(base, '/') = '\0';
  char text[256];
  snprintf(text, sizeof(text), "parseReport %s/src/report.ts:4 for GET /x", base);
  assert_string_equal(process.names[0], text);
  snprintf(text, sizeof(text), "helper %s/src/report.ts:9", base);
  assert_string_equal(process.names[1], text);
  assert_string_equal(process.names[2], "rebuild lib/store.ts:4");
  assert_string_equal(process.names[3], "e lib/store.ts:2");
  snprintf(text, sizeof(text), "parseReport %s/src/report.ts:4", base);
  assert_string_equal(process.names[4], text);
  assert_string_equal(process.names[5], "rebuild lib/store.ts:4");
  process_end(&process);
  assert_null(script_problem_next());
}

static void a_map_beside_the_script(void** state) {
  (void) state;
  file_write("beside.js", bundle);
  file_write("beside.js.map", map_of(""));
  assert_mapped("beside.js");
}

static void a_map_that_the_script_names(void** state) {
  char text[512];
  (void) state;
  snprintf(text, sizeof(text), "%s//# sourceMappingURL=the%%20map.json\n\n", bundle);
  file_write("named.js", text);
  file_write("the map.json", map_of("."));
  assert_mapped("named.js");
}

static void a_map_in_the_script(void** state) {
  char text[4096], *out = text;
  const char* map = map_of("");
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  (void) state;
  out += sprintf(
      out, "%s//# sourceMappingURL=data:application/json;charset=utf-8;base64,", bundle);
  for (size_t i = 0; i < strlen(map); i += 3) {
    unsigned int bits = 0;
    for (size_t j = 0; j < 3; j++)
      bits = bits << 8 | (i + j < strlen(map) ? (unsigned char) map[i + j] : ' ');
    for (int shift = 18; shift >= 0; shift -= 6)
      *out++ = digits[bits >> shift & 63];
  }
  *out = '\0';
  file_write("inside.js", text);
  assert_mapped("inside.js");
}

static void a_map_in_sections(void** state) {
  const char* problem;
  struct source_place place;
  char text[4096];
  (void) state;
  snprintf(
      text, sizeof(text),
      "{\"version\":3,\"sections\":[{\"offset\":{\"line\":2,\"column\":10},\"map\":%s}]}",
      map_of("/root"));
  struct source_map* map = source_map_read(text, strlen(text), &problem);
  assert_non_null(map);
  assert_false(source_map_find(map, 1, 9, &place));
  assert_false(source_map_find(map, 3, 18, &place));
  assert_true(source_map_find(map, 3, 19, &place));
  assert_string_equal(place.source, "/root/../src/report.ts");
  assert_string_equal(place.name, "parseReport");
  assert_true(place.exact);
  assert_true(source_map_find(map, 3, 20, &place));
  assert_false(place.exact);
  source_map_free(map);
}

static void columns_are_counted_as_javascript_does(void** state) {
  static const char text[] = "var \xc3\xa4=1,\xf0\x9f\x98\x80=2;function f(){}\n";
  struct script_lines lines;
  struct script_spot spot;
  (void) state;
  script_lines_make(&lines, text, strlen(text));
  const struct script_function function = {"f", 1, 1, 24};
  assert_true(script_spot_find(&lines, &function, &spot));
  assert_true(spot.is_named);
  assert_int_equal(spot.name_column, 22);
  const struct script_function beyond = {"f", 1, 1, 2000}, no_line = {"f", 1, 9, 1};
  assert_false(script_spot_find(&lines, &beyond, &spot));
  assert_false(script_spot_find(&lines, &no_line, &spot));
  free(lines.starts);
}

/* --- what is wrong with them
 * ------------------------------------------------------------
 */

static void assert_unmapped(const char* script, uint64_t started_ns, const char* said) {
  char text[64];
  snprintf(text, sizeof(text), "a %%s/%s:1:11", script);
  const char* const names[] = {text, NULL};
  struct trace_process process = process_of(names);
  process.start_wall_ns = started_ns;
  places_read(&process);
  snprintf(text, sizeof(text), "a %%s/%s:1", script);
  assert_name(&process, 0, text);
  process_end(&process);
  const char* problem = script_problem_next();
  assert_int_equal(problem != NULL, said != NULL);
  if (said != NULL)
    assert_non_null(strstr(problem, said));
  assert_null(script_problem_next());
}

static void a_broken_map_is_ignored_with_a_line(void** state) {
  static const struct {
    const char *map, *said;
  } broken[] = {
      {"", "it isn't a source map"},
      {"nonsense", "it isn't a source map"},
      {"{\"mappings\":\"AAAA\"", "it is damaged"},
      {"{\"mappings\":\"AAAA\"}", "point outside"},
      {"{\"version\":3}", "no mappings"},
      {"{\"sources\":[\"a\"],\"mappings\":\"AA\"}", "can't be read"},
      {"{\"sources\":[\"a\"],\"mappings\":\"AAAAAA\"}", "can't be read"},
      {"{\"sources\":[\"a\"],\"mappings\":\"A\xc3\xa4"
       "AA\"}",
       "can't be read"},
      {"{\"sources\":[\"a\"],\"mappings\":\"AADA\"}", "point outside"},
      {"{\"sources\":[\"a\"],\"mappings\":\"AAAAA\"}", "point outside"},
      {"{\"sources\":[\"a\"],\"mappings\":\"ggggggggggggggggA\"}", "can't be read"},
      {"{\"sources\":[\"\\uzzzz\"],\"mappings\":\"AAAA\"}", NULL},
      {"{\"sections\":[{\"offset\":{\"line\":0},\"map\":{\"sections\":[]}}]}",
       "sections"},
      {"{\"sections\":[{}]}", "sections"},
      {"{\"sections\":[{\"map\":7}]}", "it isn't a source map"},
  };
  (void) state;
  for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
    char name[32], beside[40];
    snprintf(name, sizeof(name), "broken%zu.js", i);
    snprintf(beside, sizeof(beside), "%s.map", name);
    file_write(name, bundle);
    file_write(beside, broken[i].map);
    assert_unmapped(name, 0, broken[i].said);
  }
}

static void a_map_that_is_no_file_is_ignored(void** state) {
  char text[512];
  (void) state;
  snprintf(text, sizeof(text), "%s//# sourceMappingURL=/dev/zero\n", bundle);
  file_write("device.js", text);
  assert_unmapped("device.js", 0, "it can't be read");
  assert_int_equal(mkfifo(path_of("pipe.js.map"), 0600), 0);
  file_write("pipe.js", bundle);
  assert_unmapped("pipe.js", 0, NULL);
  snprintf(text, sizeof(text), "%s//# sourceMappingURL=https://example.com/x.map\n",
           bundle);
  file_write("far.js", text);
  assert_unmapped("far.js", 0, NULL);
  assert_unmapped("missing.js", 0, NULL);
}

static void a_script_that_changed_meanwhile_isnt_the_one_that_ran(void** state) {
  (void) state;
  file_write("changed.js", bundle);
  file_write("changed.js.map", map_of(""));
  assert_unmapped("changed.js", 1000000000u, "changed since the program began");
}

/* Depth is no recursion, and a map of nothing but numbers ends. */
static void a_map_can_neither_end_nor_stop_its_reader(void** state) {
  enum { SIZE = 1 << 20 };
  static const char* const starts[] = {
      "{\"x\":", "{\"sources\":", "{\"sections\":[{\"map\":"};
  char* text = malloc(SIZE);
  const char* problem;
  (void) state;
  for (size_t i = 0; i < 3; i++) {
    memset(text, i == 1 ? '[' : '{', SIZE);
    memcpy(text, starts[i], strlen(starts[i]));
    assert_null(source_map_read(text, SIZE, &problem));
    assert_non_null(problem);
  }
  free(text);
}

/* Each byte of a good map is changed and cut, in many ways: under the sanitizers this
 * shows what the reader does outside of its bounds. */
static void any_map_is_read_within_its_bounds(void** state) {
  const char* map = map_of("root");
  size_t size = strlen(map);
  uint32_t seed = 7;
  (void) state;
  for (int round = 0; round < 20000; round++) {
    char* copy = malloc(size);
    const char* problem;
    struct source_place place;
    memcpy(copy, map, size);
    size_t length = size;
    for (int change = 0; change < 3; change++) {
      seed = seed * 1664525 + 1013904223;
      copy[(seed >> 8) % size] = (char) ("\"\\{}[],:;A9g/u\0z"[seed >> 28]);
    }
    if (round % 3 == 0)
      length = (seed >> 4) % size;
    char* exact = malloc(length + 1);
    memcpy(exact, copy, length);
    struct source_map* read = source_map_read(exact, length, &problem);
    if (read != NULL) {
      for (uint32_t column = 0; column < 64; column += 3)
        (void) source_map_find(read, 1, column, &place);
      source_map_free(read);
    }
    free(exact);
    free(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(a_column_goes_where_the_line_says_enough),
      trace_test(a_bundle_of_long_lines_keeps_its_columns),
      trace_test(a_map_beside_the_script),
      trace_test(a_map_that_the_script_names),
      trace_test(a_map_in_the_script),
      trace_test(a_map_in_sections),
      trace_test(columns_are_counted_as_javascript_does),
      trace_test(a_broken_map_is_ignored_with_a_line),
      trace_test(a_map_that_is_no_file_is_ignored),
      trace_test(a_script_that_changed_meanwhile_isnt_the_one_that_ran),
      trace_test(a_map_can_neither_end_nor_stop_its_reader),
      trace_test(any_map_is_read_within_its_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
