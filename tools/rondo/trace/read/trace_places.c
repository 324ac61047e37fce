/* Names with places in scripts: see trace_places.h. */
#include "trace_places.h"

#include "script_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines that people write are shorter. */
enum { LINE_LONG = 300 };

/* "microtasks of onFile /app/server.js:12:9 for GET /file" */
struct named_place {
  size_t name;           /* the index of its text in the process */
  size_t begin;          /* of the function's name, */
  size_t path;           /* of the path, */
  size_t line_at;        /* of ":12", */
  size_t column_at, end; /* of ":9", and of what follows */
  uint32_t line, column; /* column 0: it has none */
};

/* The index of ":number" that ends at `end`; `end` if there is none. */
static size_t number_before(const char* text, size_t end, uint32_t* number) {
  uint64_t value = 0, unit = 1;
  size_t at = end;
  for (; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && unit < 1000000000;
       at--, unit *= 10)
    value += unit * (uint64_t) (text[at - 1] - '0');
  if (at == 0 || at == end || text[at - 1] != ':')
    return end;
  *number = (uint32_t) value;
  return at - 1;
}

/* Where the word before `end` begins; behind a space, or at the text's beginning. */
static size_t word_before(const char* text, size_t end) {
  while (end > 0 && text[end - 1] != ' ')
    end--;
  return end;
}

/* The last " /" before `end`, or the beginning: a path may have spaces in it. */
static size_t path_before(const char* text, size_t end) {
  for (size_t at = end; at > 1; at--) {
    if (text[at - 1] == '/' && text[at - 2] == ' ')
      return at - 1;
  }
  return end;
}

static bool is_script(const char* path, size_t length) {
  static const char* const ends[] = {".js", ".mjs", ".cjs", ".jsx", ".bundle"};
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    size_t size = strlen(ends[i]);
    if (length > size && memcmp(path + length - size, ends[i], size) == 0)
      return true;
  }
  return false;
}

/* "GET /users/1:2": a request without a place. */
static bool is_route(const char* text, const struct named_place* place) {
  size_t at = place->begin;
  while (at < place->path - 1 && text[at] >= 'A' && text[at] <= 'Z')
    at++;
  return at == place->path - 1 &&
         !is_script(text + place->path, place->line_at - place->path);
}

static bool place_at(const char* text, size_t end, struct named_place* place) {
  uint32_t first = 0, second = 0;
  size_t last = number_before(text, end, &second);
  size_t before = last == end ? end : number_before(text, last, &first);
  if (last == end)
    return false;
  bool two = before != last;
  place->line = two ? first : second;
  place->column = two ? second : 0;
  place->line_at = two ? before : last;
  place->column_at = two ? last : end;
  place->end = end;
  place->path = path_before(text, place->line_at);
  if (place->path == place->line_at || place->path < 2)
    return false;
  place->begin = word_before(text, place->path - 1);
  return place->line > 0 && !is_route(text, place);
}

/* The place at the end of the text or of a word in it, the last one. */
static bool place_find(const char* text, struct named_place* place) {
  size_t length = strlen(text);
  for (size_t end = length; end > 0; end--) {
    if ((end == length || text[end] == ' ') && text[end - 1] >= '0' &&
        text[end - 1] <= '9' && place_at(text, end, place))
      return true;
  }
  return false;
}

/* --- one name
 * ---------------------------------------------------------------------------
 */

static char* text_join(const char* text, const struct named_place* place,
                       const struct script_origin* origin) {
  size_t own = place->path - 1 - place->begin;
  const char* name = origin->name == NULL ? text + place->begin : origin->name;
  int name_length = origin->name == NULL ? (int) own : (int) strlen(origin->name);
  size_t size = place->begin + (size_t) name_length + strlen(origin->path) +
                strlen(text + place->end) + 16;
  char* whole = malloc(size);
  if (whole == NULL)
    out_of_memory();
  snprintf(whole, size, "%.*s%.*s %s:%u%s", (int) place->begin, text, name_length, name,
           origin->path, (unsigned int) origin->line, text + place->end);
  return whole;
}

