/* Whether other code than the library has fork handlers (pthread_atfork) that a child
 * depends on.
 *
 * Where the C library's own list of handlers can be read (fork_list.c), it decides.
 * Otherwise the imports of every loaded object decide: an object that registers a handler
 * imports pthread_atfork, or looks it up by name, which goes unnoticed.
 *
 * Handlers that only repair their object's own memory don't matter to a child that execs;
 * such objects are exempt by name. An import doesn't prove a registration, so where
 * imports decide, a main program with a libuv of its own (Node) is exempt too: its libuv
 * imports the function. */
#include "system/system.h"

#include "base/base.h"
#include "system/fork_list.h"
#include "uv.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

void system_at_fork(fork_handler prepare, fork_handler parent, fork_handler child) {
  fork_list_add(prepare, parent, child);
}

/* --- Who imports the function ------------------------------------------------------ */

struct dynamic_part {
  const ElfW(Sym) * symbols;
  const char* names;
  const ElfW(Rela) * relocations[2]; /* for data, for calls */
  size_t counts[2];
  size_t relative; /* how many entries of the first name no symbol; they come first */
};

/* The loader has made most addresses of the dynamic section absolute. */
static const void* dynamic_address(const struct dl_phdr_info* object, ElfW(Addr) value) {
  ElfW(Addr) base = object->dlpi_addr;
  return (const void*) (value < base ? base + value : value);
}

static bool dynamic_read(const struct dl_phdr_info* object, struct dynamic_part* part) {
  const ElfW(Dyn)* entry = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn)*) (object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  }
  memset(part, 0, sizeof(*part));
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    const void* address = dynamic_address(object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB)
      part->symbols = address;
    else if (entry->d_tag == DT_STRTAB)
      part->names = address;
    else if (entry->d_tag == DT_RELA)
      part->relocations[0] = address;
    else if (entry->d_tag == DT_RELASZ)
      part->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
    else if (entry->d_tag == DT_RELACOUNT)
      part->relative = entry->d_un.d_val;
    else if (entry->d_tag == DT_JMPREL)
      part->relocations[1] = address;
    else if (entry->d_tag == DT_PLTRELSZ)
      part->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
  }
  return part->symbols != NULL && part->names != NULL;
}

static bool imports_fork_handlers(const struct dl_phdr_info* object) {
  struct dynamic_part part;
  if (!dynamic_read(object, &part))
    return false;
  for (int list = 0; list < 2; list++) {
    if (part.relocations[list] == NULL)
      continue;
    for (size_t i = list == 0 ? part.relative : 0; i < part.counts[list]; i++) {
      size_t number = ELF64_R_SYM(part.relocations[list][i].r_info);
      const ElfW(Sym)* symbol = &part.symbols[number];
      const char* name = part.names + symbol->st_name;
      if (number != 0 && symbol->st_shndx == SHN_UNDEF &&
          (strcmp(name, "__register_atfork") == 0 || strcmp(name, "pthread_atfork") == 0))
        return true;
    }
  }
  return false;
}

/* --- Who is excused ---------------------------------------------------------------- */

static bool name_is_excused(const char* path) {
  static const char* const prefixes[] = {
      "linux-vdso", "ld-linux",    "libc.so",      "libpthread.", "libuv.",
      "libtsan.",   "libasan.",    "liblsan.",     "libcrypto.",  "libssl.",
      "libgnutls.", "libp11-kit.", "libsystemd.",  "libudev.",    "libnss_systemd.",
      "libbsd.",    "libcap-ng.",  "libjemalloc.", "libtcmalloc", "libmimalloc.",
      "libgcrypt.", "libgc.",      "librondo-js.",
  };
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;
  for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++) {
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  }
  return false;
}

/* The program itself has an empty name in the list of objects. If it has a uv_run other
 * than this library's, a symbol look-up finds that one first. */
static bool program_has_own_libuv(void) {
  void* found = dlsym(RTLD_DEFAULT, "uv_run");
  int (*own)(uv_loop_t*, uv_run_mode) = uv_run;
  void* ours = *(void**) &own;
  return found != NULL && found != ours;
}

struct search {
  unsigned long long loaded;   /* number of objects ever loaded and unloaded: */
  unsigned long long unloaded; /* while both are unchanged, so is the answer */
  bool answered;
  bool found;
};

static int look_at_object(struct dl_phdr_info* object, size_t size, void* argument) {
  struct search* search = argument;
  (void) size;
  if (search->answered && search->loaded == object->dlpi_adds &&
      search->unloaded == object->dlpi_subs)
    return 1;
  if (search->answered)
    *search = (struct search){0};
  search->loaded = object->dlpi_adds;
  search->unloaded = object->dlpi_subs;
  bool program = object->dlpi_name == NULL || object->dlpi_name[0] == '\0';
  bool excused = program ? program_has_own_libuv() : name_is_excused(object->dlpi_name);
  if (!excused && imports_fork_handlers(object))
    search->found = true;
  return 0;
}

static bool imports_say_so(void) {
  static _Thread_local struct search search;
  (void) dl_iterate_phdr(look_at_object, &search);
  search.answered = true;
  return search.found;
}

/* --- Whose function it is ---------------------------------------------------------- */

struct owner {
  uintptr_t address;
  bool excused;
};

static int owner_find(struct dl_phdr_info* object, size_t size, void* argument) {
  struct owner* owner = argument;
  (void) size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    if (object->dlpi_phdr[i].p_type == PT_LOAD && owner->address >= start &&
        owner->address - start < object->dlpi_phdr[i].p_memsz) {
      owner->excused = object->dlpi_name != NULL && name_is_excused(object->dlpi_name);
      return 1;
    }
  }
  return 0;
}

static bool handler_matters(const void* function) {
  struct owner owner = {.address = (uintptr_t) function};
  (void) dl_iterate_phdr(owner_find, &owner);
  return !owner.excused;
}

bool system_has_fork_handlers(void) {
  enum fork_list_answer answer = fork_list_search(handler_matters);
  return answer == FORK_LIST_UNKNOWN ? imports_say_so() : answer == FORK_LIST_FOUND;
}
