#include "trace/names.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "trace/recorder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Programs have some hundred callbacks at most; one that makes them up as it goes must
 * not fill the memory. */
enum { NAMES_FEWEST = 256, NAMES_MOST = 1 << 16 };

static size_t place_of(uint64_t key, size_t capacity) {
  return (size_t) (key * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
}

/* The place of the key, or the free place where it belongs. There is always one. */
static struct trace_name* find(const struct trace_names* names, uint64_t key) {
  size_t place = place_of(key, names->capacity);
  while (names->table[place].key != 0 && names->table[place].key != key)
    place = (place + 1) & (names->capacity - 1);
  return &names->table[place];
}

static bool names_grow(struct trace_names* names) {
  if ((names->count + 1) * 2 <= names->capacity)
    return true;
  if (names->capacity >= NAMES_MOST)
    return false;
  struct trace_names bigger = {.count = names->count};
  bigger.capacity = names->capacity == 0 ? NAMES_FEWEST : names->capacity * 2;
  bigger.table = mem_calloc(bigger.capacity, sizeof(*bigger.table));
  if (bigger.table == NULL)
    return false;
  for (size_t i = 0; i < names->capacity; i++) {
    if (names->table[i].key != 0)
      *find(&bigger, names->table[i].key) = names->table[i];
  }
  mem_free(names->table);
  *names = bigger;
  return true;
}

/* Writes a name down and keeps it. */
static uint32_t name_add(struct recorder* recorder, uint64_t key, enum trace_kind kind,
                         uint64_t number, const char* text, size_t length) {
  const size_t size = sizeof(struct trace_record);
  if (!names_grow(&recorder->names))
    return 0;
  size_t slots = (length + size - 1) / size;
  struct trace_record* record = record_next(recorder, slots);
  if (record == NULL)
    return 0;
  struct trace_name* name = find(&recorder->names, key);
  name->key = key;
  name->number = ++recorder->names.count;
  memcpy(record + 1, text, length);
  record->number = number;
  record->name = name->number;
  record->detail = (int32_t) length;
  record_commit(recorder, record, kind, clock_now_ns());
  return name->number;
}

/* The program itself is known to the loader by the name it was called by, which means
 * nothing once the working directory has changed. */
static const char* file_of(const Dl_info* info, const struct recorder* recorder,
                           char* absolute) {
  Dl_info program;
  if (dladdr((void*) (uintptr_t) getauxval(AT_ENTRY), &program) != 0 &&
      program.dli_fbase == info->dli_fbase)
    return recorder->output.header->program;
  if (info->dli_fname == NULL)
    return "";
  return realpath(info->dli_fname, absolute) != NULL ? absolute : info->dli_fname;
}

uint32_t name_of_function(struct recorder* recorder, trace_function function) {
  uint64_t key = (uint64_t) (uintptr_t) function;
  if (key == 0)
    return 0;
  if (recorder->names.capacity != 0) {
    const struct trace_name* known = find(&recorder->names, key);
    if (known->key != 0)
      return known->number;
  }
  if (recorder->output.full || !names_grow(&recorder->names))
    return 0; /* the look-up takes its time */
  Dl_info info;
  if (dladdr((void*) (uintptr_t) key, &info) == 0 || info.dli_fbase == NULL)
    return name_add(recorder, key, TRACE_FUNCTION, key, "", 0);
  char absolute[PATH_MAX];
  const char* file = file_of(&info, recorder, absolute);
  return name_add(recorder, key, TRACE_FUNCTION, key - (uintptr_t) info.dli_fbase, file,
                  strnlen(file, TRACE_TEXT_MAX));
}

/* Addresses have their highest bit clear, texts have it set. */
uint32_t name_of_text(struct recorder* recorder, const char* text) {
  uint64_t key = 0xcbf29ce484222325u;
  size_t length = strnlen(text, TRACE_TEXT_MAX);
  for (size_t i = 0; i < length; i++)
    key = (key ^ (unsigned char) text[i]) * 0x100000001b3u;
  key |= (uint64_t) 1 << 63;
  if (recorder->names.capacity != 0) {
    const struct trace_name* known = find(&recorder->names, key);
    if (known->key != 0)
      return known->number;
  }
  return name_add(recorder, key, TRACE_TEXT, 0, text, length);
}

void names_free(struct trace_names* names) {
  mem_free(names->table);
}
