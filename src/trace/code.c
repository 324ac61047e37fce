/* Which code an address belongs to: see code.h.
 *
 * dladdr would search the symbols of the file as well, 100,000 of them in Node, which
 * takes a millisecond for an address. The look-up here finds only the file.
 *
 * Engines announce a great many pieces of code, and few are ever looked up. So a new
 * piece is appended to a list. The list is sorted, and pieces that have been overwritten
 * are removed, when a look-up needs it or when too many unsorted pieces have been
 * appended. */
#include "trace/code.h"

#include "base/alloc.h"
#include "base/base.h"
#include "rondo.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- files ---------------------------------------------------------------------------
 */

/* Never freed: a library may be unloaded before the recording is read, and there are few.
 */
struct object {
  struct object* next;
  uintptr_t base;
  char* loader_name;
  char* path;
};

static struct object* objects;

struct object_search {
  uintptr_t address;
  uintptr_t base;
  const char* name;
  bool is_program;
  bool found;
};

static bool code_object_has(const struct dl_phdr_info* info, uintptr_t address) {
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD &&
        address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
      return true;
  }
  return false;
}

static uintptr_t object_base(const struct dl_phdr_info* info) {
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD)
      return info->dlpi_addr + segment->p_vaddr - segment->p_offset;
  }
  return info->dlpi_addr;
}

/* The loader lists the main program first. */
static int object_look(struct dl_phdr_info* info, size_t size, void* data) {
  struct object_search* search = data;
  (void) size;
  if (!code_object_has(info, search->address)) {
    search->is_program = false;
    return 0;
  }
  search->base = object_base(info);
  search->name = info->dlpi_name == NULL ? "" : info->dlpi_name;
  search->found = true;
  return 1;
}

/* With the lock held. NULL without memory. */
static const struct object* object_keep(const struct object_search* search) {
  char absolute[PATH_MAX];
  for (const struct object* object = objects; object != NULL; object = object->next) {
    if (object->base == search->base && strcmp(object->loader_name, search->name) == 0)
      return object;
  }
  struct object* object = mem_calloc(1, sizeof(*object));
  if (object == NULL)
    return NULL;
  object->base = search->base;
  object->loader_name = mem_strdup(search->name);
  object->path = mem_strdup(search->is_program                         ? ""
                            : realpath(search->name, absolute) != NULL ? absolute
                                                                       : search->name);
  if (object->loader_name == NULL || object->path == NULL) {
    mem_free(object->loader_name);
    mem_free(object->path);
    mem_free(object);
    return NULL;
  }
  object->next = objects;
  objects = object;
  return object;
}

bool code_file_find(uintptr_t address, struct code_file* file) {
  struct object_search search = {.address = address, .is_program = true};
  dl_iterate_phdr(object_look, &search);
  if (!search.found)
    return false;
  pthread_mutex_lock(&code_lock);
  const struct object* object = object_keep(&search);
  pthread_mutex_unlock(&code_lock);
  if (object == NULL)
    return false;
  *file = (struct code_file){object->base, object->path};
  return true;
}

struct file_visit {
  code_file_visitor each;
  void* data;
};

static int file_visit(struct dl_phdr_info* info, size_t size, void* data) {
  const struct file_visit* visit = data;
  uintptr_t start = UINTPTR_MAX, end = 0;
  (void) size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD)
      continue;
    start = from < start ? from : start;
    end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
  }
  const char* path = info->dlpi_name == NULL ? "" : info->dlpi_name;
  return !visit->each(visit->data, start, end, object_base(info), path);
}

void code_files_visit(code_file_visitor each, void* data) {
  struct file_visit visit = {each, data};
  dl_iterate_phdr(file_visit, &visit);
}

/* --- generated code ------------------------------------------------------------------
 */

enum { CODE_BEHIND_MOST = 4096, CODE_MOST = 1 << 20 };

struct code {
  uintptr_t start;
  size_t size;
  uint64_t age; /* number of its announcement; a later one overwrites an earlier one */
  char* name;
};

static struct {
  struct code* list;
  size_t sorted, count,
      capacity; /* the first `sorted` ones are in order and don't overlap */
  uint64_t announced;
} codes;

/* The range of all announced code; read without the lock. */
static _Atomic uintptr_t code_lowest = UINTPTR_MAX, code_highest;

static bool code_overlaps(const struct code* left, const struct code* right) {
  return left->start < right->start + right->size &&
         right->start < left->start + left->size;
}

