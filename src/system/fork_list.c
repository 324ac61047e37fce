/* Finds glibc's list of fork handlers: see fork_list.h. */
#include "system/fork_list.h"

#include "base/base.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* An entry begins with its three functions; what follows differs between versions. */
enum { FUNCTIONS = 3, ENTRY_SIZE_MIN = 32, ENTRY_SIZE_MAX = 64, ENTRIES_MAX = 48 };

/* The header of glibc's dynamic array; `array` points to `first` until more entries are
 * needed. */
struct list_header {
  size_t used;
  size_t allocated;
  const char* array;
  char first[];
};

static const struct list_header* list; /* NULL: not found */
static size_t entry_size;
static pthread_once_t list_once = PTHREAD_ONCE_INIT;

static const void* own[16][FUNCTIONS]; /* the library's own handlers */
static _Atomic size_t own_count;
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;

extern void* __dso_handle __attribute__((visibility("hidden")));
typedef int (*register_function)(fork_handler, fork_handler, fork_handler, void*);

/* Looked up at run time, so that the object that contains the library, perhaps the whole
 * program, doesn't import the function because of it. */
#ifdef __GLIBC__
enum { HAS_LIST = 1 };

static register_function find_register(void) {
  register_function add;
  *(void**) &add = dlsym(RTLD_DEFAULT, "__register_atfork");
  return add;
}
#else
enum { HAS_LIST = 0 };

/* musl registers for the process, not for an object, and unloads none. */
static int register_for_all(fork_handler prepare, fork_handler parent, fork_handler child,
                            void* object) {
  int (*add)(fork_handler, fork_handler, fork_handler);
  (void) object;
  *(void**) &add = dlsym(RTLD_DEFAULT, "pthread_atfork");
  return add == NULL ? ENOSYS : add(prepare, parent, child);
}

static register_function find_register(void) {
  return register_for_all;
}
#endif

static const void* address_of(fork_handler handler) {
  const void* address;
  memcpy(&address, &handler, sizeof(address));
  return address;
}

static void own_note(fork_handler prepare, fork_handler parent, fork_handler child) {
  pthread_mutex_lock(&own_lock);
  if (own_count < ARRAY_LENGTH(own)) {
    own[own_count][0] = address_of(prepare);
    own[own_count][1] = address_of(parent);
    own[own_count][2] = address_of(child);
    atomic_store_explicit(&own_count, own_count + 1, memory_order_release);
  }
  pthread_mutex_unlock(&own_lock);
}

static bool is_own(const void* const* functions) {
  size_t count = atomic_load_explicit(&own_count, memory_order_acquire);
  for (size_t i = 0; i < count; i++) {
    if (memcmp(own[i], functions, sizeof(own[i])) == 0)
      return true;
  }
  return false;
}

/* A handler that can't be registered matters only to a child that continues without an
 * exec. */
void fork_list_add(fork_handler prepare, fork_handler parent, fork_handler child) {
  register_function add = find_register();
  own_note(prepare, parent, child);
  if (add != NULL)
    (void) add(prepare, parent, child, __dso_handle);
}

/* --- Where it is ------------------------------------------------------------------- */

static void mark_prepare(void) {}
static void mark_parent(void) {}
static void mark_child(void) {}

/* The range of the C library's data to search. */
struct data_range {
  uintptr_t inside; /* an address in the C library's text */
  uintptr_t start, end;
};

static int range_find(struct dl_phdr_info* object, size_t size, void* argument) {
  struct data_range* range = argument;
  bool found = false;
  (void) size;
  range->start = range->end = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD)
      continue;
    found = found || (range->inside >= start && range->inside - start < segment->p_memsz);
    if ((segment->p_flags & PF_W) != 0) {
      range->start = (start + sizeof(void*) - 1) & ~(uintptr_t) (sizeof(void*) - 1);
      range->end = start + segment->p_memsz;
    }
  }
  return found;
}

/* The next address at or after `from` that holds the two marks; 0 if there is none. */
static uintptr_t mark_find(const struct data_range* range, uintptr_t from) {
  const void* marks[FUNCTIONS] = {address_of(mark_prepare), address_of(mark_parent),
                                  address_of(mark_child)};
  for (uintptr_t at = from; at + sizeof(marks) <= range->end; at += sizeof(void*)) {
    if (memcmp((const void*) at, marks, sizeof(marks)) == 0)
      return at;
  }
  return 0;
}

static void list_find(void) {
  register_function add = find_register();
  struct data_range range = {.inside = (uintptr_t) * (void**) &add};
  if (!HAS_LIST || add == NULL ||
      add(mark_prepare, mark_parent, mark_child, __dso_handle) != 0 ||
      add(mark_prepare, mark_parent, mark_child, __dso_handle) != 0 ||
      dl_iterate_phdr(range_find, &range) == 0)
    return;
  own_note(mark_prepare, mark_parent, mark_child);
  uintptr_t one = mark_find(&range, range.start);
  uintptr_t two = one == 0 ? 0 : mark_find(&range, one + sizeof(void*));
  size_t size = two - one;
  if (two == 0 || size < ENTRY_SIZE_MIN || size > ENTRY_SIZE_MAX)
    /* Another thread has registered a handler in between, or this isn't the list. */
    return;
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    uintptr_t at = one - i * size - sizeof(struct list_header);
    if (at < range.start || at > one)
      return;
    const struct list_header* header = (const void*) at;
    if (header->array == header->first && header->used >= i + 2 &&
        header->used <= header->allocated && header->allocated <= ENTRIES_MAX) {
      list = header;
      entry_size = size;
      return;
    }
  }
}

enum fork_list_answer fork_list_search(bool (*matters)(const void* function)) {
  pthread_once(&list_once, list_find);
  if (list == NULL)
    return FORK_LIST_UNKNOWN;
  if (list->array != list->first)
    return FORK_LIST_FOUND; /* the list has moved, so there are more entries than the
                               library's own */
  size_t used = list->used < list->allocated ? list->used : list->allocated;
  for (size_t i = 0; i < used; i++) {
    const void* const* functions = (const void*) (list->first + i * entry_size);
    for (size_t j = 0; j < FUNCTIONS && !is_own(functions); j++) {
      if (functions[j] != NULL && matters(functions[j]))
        return FORK_LIST_FOUND;
    }
  }
  return FORK_LIST_NONE;
}
