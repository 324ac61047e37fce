/* Objects that are loaded later. The loader calls a function that does nothing, for
 * debuggers, whenever its list of objects has changed: after new ones were mapped and
 * before they are relocated and initialised (r_brk, see <link.h>). The loader's function
 * is made to jump to a function that examines the new objects. Interposing dlopen would
 * change the caller's address, on which the loader's search depends, and would see an
 * object only after its constructors have run. An audit library costs a second C library
 * in each process and, before glibc 2.35, a detour in each call between libraries. */
#include "adopt.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* An object is identified by the address of its headers. */
struct known_object {
  const Elf64_Phdr* segments;
  uintptr_t base;
  bool seen;
};

static struct known_object first_known[256];
static struct known_object* known = first_known;
static size_t known_count;
static size_t known_capacity = sizeof(first_known) / sizeof(first_known[0]);
/* None yet: musl begins to count at 0. */
static unsigned long long known_changes = ~0ULL;
static bool watching;

bool loader_is_watching(void) {
  return watching;
}

static bool known_grow(void) {
  size_t capacity = known_capacity * 2;
  struct known_object* grown =
      mmap(NULL, capacity * sizeof(known[0]), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (grown == MAP_FAILED)
    return false;
  memcpy(grown, known, known_count * sizeof(known[0]));
  if (known != first_known)
    munmap(known, known_capacity * sizeof(known[0]));
  known = grown;
  known_capacity = capacity;
  return true;
}

/* False if the object was known. */
static bool known_add(const struct dl_phdr_info* info) {
  for (size_t i = 0; i < known_count; i++) {
    if (known[i].segments == info->dlpi_phdr && known[i].base == info->dlpi_addr) {
      known[i].seen = true;
      return false;
    }
  }
  if (known_count == known_capacity && !known_grow())
    return false;
  known[known_count++] = (struct known_object){info->dlpi_phdr, info->dlpi_addr, true};
  return true;
}

static int look_at(struct dl_phdr_info* info, size_t size, void* argument) {
  /* Static because it is large; the loader's lock is held. */
  static struct adopt_object object;
  bool* changed = argument;
  (void) size;
  if (!*changed) {
    if (known_changes == info->dlpi_adds + info->dlpi_subs)
      return 1;
    known_changes = info->dlpi_adds + info->dlpi_subs;
    *changed = true;
  }
  if (known_add(info) && object_read(&object, info))
    adopt_object_try(&object);
  return 0;
}

static void forget_unloaded(void) {
  size_t kept = 0;
  for (size_t i = 0; i < known_count; i++) {
    struct known_object object = known[i];
    if (object.seen) {
      object.seen = false;
      known[kept++] = object;
      continue;
    }
    for (struct adoption* adoption = adoptions; adoption != NULL;
         adoption = adoption->next) {
      if (adoption->object.segments == object.segments &&
          adoption->object.base == object.base) {
        adopt_forget(adoption);
        break;
      }
    }
  }
  known_count = kept;
}

void loader_look(void) {
  bool changed = false;
  dl_iterate_phdr(look_at, &changed);
  if (changed)
    forget_unloaded();
}

#ifndef __GLIBC__
/* The first object is the program. */
static int debug_find(struct dl_phdr_info* info, size_t size, void* argument) {
  const struct r_debug** found = argument;
  (void) size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    const ElfW(Dyn)* entry = (const void*) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_DEBUG)
        *found = (const void*) entry->d_un.d_ptr;
    }
  }
  return 1;
}
#endif

/* Where the loader describes itself: DT_DEBUG of the program, which it fills in. */
static const struct r_debug* loader_debug(void) {
#ifdef __GLIBC__
  return &_r_debug;
#else
  static const struct r_debug* found;
  if (found == NULL)
    dl_iterate_phdr(debug_find, &found);
  return found;
#endif
}

#ifdef __GLIBC__
static void look_in_loader(const struct r_debug* debug) {
  (void) debug;
  loader_look();
}
#else
/* Reads an object's headers, from its place in memory alone. False if they aren't mapped
 * there. */
static bool listed_headers(const struct link_map* listed, struct dl_phdr_info* info) {
  const uintptr_t page = getauxval(AT_PAGESZ);
  unsigned char is_resident;
  const Elf64_Ehdr* header = (const void*) listed->l_addr;
  *info = (struct dl_phdr_info){.dlpi_addr = listed->l_addr, .dlpi_name = listed->l_name};
  if (listed->l_addr == 0) { /* a program that isn't position-independent */
    info->dlpi_phdr = (const void*) getauxval(AT_PHDR);
    info->dlpi_phnum = (Elf64_Half) getauxval(AT_PHNUM);
    return info->dlpi_phdr != NULL;
  }
  if (listed->l_addr % page != 0 ||
      mincore((void*) listed->l_addr, page, &is_resident) != 0 ||
      memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > page)
    return false;
  info->dlpi_phdr = (const void*) (listed->l_addr + header->e_phoff);
  info->dlpi_phnum = header->e_phnum;
  return true;
}

/* musl calls its debuggers' function with its lock held for writing, for which
 * dl_iterate_phdr would wait for ever. The list that debuggers read needs no lock. */
static void look_in_loader(const struct r_debug* debug) {
  bool changed = true;
  struct dl_phdr_info info;
  for (const struct link_map* listed = debug->r_map; listed != NULL;
       listed = listed->l_next) {
    if (listed_headers(listed, &info))
      look_at(&info, sizeof(info), &changed);
  }
  forget_unloaded();
}
#endif

static void loader_has_changed(void) {
  const struct r_debug* debug = loader_debug();
  if (debug->r_state == RT_CONSISTENT)
    look_in_loader(debug);
}

/* Does nothing unless the loader's function has the expected code: a debugger may have
 * set a breakpoint there. */
void loader_watch(void) {
  const struct r_debug* debug = loader_debug();
  uint8_t* entry = debug == NULL ? NULL : (uint8_t*) debug->r_brk;
  void (*target)(void) = loader_has_changed;
  struct adopt_write change = {.length = processor_jump_size};
  void* to;
  char why[320];
  memcpy(&to, &target, sizeof(to));
  if (entry == NULL)
    return;
  size_t mark = processor_mark_size(entry);
  uint8_t* at = entry + mark;
  uintptr_t far = (uintptr_t) at > (uintptr_t) to ? (uintptr_t) at - (uintptr_t) to
                                                  : (uintptr_t) to - (uintptr_t) at;
  if (!processor_is_empty(entry, mark + 1) ||
      !processor_is_padding(at + 1, processor_jump_size - 1) || far > processor_reach)
    return;
  change.at = at;
  memcpy(change.before, at, change.length);
  processor_jump(change.after, at, to);
  watching = text_change(&change, 1, why, sizeof(why));
}