static int code_order(const void* left, const void* right) {
  const struct code *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->age < b->age ? -1 : a->age > b->age;
}

/* Pieces come in the order of their starts, so only the last one in the list can overlap
 * this one. */
static void code_put(struct code* to, size_t* count, struct code code) {
  if (*count == 0 || !code_overlaps(&to[*count - 1], &code)) {
    to[(*count)++] = code;
    return;
  }
  struct code* last = &to[*count - 1];
  mem_free(last->age < code.age ? last->name : code.name);
  if (last->age < code.age)
    *last = code;
}

/* Without memory the unsorted pieces stay where they are. */
static void code_sort(void) {
  size_t behind = codes.count - codes.sorted;
  if (behind == 0)
    return;
  struct code* merged = mem_alloc(codes.capacity * sizeof(*merged));
  if (merged == NULL)
    return;
  qsort(codes.list + codes.sorted, behind, sizeof(*codes.list), code_order);
  size_t count = 0, left = 0, right = codes.sorted;
  while (left < codes.sorted || right < codes.count) {
    bool from_left =
        right == codes.count ||
        (left < codes.sorted && code_order(&codes.list[left], &codes.list[right]) < 0);
    code_put(merged, &count, codes.list[from_left ? left++ : right++]);
  }
  mem_free(codes.list);
  codes.list = merged;
  codes.sorted = codes.count = count;
}

static bool code_reserve(void) {
  if (codes.count - codes.sorted >= CODE_BEHIND_MOST)
    code_sort();
  if (codes.count < codes.capacity)
    return true;
  if (codes.count >= CODE_MOST)
    return false;
  size_t more = codes.capacity == 0 ? 1024 : codes.capacity * 2;
  struct code* bigger = mem_realloc(codes.list, more * sizeof(*bigger));
  if (bigger == NULL)
    return false;
  codes.list = bigger;
  codes.capacity = more;
  return true;
}

/* Takes ownership of the name. */
static void code_add(uintptr_t start, size_t size, char* name) {
  if (name == NULL || !code_reserve()) {
    mem_free(name);
    return;
  }
  codes.list[codes.count++] = (struct code){start, size, ++codes.announced, name};
  if (start < atomic_load_explicit(&code_lowest, memory_order_relaxed))
    atomic_store_explicit(&code_lowest, start, memory_order_relaxed);
  if (start + size > atomic_load_explicit(&code_highest, memory_order_relaxed))
    atomic_store_explicit(&code_highest, start + size, memory_order_relaxed);
}

/* The last piece of the sorted part that starts at or before the address; NULL if none.
 */
static const struct code* code_before(uintptr_t address) {
  size_t low = 0, high = codes.sorted;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (codes.list[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? NULL : &codes.list[low - 1];
}

static const struct code* code_starting_at(uintptr_t start) {
  for (size_t i = codes.count; i > codes.sorted; i--) {
    if (codes.list[i - 1].start == start)
      return &codes.list[i - 1];
  }
  const struct code* code = code_before(start);
  return code != NULL && code->start == start ? code : NULL;
}

void rondo_trace_code(const void* start, size_t size, const char* name) {
  uintptr_t address = (uintptr_t) start;
  if (size == 0 || name == NULL || address + size < address)
    return;
  pthread_mutex_lock(&code_lock);
  code_add(address, size, mem_strdup(name));
  pthread_mutex_unlock(&code_lock);
}

void rondo_trace_code_moved(const void* from, const void* to) {
  pthread_mutex_lock(&code_lock);
  const struct code* code = code_starting_at((uintptr_t) from);
  if (code != NULL)
    code_add((uintptr_t) to, code->size, mem_strdup(code->name));
  pthread_mutex_unlock(&code_lock);
}

bool code_name_find(uintptr_t address, char* text, size_t size) {
  if (address < atomic_load_explicit(&code_lowest, memory_order_relaxed) ||
      address >= atomic_load_explicit(&code_highest, memory_order_relaxed))
    return false;
  pthread_mutex_lock(&code_lock);
  code_sort();
  const struct code* code = code_before(address);
  bool found = code != NULL && address - code->start < code->size;
  if (found) {
    size_t length = strnlen(code->name, size - 1);
    memcpy(text, code->name, length);
    text[length] = '\0';
  }
  pthread_mutex_unlock(&code_lock);
  return found;
}
