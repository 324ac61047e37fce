/* Names of functions: looked up in the symbol tables of the program or library they were
 * loaded from, .symtab if there is one (it has the static functions), else that of its
 * debug file (trace_debug_files.c), else .dynsym. The file at that path may have been
 * replaced, so all its contents are checked before they are used.
 *
 * A Node has some 200,000 symbols, and the watcher of `rondo exec` asks for the same
 * names at every stall: the functions of a table are sorted by address once, and a name
 * that was found is kept. */
#include "trace_debug_files.h"
#include "trace_model.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A function in a table of symbols. */
struct function {
  uint64_t start, end; /* addresses; one at least */
  uint64_t reach;      /* the highest end of this function and of those before */
  uint32_t symbol;     /* index in the table */
};

struct module {
  struct module* next;
  struct module* same; /* the same file at another path has all else; or NULL */
  char* path;
  struct stat about;        /* of the file when it was read; zeros: there was none, */
  time_t looked;            /* and when that was last compared */
  uint64_t base;            /* the file's address of offset 0 */
  const Elf64_Sym* symbols; /* NULL: no symbols */
  size_t symbol_count;
  const char* strings;
  size_t string_size;
  struct function* functions; /* sorted by start */
  size_t function_count;
  struct found* found; /* a hash table of names, of a power of two places */
  size_t found_count, found_capacity;
};

struct found {
  uint64_t place;
  char* name; /* NULL: the place is free */
};

/* Never freed: traces read one after another are about the same programs. A module whose
 * file was replaced stays, too, since names of it may be in use. */
static struct module* modules;

/* NULL unless the part is inside the file, and aligned. */
static const void* part(const struct elf_file* file, uint64_t offset, uint64_t size) {
  if (offset > file->size || size > file->size - offset || offset % 8 != 0)
    return NULL;
  return file->bytes + offset;
}

static const char* string_at(const struct module* module, size_t offset) {
  if (offset >= module->string_size)
    return NULL;
  const char* text = module->strings + offset;
  return memchr(text, '\0', module->string_size - offset) == NULL ? NULL : text;
}

/* --- files ----------------------------------------------------------------------------
 */

static bool elf_map(const char* path, struct elf_file* file) {
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
      (size_t) about.st_size >= sizeof(Elf64_Ehdr)) {
    file->size = (size_t) about.st_size;
    void* bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    file->bytes = bytes == MAP_FAILED ? NULL : bytes;
  }
  close(fd);
  return file->bytes != NULL;
}

bool elf_open(const char* path, struct elf_file* file) {
  *file = (struct elf_file){0};
  if (!elf_map(path, file))
    return false;
  const Elf64_Ehdr* header = (const void*) file->bytes;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
      header->e_ident[EI_CLASS] == ELFCLASS64 &&
      header->e_shentsize == sizeof(Elf64_Shdr)) {
    file->section_count = header->e_shnum;
    file->sections =
        part(file, header->e_shoff, (uint64_t) header->e_shnum * sizeof(*file->sections));
  }
  if (file->sections != NULL)
    return true;
  elf_close(file);
  return false;
}

void elf_close(struct elf_file* file) {
  munmap((void*) (uintptr_t) file->bytes, file->size);
  *file = (struct elf_file){0};
}

/* --- modules --------------------------------------------------------------------------
 */

static bool take_symbols(struct module* module, const struct elf_file* file,
                         uint32_t type) {
  for (size_t i = 0; i < file->section_count; i++) {
    const Elf64_Shdr* section = &file->sections[i];
    if (section->sh_type != type || section->sh_link >= file->section_count)
      continue;
    const Elf64_Shdr* strings = &file->sections[section->sh_link];
    const void* symbols = part(file, section->sh_offset, section->sh_size);
    if (symbols == NULL || strings->sh_offset > file->size ||
        strings->sh_size > file->size - strings->sh_offset)
      continue;
    module->symbols = symbols;
    module->symbol_count = section->sh_size / sizeof(Elf64_Sym);
    module->strings = file->bytes + strings->sh_offset;
    module->string_size = strings->sh_size;
    return true;
  }
  return false;
}

/* Offset 0 is where the file's first page was loaded. */
static void take_base(struct module* module, const struct elf_file* file) {
  const Elf64_Ehdr* header = (const void*) file->bytes;
  const Elf64_Phdr* segments =
      part(file, header->e_phoff, (uint64_t) header->e_phnum * sizeof(*segments));
  for (size_t i = 0; segments != NULL && i < header->e_phnum; i++) {
    if (segments[i].p_type == PT_LOAD) {
      module->base = segments[i].p_vaddr - segments[i].p_offset;
      return;
    }
  }
}

