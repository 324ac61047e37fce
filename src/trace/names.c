/* Tables of names, and the files that functions come from: see names.h. */
#include "trace/names.h"

#include "base/alloc.h"
#include "trace/code.h"
#include "trace/recording.h"

#include <string.h>

/* Programs have some hundred callbacks at most; one that generates functions must not
 * fill the memory. */
enum { NAMES_FEWEST = 256, NAMES_MOST = 1 << 16 };

static size_t name_place_of(uint64_t key, size_t capacity) {
  return (size_t) (key * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
}

/* The place of the key, or the free place where it belongs. There always is one. */
static struct trace_name* name_place(const struct trace_names* names, uint64_t key) {
  size_t place = name_place_of(key, names->capacity);
  while (names->table[place].key != 0 && names->table[place].key != key)
    place = (place + 1) & (names->capacity - 1);
  return &names->table[place];
}

uint32_t names_find(const struct trace_names* names, uint64_t key) {
  return names->capacity == 0 ? 0 : name_place(names, key)->number;
}

bool names_reserve(struct trace_names* names) {
  if ((names->count + 1) * 2 <= names->capacity)
    return true;
  if (names->capacity >= NAMES_MOST)
    return false;
  struct trace_names bigger = *names;
  bigger.capacity = names->capacity == 0 ? NAMES_FEWEST : names->capacity * 2;
  bigger.table = mem_calloc(bigger.capacity, sizeof(*bigger.table));
  if (bigger.table == NULL)
    return false;
  for (size_t i = 0; i < names->capacity; i++) {
    if (names->table[i].key != 0)
      *name_place(&bigger, names->table[i].key) = names->table[i];
  }
  mem_free(names->table);
  *names = bigger;
  return true;
}

void names_add(struct trace_names* names, uint64_t key, uint32_t number) {
  struct trace_name* name = name_place(names, key);
  names->count += name->key == 0;
  name->key = key;
  name->number = number;
}

void names_free(struct trace_names* names) {
  mem_free(names->table);
}

/* Gets the recording's number for the key and stores it in the recorder's own table. */
static uint32_t name_learn(struct trace_names* known, struct trace_stream* stream,
                           uint64_t key, enum trace_kind kind, uint64_t number,
                           const char* text, size_t length) {
  if (!names_reserve(known))
    return 0;
  uint32_t name = recording_define(stream, key, kind, number, text, length);
  names_add(known, key,
            name); /* also 0: a name that found no room won't find any later */
  return name;
}

static uint32_t function_learn(struct trace_names* known, struct trace_stream* stream,
                               uint64_t key) {
  struct code_file file;
  if (!code_file_find((uintptr_t) key, &file))
    return name_learn(known, stream, key, TRACE_FUNCTION, key, "", 0);
  const char* path = *file.path == '\0' ? recording_program(stream) : file.path;
  return name_learn(known, stream, key, TRACE_FUNCTION, key - file.base, path,
                    strnlen(path, TRACE_TEXT_MAX));
}

static bool is_known(const struct trace_names* names, uint64_t key, uint32_t* number) {
  if (names->capacity == 0)
    return false;
  const struct trace_name* name = name_place(names, key);
  *number = name->number;
  return name->key != 0;
}

uint32_t name_of_function(struct trace_names* known, struct trace_stream* stream,
                          trace_function function) {
  uint64_t key = (uint64_t) (uintptr_t) function;
  uint32_t number;
  if (key == 0)
    return 0;
  if (is_known(known, key, &number))
    return number;
  return names_reserve(known) ? function_learn(known, stream, key) : 0;
}

/* Keys of addresses have the highest bit clear, keys of texts have it set. */
uint64_t name_key_of_text(const char* text) {
  uint64_t key = 0xcbf29ce484222325u;
  size_t length = strnlen(text, TRACE_TEXT_MAX);
  for (size_t i = 0; i < length; i++)
    key = (key ^ (unsigned char) text[i]) * 0x100000001b3u;
  return key | (uint64_t) 1 << 63;
}

uint32_t name_of_known_text(struct trace_names* known, struct trace_stream* stream,
                            const char* text, uint64_t key) {
  uint32_t number;
  if (is_known(known, key, &number))
    return number;
  return name_learn(known, stream, key, TRACE_TEXT, 0, text,
                    strnlen(text, TRACE_TEXT_MAX));
}

uint32_t name_of_text(struct trace_names* known, struct trace_stream* stream,
                      const char* text) {
  return name_of_known_text(known, stream, text, name_key_of_text(text));
}

/* An engine may put other code at an address later, so only the text is kept. */
uint32_t name_of_frame(struct trace_names* known, struct trace_stream* stream,
                       uintptr_t address) {
  char text[TRACE_TEXT_MAX + 1];
  if (code_name_find(address, text, sizeof(text)))
    return name_of_text(known, stream, text);
  return name_of_function(known, stream, (trace_function) address);
}
