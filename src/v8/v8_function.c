/* The name and place of a function: see v8_heap.h. */
#include "v8/v8_heap.h"

#include <stdio.h>
#include <string.h>

enum { POINTER = 8, NAME_MOST = 256, PATH_LONGEST = 704 };

static bool is_type(const struct v8_heap* heap, uintptr_t word, int wanted,
                    uintptr_t* address) {
  int type;
  return v8_object_open(heap, word, address, &type) && type == wanted;
}

static bool function_open(const struct v8_heap* heap, uintptr_t shared,
                          struct v8_function* found) {
  uintptr_t object;
  if (!is_type(heap, shared, heap->layout.shared_type, &object))
    return false;
  found->shared = shared;
  return v8_read_word(heap, object + (uintptr_t) heap->layout.shared_name,
                      &found->name) &&
         v8_read_word(heap, object + (uintptr_t) heap->layout.shared_script,
                      &found->script);
}

bool v8_function_of_frame(const struct v8_heap* heap, uintptr_t context,
                          uintptr_t function, struct v8_function* found) {
  const struct v8_layout* layout = &heap->layout;
  uintptr_t object, shared;
  int type;
  return v8_object_open(heap, context, &object, &type) &&
         type >= layout->context_type_first && type <= layout->context_type_last &&
         v8_object_open(heap, function, &object, &type) &&
         type >= layout->string_types_end &&
         v8_read_word(heap, object + (uintptr_t) layout->function_shared, &shared) &&
         function_open(heap, shared, found);
}

/* --- the scope's description -----------------------------------------------------------
 *
 * A row of words. Behind those of which the constants say where they are come, for a
 * function, its name, a number, and the name that V8 has inferred for it. In older V8
 * its begin and end follow, in newer ones they stand before the variables. Between the
 * variables and the name there may be a word more, and the variables' names may be a
 * table of their own: so the place is where all of them fit. */

enum {
  MORE_MOST = 2, /* words before the name */
  WORDS_READ = MORE_MOST + 5,
  LOCALS_MOST = 4096,
  VARS_AFTER_PLACE = 5, /* the value of scope_vars since the place is before */
};

struct scope {
  uintptr_t name, inferred;
  int64_t start;
};

static bool is_name(const struct v8_heap* heap, uintptr_t word) {
  uintptr_t object;
  int type;
  return word == 0 || (v8_object_open(heap, word, &object, &type) &&
                       type < heap->layout.string_types_end);
}

static bool scope_fits(const struct v8_heap* heap, const uintptr_t* words, bool has_place,
                       struct scope* scope) {
  int64_t number, end;
  scope->name = words[0];
  scope->inferred = words[2];
  return is_name(heap, words[0]) && v8_small_integer(words[1], &number) &&
         !v8_small_integer(words[2], &number) &&
         (!has_place ||
          (v8_small_integer(words[3], &scope->start) &&
           v8_small_integer(words[4], &end) && scope->start >= 0 && scope->start <= end));
}

static bool scope_look(const struct v8_heap* heap, uintptr_t address, bool has_place,
                       struct scope* scope) {
  uintptr_t words[WORDS_READ];
  if (!heap->read(heap->data, address, words, sizeof(words)))
    return false;
  for (size_t more = 0; more <= MORE_MOST; more++) {
    if (scope_fits(heap, words + more, has_place, scope))
      return true;
  }
  scope->name = scope->inferred = 0;
  return false;
}

static bool scope_read(const struct v8_heap* heap, uintptr_t word, struct scope* scope) {
  const struct v8_layout* layout = &heap->layout;
  uintptr_t object, count, start;
  int64_t locals;
  if (!is_type(heap, word, layout->scope_type, &object))
    return false;
  uintptr_t first = object + POINTER;
  uintptr_t vars = first + (uintptr_t) layout->scope_vars * POINTER;
  bool has_place = layout->scope_vars < VARS_AFTER_PLACE;
  if (!v8_read_word(heap, first + (uintptr_t) layout->scope_locals * POINTER, &count) ||
      !v8_small_integer(count, &locals) || locals < 0 || locals > LOCALS_MOST)
    return false;
  if (!has_place && (!v8_read_word(heap, vars - 2 * (uintptr_t) POINTER, &start) ||
                     !v8_small_integer(start, &scope->start)))
    return false;
  uintptr_t numbers = (uintptr_t) locals * POINTER;
  return scope_look(heap, vars + 2 * numbers, has_place, scope) ||
         (locals > 0 && scope_look(heap, vars + POINTER + numbers, has_place, scope)) ||
         !has_place;
}