/* Static functions are in .symtab alone, the program's own or that of its debug file. */
static void module_load(struct module* module) {
  struct elf_file file, debug;
  if (!elf_open(module->path, &file))
    return;
  take_base(module, &file);
  if (take_symbols(module, &file, SHT_SYMTAB))
    return;
  if (debug_file_open(&file, module->path, &debug)) {
    if (take_symbols(module, &debug, SHT_SYMTAB))
      return;
    elf_close(&debug);
  }
  take_symbols(module, &file, SHT_DYNSYM);
}

static int by_start(const void* left, const void* right) {
  const struct function *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static void module_sort(struct module* module) {
  size_t capacity = 0;
  uint64_t reach = 0;
  for (size_t i = 0; i < module->symbol_count && i < UINT32_MAX; i++) {
    const Elf64_Sym* symbol = &module->symbols[i];
    uint64_t size = symbol->st_size == 0 ? 1 : symbol->st_size;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
        size > UINT64_MAX - symbol->st_value)
      continue;
    module->functions = array_grow(module->functions, module->function_count, &capacity,
                                   sizeof(*module->functions));
    module->functions[module->function_count++] =
        (struct function){symbol->st_value, symbol->st_value + size, 0, (uint32_t) i};
  }
  if (module->function_count > 1)
    qsort(module->functions, module->function_count, sizeof(*module->functions),
          by_start);
  for (size_t i = 0; i < module->function_count; i++) {
    struct function* function = &module->functions[i];
    reach = function->end > reach ? function->end : reach;
    function->reach = reach;
  }
}

/* Asked at every name, and looked up once a second. */
static bool module_is_current(struct module* module) {
  struct timespec now;
  struct stat status;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (module->looked == now.tv_sec)
    return true;
  module->looked = now.tv_sec;
  if (stat(module->path, &status) != 0)
    return true; /* a name of a file that is gone is better than none */
  const struct stat* about = &module->about;
  return status.st_dev == about->st_dev && status.st_ino == about->st_ino &&
         status.st_size == about->st_size &&
         status.st_mtim.tv_sec == about->st_mtim.tv_sec &&
         status.st_mtim.tv_nsec == about->st_mtim.tv_nsec;
}

/* Each process of a program has it at a path of its own below /proc. */
static struct module* module_of_file(const struct stat* about) {
  for (struct module* module = modules->next; module != NULL; module = module->next) {
    const struct stat* other = &module->about;
    if (module->same == NULL && other->st_ino != 0 && other->st_ino == about->st_ino &&
        other->st_dev == about->st_dev && other->st_size == about->st_size &&
        other->st_mtim.tv_sec == about->st_mtim.tv_sec &&
        other->st_mtim.tv_nsec == about->st_mtim.tv_nsec)
      return module;
  }
  return NULL;
}

static struct module* module_find(const char* path) {
  for (struct module* module = modules; module != NULL; module = module->next) {
    if (strcmp(module->path, path) != 0)
      continue;
    if (module_is_current(module))
      return module->same == NULL ? module : module->same;
    break; /* the newest is in front of those before it */
  }
  struct module* module = calloc(1, sizeof(*module));
  if (module == NULL)
    return NULL;
  module->path = text_copy(path, strlen(path));
  module->next = modules;
  modules = module;
  if (stat(path, &module->about) != 0)
    module->about = (struct stat){0};
  module->same = module_of_file(&module->about);
  if (module->same != NULL)
    return module->same;
  module_load(module);
  module_sort(module);
  return module;
}

/* --- names that were found ------------------------------------------------------------
 */