static char* place_mapped(const char* text, const struct named_place* place,
                          uint64_t loaded_ns) {
  size_t length = place->line_at - place->path;
  struct script_function function = {text + place->begin, place->path - 1 - place->begin,
                                     place->line, place->column};
  struct script_origin origin;
  if (!is_script(text + place->path, length) ||
      !script_origin_find(text + place->path, length, loaded_ns, &function, &origin))
    return NULL;
  char* whole = text_join(text, place, &origin);
  free(origin.name);
  free(origin.path);
  return whole;
}

char* place_written(const char* name, uint64_t loaded_ns) {
  struct named_place place = {.name = 0};
  return place_find(name, &place) ? place_mapped(name, &place, loaded_ns) : NULL;
}

/* True if a source map knows where the function was written. */
static bool place_map(struct trace_process* process, const struct named_place* place) {
  char* text = process->names[place->name];
  char* whole = place_mapped(text, place, process->start_wall_ns);
  if (whole == NULL)
    return false;
  process->names[place->name] = whole;
  free(text);
  return true;
}

static void column_cut(struct trace_process* process, const struct named_place* place) {
  char* text = process->names[place->name];
  memmove(text + place->column_at, text + place->end, strlen(text + place->end) + 1);
}

/* --- all of them
 * ------------------------------------------------------------------------
 */

struct listed {
  const char* text;
  struct named_place place;
};

static int compare_part(const char* a, size_t a_length, const char* b, size_t b_length) {
  size_t least = a_length < b_length ? a_length : b_length;
  int order = memcmp(a, b, least);
  return order != 0 ? order : a_length < b_length ? -1 : a_length > b_length;
}

static int by_path(const void* left, const void* right) {
  const struct listed *a = left, *b = right;
  return compare_part(a->text + a->place.path, a->place.line_at - a->place.path,
                      b->text + b->place.path, b->place.line_at - b->place.path);
}

/* By script, line and name: the order in which neighbours could be mistaken. */
static int by_place(const void* left, const void* right) {
  const struct listed *a = left, *b = right;
  int order = by_path(a, b);
  if (order != 0)
    return order;
  if (a->place.line != b->place.line)
    return a->place.line < b->place.line ? -1 : 1;
  order = compare_part(a->text + a->place.begin, a->place.path - a->place.begin,
                       b->text + b->place.begin, b->place.path - b->place.begin);
  if (order != 0)
    return order;
  return a->place.column < b->place.column ? -1 : a->place.column > b->place.column;
}

static bool is_same_function(const struct listed* a, const struct listed* b) {
  return by_path(a, b) == 0 && a->place.line == b->place.line &&
         compare_part(a->text + a->place.begin, a->place.path - a->place.begin,
                      b->text + b->place.begin, b->place.path - b->place.begin) == 0;
}

/* The function that is all of a script begins where the script does. */
static bool is_whole(const struct named_place* place) {
  return place->line == 1 && place->column == 1;
}

/* Entries of one script, sorted. */
static void columns_choose(struct trace_process* process, struct listed* list,
                           size_t count) {
  bool is_long = false;
  for (size_t i = 0; i < count; i++)
    is_long |= list[i].place.column > LINE_LONG;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && is_same_function(&list[i], &list[next]);)
      next++;
    bool several = list[i].place.column != list[next - 1].place.column;
    for (size_t j = i; j < next; j++) {
      if ((!several && !is_long) || is_whole(&list[j].place))
        column_cut(process, &list[j].place);
    }
  }
}

void places_read(struct trace_process* process) {
  struct listed* list = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < process->name_count; i++) {
    struct named_place place = {.name = i};
    if (!place_find(process->names[i], &place) || place_map(process, &place) ||
        place.column == 0)
      continue;
    list = array_grow(list, count, &capacity, sizeof(*list));
    list[count++] = (struct listed){process->names[i], place};
  }
  if (count > 1)
    qsort(list, count, sizeof(*list), by_place);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && by_path(&list[i], &list[next]) == 0;)
      next++;
    columns_choose(process, &list[i], next - i);
  }
  free(list);
}
