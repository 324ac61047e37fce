/* Reading source maps: see source_map.h. The mappings are lines, separated by ";", of
 * segments, separated by ",": numbers in base64, relative to those of the segment before.
 */
#include "source_map.h"

#include "json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS_MOST = 8000000, TEXTS_MOST = 2000000 };
static const uint32_t NOTHING = UINT32_MAX;
static const char no_memory[] = "there is no memory for it";

struct segment {
  uint32_t line, column; /* in the bundle, from 0 */
  uint32_t source;       /* or NOTHING */
  uint32_t source_line;  /* from 0 */
  uint32_t name;         /* or NOTHING */
};

struct texts {
  char** list; /* an entry may be NULL */
  size_t count, capacity;
};

struct source_map {
  struct segment* segments; /* sorted */
  size_t count, capacity;
  struct texts sources, names;
};

/* One map, or one section of it. */
struct part {
  char *root, *mappings;
  size_t root_length, mappings_length;
  uint32_t line, column; /* where it begins in the bundle */
  size_t first_source, first_name;
  bool has_sections, is_section;
};

static bool list_grow(void* list, size_t count, size_t* capacity, size_t size) {
  void* old;
  memcpy(&old, list, sizeof(old));
  if (count < *capacity)
    return true;
  size_t more = *capacity == 0 ? 64 : *capacity * 2;
  void* bigger = realloc(old, more * size);
  if (bigger == NULL)
    return false;
  memcpy(list, &bigger, sizeof(bigger));
  *capacity = more;
  /* cppcheck-suppress memleak ; *list has it now */
  return true;
}

static bool texts_add(struct texts* texts, char* text) {
  if (!list_grow(&texts->list, texts->count, &texts->capacity, sizeof(char*)))
    return false;
  texts->list[texts->count++] = text;
  return true;
}

static void texts_free(struct texts* texts) {
  for (size_t i = 0; i < texts->count; i++)
    free(texts->list[i]);
  free(texts->list);
}

/* --- the mappings ---------------------------------------------------------------------
 */

/* One number, base64 digits of five bits, the lowest first; the lowest bit is the sign.
 */
static bool number_take(const char** at, const char* end, int64_t* number) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned int most = 30;
  uint64_t bits = 0;
  for (unsigned int shift = 0; shift <= most && *at < end && **at != '\0'; shift += 5) {
    const char* found = strchr(digits, **at);
    if (found == NULL)
      return false;
    uint64_t digit = (uint64_t) (found - digits);
    bits |= (digit & 31) << shift;
    ++*at;
    if ((digit & 32) == 0) {
      int64_t value = (int64_t) (bits >> 1);
      *number = (bits & 1) != 0 ? -value : value;
      return true;
    }
  }
  return false;
}

/* The numbers to which a segment's are relative. */
struct sums {
  int64_t column, source, line, source_column, name;
};

static bool is_between(int64_t number, size_t most) {
  return number >= 0 && (uint64_t) number < most;
}

/* Segments have one number, four or five. */
static bool segment_take(const char** at, const char* end, struct sums* sums,
                         unsigned int* count) {
  int64_t* const order[] = {&sums->column, &sums->source, &sums->line,
                            &sums->source_column, &sums->name};
  for (*count = 0; *at < end && **at != ',' && **at != ';'; ++*count) {
    int64_t number;
    if (*count == 5 || !number_take(at, end, &number))
      return false;
    *order[*count] += number;
  }
  return *count == 1 || *count == 4 || *count == 5;
}

static const char* segment_add(struct source_map* map, const struct part* part,
                               const struct sums* sums, unsigned int count,
                               uint32_t line) {
  size_t sources = map->sources.count - part->first_source;
  size_t names = map->names.count - part->first_name;
  if (!is_between(sums->column, INT32_MAX) ||
      (count >= 4 &&
       (!is_between(sums->source, sources) || !is_between(sums->line, INT32_MAX))) ||
      (count == 5 && !is_between(sums->name, names)))
    return "its mappings point outside of it";
  if (map->count == SEGMENTS_MOST)
    return "it is too large";
  if (!list_grow(&map->segments, map->count, &map->capacity, sizeof(*map->segments)))
    return no_memory;
  map->segments[map->count++] = (struct segment){
      part->line + line, (uint32_t) sums->column + (line == 0 ? part->column : 0),
      count >= 4 ? (uint32_t) (part->first_source + (size_t) sums->source) : NOTHING,
      count >= 4 ? (uint32_t) sums->line : 0,
      count == 5 ? (uint32_t) (part->first_name + (size_t) sums->name) : NOTHING};
  return NULL;
}