static struct found* found_place(const struct module* module, uint64_t place) {
  size_t mask = module->found_capacity - 1;
  size_t at = (size_t) (place * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (module->found[at].name != NULL && module->found[at].place != place)
    at = (at + 1) & mask;
  return &module->found[at];
}

/* Half of the places stay free. */
static void found_grow(struct module* module) {
  struct module bigger = {
      .found_capacity = module->found_capacity == 0 ? 256 : module->found_capacity * 2};
  if (module->found_count * 2 < module->found_capacity)
    return;
  bigger.found = calloc(bigger.found_capacity, sizeof(*bigger.found));
  if (bigger.found == NULL)
    out_of_memory();
  for (size_t i = 0; i < module->found_capacity; i++) {
    if (module->found[i].name != NULL)
      *found_place(&bigger, module->found[i].place) = module->found[i];
  }
  free(module->found);
  module->found = bigger.found;
  module->found_capacity = bigger.found_capacity;
}

static const char* skip_text(const char* at, const char* text) {
  size_t length = strlen(text);
  return strncmp(at, text, length) == 0 ? at + length : at;
}

/* The position after a pair of brackets that opens at `at`; `at` if it never closes. */
static const char* skip_brackets(const char* at, char open, char close) {
  int depth = 0;
  for (const char* end = at; *end != '\0'; end++) {
    depth += *end == open ? 1 : *end == close && end[-1] != '-' ? -1 : 0;
    if (depth == 0)
      return end + 1;
  }
  return at;
}

/* Shortens a C++ name: removes the types of arguments and, if they are long, template
 * arguments; a lambda gets the name of its function. */
static void cut_types(char* name) {
  const size_t longest = 16;
  char* out = name;
  for (const char* at = name; *at != '\0';) {
    const char* after = at;
    size_t symbols = strspn(skip_text(at, "operator"), "<>=-()");
    if (strncmp(at, "operator", 8) == 0 && symbols > 0)
      after = at + 8 + (at[8] == '(' ? 2 : symbols); /* < and ( are its name */
    else if (strncmp(at, "(anonymous namespace)", 21) == 0)
      after = at + 21;
    else if (*at == '(')
      break;
    const char* closed = *at == '<' ? skip_brackets(at, '<', '>') : at;
    if ((size_t) (closed - at) > longest) {
      memcpy(out, "<...>", 5);
      out += 5;
      at = closed;
      continue;
    }
    do
      *out++ = *at++;
    while (at < after);
  }
  *out = '\0';
}

/* The name of a template's instance begins with the return type: it is cut at the last
 * space outside of brackets. */
static void cut_return_type(char* name) {
  const char* start = name;
  int depth = 0;
  for (const char* at = name; *at != '\0'; at++) {
    if (strncmp(at, "operator", 8) == 0)
      break;
    depth += *at == '<' || *at == '(' ? 1 : *at == '>' || *at == ')' ? -1 : 0;
    if (*at == ' ' && depth == 0)
      start = at + 1;
  }
  memmove(name, start, strlen(start) + 1);
}

/* Demangles a C++ name, if libstdc++ can be loaded; else NULL. */
static char* demangled_whole(const char* name) {
  typedef char* (*demangle_function)(const char*, char*, size_t*, int*);
  static demangle_function demangle;
  static bool asked;
  if (!asked) {
    asked = true;
    void* library = dlopen("libstdc++.so.6", RTLD_NOW);
    void* found = library == NULL ? NULL : dlsym(library, "__cxa_demangle");
    memcpy(&demangle, &found, sizeof(demangle));
  }
  int status;
  return demangle != NULL && strncmp(name, "_Z", 2) == 0
             ? demangle(name, NULL, NULL, &status)
             : NULL;
}

char* symbol_class_name(const char* name) {
  static const char before[] = "vtable for ";
  char* text = demangled_whole(name);
  if (text != NULL && strncmp(text, before, sizeof(before) - 1) == 0)
    memmove(text, text + sizeof(before) - 1, strlen(text) - sizeof(before) + 2);
  return text;
}

static char* demangled(const char* name) {
  char* text = demangled_whole(name);
  if (text == NULL)
    return text_copy(name, strlen(name));
  cut_types(text);
  cut_return_type(text);
  return text;
}

static char* place_name(const char* file, uint64_t place) {
  char text[128];
  const char* base = strrchr(file, '/');
  base = base == NULL ? file : base + 1;
  int length = snprintf(text, sizeof(text), "%.80s%s0x%" PRIx64, base,
                        *base == '\0' ? "" : "+", place);
  return text_copy(text, (size_t) length);
}

/* Of several functions at an address the first in the table is taken, as nm shows it. */
static const char* function_name(const struct module* module, uint64_t address) {
  size_t low = 0, high = module->function_count;
  const char* best = NULL;
  uint32_t best_symbol = UINT32_MAX;
  while (low < high) { /* the first function behind the address */
    size_t middle = low + (high - low) / 2;
    if (module->functions[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low > 0 && module->functions[low - 1].reach > address; low--) {
    const struct function* function = &module->functions[low - 1];
    if (function->end <= address || function->symbol > best_symbol)
      continue;
    const char* name = string_at(module, module->symbols[function->symbol].st_name);
    if (name == NULL || *name == '\0')
      continue;
    best = name;
    best_symbol = function->symbol;
  }
  return best;
}

char* symbol_name(const char* file, uint64_t place) {
  struct module* module = *file == '\0' ? NULL : module_find(file);
  if (module == NULL || module->symbols == NULL)
    return place_name(file, place);
  found_grow(module);
  struct found* found = found_place(module, place);
  if (found->name == NULL) {
    const char* name = function_name(module, place + module->base);
    char* text = name == NULL ? NULL : demangled(name);
    *found = (struct found){place, text == NULL ? place_name(file, place) : text};
    module->found_count++;
  }
  return found->name == NULL ? place_name(file, place)
                             : text_copy(found->name, strlen(found->name));
}