/* --- the place -------------------------------------------------------------------------
 */

static bool script_field(const struct v8_heap* heap, uintptr_t script, int field,
                         uintptr_t* word) {
  return v8_read_word(heap, script + (uintptr_t) field, word);
}

/* How many lines end before the position, by the table of their ends; -1 if V8 hasn't
 * made one yet. */
static long table_lines(const struct v8_heap* heap, uintptr_t word, int64_t position) {
  const struct v8_layout* layout = &heap->layout;
  uintptr_t table, count, end;
  int64_t length, at;
  int type;
  if (!v8_object_open(heap, word, &table, &type) ||
      !v8_read_word(heap, table + (uintptr_t) layout->array_length, &count) ||
      !v8_small_integer(count, &length) || length <= 0)
    return -1;
  int64_t low = 0, high = length;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (!v8_read_word(
            heap, table + (uintptr_t) layout->array_data + (uintptr_t) middle * POINTER,
            &end) ||
        !v8_small_integer(end, &at))
      return -1;
    if (at < position)
      low = middle + 1;
    else
      high = middle;
  }
  return (long) low;
}

/* The line's number, from 1; 0 if it isn't known. */
static long script_line(const struct v8_heap* heap, uintptr_t script, int64_t position) {
  const struct v8_layout* layout = &heap->layout;
  uintptr_t ends, source, before;
  int64_t offset;
  if (!script_field(heap, script, layout->script_line_ends, &ends) ||
      !script_field(heap, script, layout->script_source, &source) ||
      !script_field(heap, script, layout->script_name + POINTER, &before) ||
      !v8_small_integer(before, &offset))
    return 0;
  long lines = table_lines(heap, ends, position);
  if (lines < 0)
    lines = v8_string_lines(heap, source, position);
  return lines < 0 ? 0 : lines + (long) offset + 1;
}

/* " /app/server.js:12"; false if the script has no name. */
static bool place_write(const struct v8_heap* heap, uintptr_t script, int64_t start,
                        const char* before, char* text, size_t size) {
  char path[PATH_LONGEST];
  uintptr_t name;
  if (!script_field(heap, script, heap->layout.script_name, &name) ||
      !v8_string_read(heap, name, path, sizeof(path)) || *path == '\0')
    return false;
  long line = script_line(heap, script, start);
  const char* plain = strncmp(path, "file://", 7) == 0 ? path + 7 : path;
  return line > 0 && snprintf(text, size, " %s%s:%ld", before, plain, line) < (int) size;
}

/* The function that has called eval. */
static bool maker_write(const struct v8_heap* heap, uintptr_t script, char* text,
                        size_t size) {
  int field = heap->layout.script_eval_position - POINTER;
  struct v8_function maker;
  struct scope scope;
  uintptr_t shared, outer;
  return script_field(heap, script, field, &shared) &&
         function_open(heap, shared, &maker) && scope_read(heap, maker.name, &scope) &&
         is_type(heap, maker.script, heap->layout.script_type, &outer) &&
         place_write(heap, outer, scope.start, "(eval) ", text, size);
}

bool v8_function_name(const struct v8_heap* heap, const struct v8_function* function,
                      char* text, size_t size) {
  char name[NAME_MOST] = "", place[PATH_LONGEST + 32];
  struct scope scope = {0};
  uintptr_t script;
  if (!is_type(heap, function->script, heap->layout.script_type, &script) ||
      !scope_read(heap, function->name, &scope))
    return false;
  if (!v8_string_read(heap, scope.name, name, sizeof(name)) || *name == '\0')
    v8_string_read(heap, scope.inferred, name, sizeof(name));
  if (!place_write(heap, script, scope.start, "", place, sizeof(place)) &&
      !maker_write(heap, script, place, sizeof(place)))
    return false;
  snprintf(text, size, "%s%s", *name == '\0' ? "(anonymous)" : name, place);
  return true;
}