static const char* mappings_take(struct source_map* map, const struct part* part) {
  const char *at = part->mappings, *end = at + part->mappings_length;
  const char* problem = NULL;
  struct sums sums = {0};
  uint32_t line = 0;
  while (at < end && problem == NULL) {
    unsigned int count;
    if (*at == ';') {
      line++;
      sums.column = 0;
      at++;
    } else if (*at == ',') {
      at++;
    } else if (segment_take(&at, end, &sums, &count)) {
      problem = segment_add(map, part, &sums, count, line);
    } else {
      problem = "its mappings can't be read";
    }
  }
  return problem;
}

static int by_place(const void* left, const void* right) {
  const struct segment *a = left, *b = right;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->column < b->column ? -1 : a->column > b->column;
}

/* Nearly all maps are sorted already. */
static void segments_sort(struct source_map* map) {
  for (size_t i = 1; i < map->count; i++) {
    if (by_place(&map->segments[i - 1], &map->segments[i]) > 0) {
      qsort(map->segments, map->count, sizeof(*map->segments), by_place);
      return;
    }
  }
}

/* --- the map around them
 * ----------------------------------------------------------------
 */

/* Sources and names; one that isn't a string, such as null, is not known. */
static const char* texts_take(struct json_reader* json, struct texts* texts) {
  bool first = true;
  if (!json_take(json, '['))
    return "it isn't a source map";
  while (json_more(json, ']', &first)) {
    size_t length;
    char* text = json_next(json) == '"' ? json_string(json, &length) : NULL;
    if (text == NULL && !json_skip(json))
      return "it is damaged";
    if (texts->count == TEXTS_MOST || !texts_add(texts, text)) {
      free(text);
      return "it is too large";
    }
  }
  return json->at[-1] == ']' ? NULL : "it is damaged";
}

static const char* part_take(struct source_map* map, struct json_reader* json,
                             struct part* part);

static const char* offset_take(struct json_reader* json, struct part* part) {
  bool first = true, good = json_take(json, '{');
  while (good && json_more(json, '}', &first)) {
    size_t length;
    char* key = json_string(json, &length);
    good = key != NULL && json_take(json, ':') &&
           (strcmp(key, "line") == 0     ? json_natural(json, &part->line)
            : strcmp(key, "column") == 0 ? json_natural(json, &part->column)
                                         : json_skip(json));
    free(key);
  }
  return good && json->at[-1] == '}' ? NULL : "its sections can't be read";
}

/* The offset may stand behind the map which it is about, so that is read afterwards. */
static const char* section_take(struct source_map* map, struct json_reader* json) {
  struct part part = {.is_section = true};
  struct json_reader inner = {0};
  const char* problem = json_take(json, '{') ? NULL : "its sections can't be read";
  bool first = true;
  while (problem == NULL && json_more(json, '}', &first)) {
    size_t length;
    char* key = json_string(json, &length);
    if (key == NULL || !json_take(json, ':')) {
      problem = "its sections can't be read";
    } else if (strcmp(key, "offset") == 0) {
      problem = offset_take(json, &part);
    } else {
      struct json_reader value = *json;
      problem = json_skip(json) ? NULL : "its sections can't be read";
      if (strcmp(key, "map") == 0)
        inner = (struct json_reader){value.at, json->at};
    }
    free(key);
  }
  if (problem == NULL && inner.at == NULL)
    problem = "its sections have no maps";
  return problem != NULL ? problem : part_take(map, &inner, &part);
}

static const char* sections_take(struct source_map* map, struct json_reader* json,
                                 struct part* part) {
  const char* problem =
      json_take(json, '[') && !part->is_section ? NULL : "its sections can't be read";
  bool first = true;
  part->has_sections = true;
  while (problem == NULL && json_more(json, ']', &first))
    problem = section_take(map, json);
  return problem;
}

static const char* entry_take(struct source_map* map, struct json_reader* json,
                              struct part* part, const char* key) {
  if (strcmp(key, "sources") == 0)
    return texts_take(json, &map->sources);
  if (strcmp(key, "names") == 0)
    return texts_take(json, &map->names);
  if (strcmp(key, "sections") == 0)
    return sections_take(map, json, part);
  if (strcmp(key, "mappings") == 0 && part->mappings == NULL) {
    part->mappings = json_string(json, &part->mappings_length);
    return part->mappings == NULL ? "its mappings can't be read" : NULL;
  }
  if (strcmp(key, "sourceRoot") == 0 && part->root == NULL && json_next(json) == '"') {
    part->root = json_string(json, &part->root_length);
    return part->root == NULL ? "it is damaged" : NULL;
  }
  return json_skip(json) ? NULL : "it is damaged";
}

/* Puts the root before each source of a part. */
static bool sources_root(struct source_map* map, const struct part* part) {
  if (part->root == NULL || part->root_length == 0)
    return true;
  const char* slash = part->root[part->root_length - 1] == '/' ? "" : "/";
  for (size_t i = part->first_source; i < map->sources.count; i++) {
    char* source = map->sources.list[i];
    if (source == NULL || *source == '/' || strstr(source, "://") != NULL)
      continue;
    size_t size = part->root_length + strlen(source) + 2;
    char* whole = malloc(size);
    if (whole == NULL)
      return false;
    snprintf(whole, size, "%s%s%s", part->root, slash, source);
    free(source);
    map->sources.list[i] = whole;
  }
  return true;
}

static const char* part_take(struct source_map* map, struct json_reader* json,
                             struct part* part) {
  const char* problem = json_take(json, '{') ? NULL : "it isn't a source map";
  bool first = true;
  part->first_source = map->sources.count;
  part->first_name = map->names.count;
  while (problem == NULL && json_more(json, '}', &first)) {
    size_t length;
    char* key = json_string(json, &length);
    problem = key == NULL || !json_take(json, ':') ? "it isn't a source map"
                                                   : entry_take(map, json, part, key);
    free(key);
  }
  if (problem == NULL && json->at[-1] != '}')
    problem = "it is damaged";
  if (problem == NULL && part->mappings == NULL && !part->has_sections)
    problem = "it has no mappings";
  if (problem == NULL && !sources_root(map, part))
    problem = no_memory;
  if (problem == NULL && part->mappings != NULL)
    problem = mappings_take(map, part);
  free(part->root);
  free(part->mappings);
  return problem;
}

struct source_map* source_map_read(const char* bytes, size_t size, const char** problem) {
  struct source_map* map = calloc(1, sizeof(*map));
  struct json_reader json = {bytes, bytes + size};
  struct part whole = {0};
  *problem = no_memory;
  if (map == NULL)
    return NULL;
  /* A first line that keeps browsers from running the map as a script. */
  if (size >= 4 && memcmp(bytes, ")]}'", 4) == 0) {
    const char* line = memchr(bytes, '\n', size);
    json.at = line == NULL ? json.end : line;
  }
  *problem = part_take(map, &json, &whole);
  if (*problem == NULL) {
    segments_sort(map);
    return map;
  }
  source_map_free(map);
  return NULL;
}

void source_map_free(struct source_map* map) {
  if (map == NULL)
    return;
  texts_free(&map->sources);
  texts_free(&map->names);
  free(map->segments);
  free(map);
}

bool source_map_find(const struct source_map* map, uint32_t line, uint32_t column,
                     struct source_place* place) {
  const struct segment wanted = {.line = line - 1, .column = column};
  size_t low = 0, high = map->count;
  while (low < high) { /* the first segment behind the place */
    size_t middle = low + (high - low) / 2;
    if (by_place(&map->segments[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (line == 0 || low == 0)
    return false;
  const struct segment* found = &map->segments[low - 1];
  if (found->line != wanted.line || found->source == NOTHING ||
      map->sources.list[found->source] == NULL)
    return false;
  *place =
      (struct source_place){map->sources.list[found->source], found->source_line + 1,
                            found->name == NOTHING ? NULL : map->names.list[found->name],
                            found->column == column};
  return true;
}
