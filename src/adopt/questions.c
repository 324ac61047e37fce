/* The safety questions. The answers come from the object itself: from its symbol tables,
 * from the numbers written in uv_version and uv_loop_size, and from calling its
 * uv_handle_size and uv_req_size. Nothing is changed here. */
#include "adopt.h"
#include "base/own_fd.h"
#include "uv.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file is opened only if the object could watch descriptors as a libuv does. Every
 * libuv since 1.24 imports epoll_ctl; older ones make the system calls themselves, and
 * import the lock that each loop has. */
static bool object_may_poll(const struct adopt_object* object) {
  return table_imports(&object->dynamic, "epoll_ctl") ||
         (table_imports(&object->dynamic, "syscall") &&
          table_imports(&object->dynamic, "pthread_rwlock_init"));
}

bool questions_find_libuv(struct adopt_object* object, struct adopt_file* file) {
  if (object->soname != NULL && strncmp(object->soname, "libuv.so", 8) == 0)
    return false; /* this is libuv itself */
  if (object_defines(object, "uv_run") || object_defines(object, "uv_loop_size"))
    return object_find_path(object);
  return object_may_poll(object) && object_find_path(object) && file_open(file, object) &&
         symbols_find(&file->full, "uv_run") != NULL;
}

/* --- its functions ----------------------------------------------------------------- */

static int compare_names(const void* key, const void* element) {
  return strcmp(key, *(const char* const*) element);
}

/* The index in adopt_names, or -1. */
static int name_find(const char* name) {
  const char* const* found =
      bsearch(name, adopt_names, adopt_name_count, sizeof(adopt_names[0]), compare_names);
  return found == NULL ? -1 : (int) (found - adopt_names);
}

/* Names in a full symbol table that begin like libuv's functions and aren't: parts that a
 * compiler split off (uv_spawn.cold), and two inner functions of 1.43 and older. */
static bool name_is_inner(const char* name) {
  return strchr(name, '.') != NULL || strcmp(name, "uv_tcp_listen") == 0 ||
         strcmp(name, "uv_pipe_listen") == 0;
}

static bool function_take(struct adoption* adoption, const Elf64_Sym* symbol,
                          const char* name) {
  int type = ELF64_ST_TYPE(symbol->st_info);
  int known = name_find(name);
  if (known < 0 && adoption->full_table && name_is_inner(name))
    return true;
  /* A private function of libuv, uv__…, needs no counterpart in Rondo. Functions that
   * Node adds to its libuv, uv__node_…, do. */
  if (known < 0 && strncmp(name, "uv__", 4) == 0 && strncmp(name, "uv__node_", 9) != 0)
    return true;
  if (known < 0)
    return adopt_refuse(adoption, "it has %s, which Rondo does not have", name);
  if (type != STT_FUNC)
    return adopt_refuse(adoption, "its %s is an indirect function", name);
  if (adoption->count == ADOPT_FUNCTIONS)
    return adopt_refuse(adoption, "it has too many functions");
  struct adopt_function* function = &adoption->functions[adoption->count++];
  function->entry = (uint8_t*) (adoption->object.base + symbol->st_value);
  function->size = symbol->st_size;
  function->name = (unsigned int) known;
  if (!object_is_text(&adoption->object, (uintptr_t) function->entry, function->size))
    return adopt_refuse(adoption, "its %s is not in its text", name);
  return true;
}

/* Which parts of an object's text, in blocks of 64 KiB, are near a function of libuv's.
 */
struct text_near {
  uint64_t low; /* the lowest address, as symbols have it */
  bool everywhere;
  uint8_t blocks[8192]; /* a bit for each */
};

enum { NEAR_BLOCK = 1 << 16 };

static void near_mark(struct text_near* near, uint64_t value) {
  /* The block of the function, and the ones before and after it. */
  uint64_t block = (value - near->low) / NEAR_BLOCK;
  for (uint64_t i = block == 0 ? 0 : block - 1; i <= block + 1; i++) {
    if (value < near->low || i / 8 >= sizeof(near->blocks))
      near->everywhere = true;
    else
      near->blocks[i / 8] = (uint8_t) (near->blocks[i / 8] | 1U << i % 8);
  }
}

static bool is_near(const struct text_near* near, uint64_t value) {
  uint64_t block = (value - near->low) / NEAR_BLOCK;
  return near->everywhere || (value >= near->low && block / 8 < sizeof(near->blocks) &&
                              (near->blocks[block / 8] >> block % 8 & 1) != 0);
}

/* Node's table has 90,000 symbols with 8 MB of names, and bringing these into memory
 * takes longer than all the rest. So the functions that Rondo knows are looked up in the
 * loader's index, and other names are read where these functions are: libuv's objects lie
 * side by side in a program, with whatever somebody has added to them. */
static void near_find(struct text_near* near, const struct adopt_object* object) {
  memset(near, 0, sizeof(*near));
  near->low = object->low - object->base;
  near->everywhere = !object->has_gnu_hash;
  for (size_t i = 0; !near->everywhere && i < adopt_name_count; i++) {
    const Elf64_Sym* symbol = object_find(object, adopt_names[i]);
    if (symbol != NULL)
      near_mark(near, symbol->st_value);
  }
}

static bool functions_collect(struct adoption* adoption,
                              const struct adopt_table* table) {
  static struct text_near near; /* the loader's lock is held */
  if (adoption->full_table)
    near.everywhere = true;
  else
    near_find(&near, &adoption->object);
  for (size_t i = table->imports; i < table->count; i++) {
    const Elf64_Sym* symbol = &table->symbols[i];
    int type = ELF64_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
        !is_near(&near, symbol->st_value) || !table_begins(table, symbol, "uv_", 3))
      continue;
    const char* name = table_name(table, symbol);
    if (name != NULL && !function_take(adoption, symbol, name))
      return false;
  }
  return true;
}

static int compare_functions(const void* left, const void* right) {
  const struct adopt_function* a = left;
  const struct adopt_function* b = right;
  if (a->entry != b->entry)
    return a->entry < b->entry ? -1 : 1;
  return a->name < b->name ? -1 : a->name > b->name;
}

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* A linker may fold functions with the same code into one. Functions that read or write
 * `data`, the first field of every structure, are equivalent here too. */
static bool may_share(const char* one, const char* other) {
  return (ends_with(one, "_get_data") && ends_with(other, "_get_data")) ||
         (ends_with(one, "_set_data") && ends_with(other, "_set_data"));
}

/* Sorts the functions and removes duplicates: a full symbol table may name one twice. */
static bool functions_order(struct adoption* adoption) {
  struct adopt_function* functions = adoption->functions;
  size_t kept = 0;
  /* qsort of so few small elements does not allocate. */
  qsort(functions, adoption->count, sizeof(functions[0]), compare_functions);
  for (size_t i = 0; i < adoption->count; i++) {
    const char* name = adopt_names[functions[i].name];
    if (kept > 0 && functions[kept - 1].entry == functions[i].entry) {
      const char* before = adopt_names[functions[kept - 1].name];
      if (functions[kept - 1].name != functions[i].name && !may_share(before, name))
        return adopt_refuse(adoption, "its %s and %s are one function", before, name);
      continue;
    }
    functions[kept++] = functions[i];
  }
  adoption->count = kept;
  for (size_t i = 0; i < kept; i++) {
    for (size_t j = i + 1; j < kept; j++) {
      if (functions[i].name == functions[j].name)
        return adopt_refuse(adoption, "it has %s twice", adopt_names[functions[i].name]);
    }
  }
  return true;
}

static const struct adopt_function* function_named(const struct adoption* adoption,
                                                   const char* name) {
  for (size_t i = 0; i < adoption->count; i++) {
    if (strcmp(adopt_names[adoption->functions[i].name], name) == 0)
      return &adoption->functions[i];
  }
  return NULL;
}

/* --- what it is -------------------------------------------------------------------- */

/* Reads the constant from the function's code without calling it: other libraries export
 * functions of these names that end the program. */
static bool ask_constant(const struct adoption* adoption, const char* name,
                         unsigned int* value) {
  const struct adopt_function* function = function_named(adoption, name);
  return function != NULL && processor_constant(function->entry, function->size, value);
}

static bool ask_version(struct adoption* adoption) {
  unsigned int version = 0;
  if (function_named(adoption, "uv_version") == NULL)
    return true; /* not linked in, since the program doesn't call it: the sizes decide */
  if (!ask_constant(adoption, "uv_version", &version))
    return adopt_refuse(adoption, "its uv_version is not libuv's");
  adoption->version = version;
  adoption->has_version = true;
  if (version >> 16 != UV_VERSION_MAJOR || (version >> 8 & 0xff) > UV_VERSION_MINOR)
    return adopt_refuse(adoption, "it is libuv %u.%u.%u, and Rondo is %d.%d",
                        version >> 16, version >> 8 & 0xff, version & 0xff,
                        UV_VERSION_MAJOR, UV_VERSION_MINOR);
  return true;
}

struct kind_size {
  int kind;
  const char* name;
  size_t size;
};

#define HANDLE_SIZE(upper, lower) {UV_##upper, #lower, sizeof(uv_##lower##_t)},
#define REQ_SIZE(upper, lower)    {UV_##upper, #lower, sizeof(uv_##lower##_t)},
static const struct kind_size handle_sizes[] = {UV_HANDLE_TYPE_MAP(HANDLE_SIZE)};
static const struct kind_size req_sizes[] = {UV_REQ_TYPE_MAP(REQ_SIZE)};

static bool ask_kinds(struct adoption* adoption, const char* question,
                      const struct kind_size* sizes, size_t count) {
  const struct adopt_function* function = function_named(adoption, question);
  size_t (*ask)(int kind);
  if (function == NULL)
    return adopt_refuse(adoption, "it has no %s to ask", question);
  memcpy(&ask, &function->entry, sizeof(ask));
  for (size_t i = 0; i < count; i++) {
    size_t size = ask(sizes[i].kind);
    if (size != sizes[i].size)
      return adopt_refuse(adoption, "its uv_%s_t has %zd bytes, and Rondo's has %zu",
                          sizes[i].name, (ssize_t) size, sizes[i].size);
  }
  return true;
}

static bool ask_sizes(struct adoption* adoption) {
  unsigned int size = 0;
  if (!ask_constant(adoption, "uv_loop_size", &size))
    return adopt_refuse(adoption, "it has no uv_loop_size to ask");
  if (size != sizeof(uv_loop_t))
    return adopt_refuse(adoption, "its uv_loop_t has %u bytes, and Rondo's has %zu", size,
                        sizeof(uv_loop_t));
  return ask_kinds(adoption, "uv_handle_size", handle_sizes,
                   sizeof(handle_sizes) / sizeof(handle_sizes[0])) &&
         ask_kinds(adoption, "uv_req_size", req_sizes,
                   sizeof(req_sizes) / sizeof(req_sizes[0]));
}

/* --- whether it has run ------------------------------------------------------------ */

static bool default_loop_was_made(const struct adoption* adoption,
                                  const struct adopt_table* table) {
  for (size_t i = 0; i < table->count; i++) {
    const Elf64_Sym* symbol = &table->symbols[i];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size != sizeof(void*))
      continue;
    const char* name = table_name(table, symbol);
    uintptr_t address = adoption->object.base + symbol->st_value;
    if (name == NULL || strncmp(name, "default_loop_ptr", 16) != 0 ||
        !object_has(&adoption->object, address, sizeof(void*)))
      continue;
    void* loop;
    memcpy(&loop, (const void*) address, sizeof(loop));
    if (loop != NULL)
      return true;
  }
  return false;
}

/* A loop's descriptors are close-on-exec, so none of those found can be from before an
 * exec. */
static bool a_loop_was_made(void) {
  char link[64];
  char target[64];
  DIR* directory = own_fd_list_folder("/proc/self/fd");
  bool found = false;
  if (directory == NULL)
    return true; /* if it can't be found out, assume that there is one */
  for (struct dirent* entry; !found && (entry = readdir(directory)) != NULL;) {
    int fd = (int) strtol(entry->d_name, NULL, 10);
    if (entry->d_name[0] == '.' || (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0)
      continue;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    target[length < 0 ? 0 : length] = '\0';
    found = strcmp(target, "anon_inode:[eventpoll]") == 0 ||
            strcmp(target, "anon_inode:[io_uring]") == 0;
  }
  closedir(directory);
  return found;
}

static bool threads_were_started(void) {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > 3;
}

/* Before the C library is initialised, no constructor has run, and no code of an object
 * that was only just mapped has run either. Otherwise constructors may have run before
 * (with glibc before 2.34). */
static bool ask_unused(struct adoption* adoption, struct adopt_file* file) {
  if (!adopt_c_library_is_ready() || loader_is_watching())
    return true;
  if (threads_were_started())
    return adopt_refuse(adoption, "threads were started before Rondo could look at it");
  if (a_loop_was_made() || (file_open(file, &adoption->object) &&
                            default_loop_was_made(adoption, &file->full)))
    return adopt_refuse(adoption, "a loop was made before Rondo could look at it");
  return true;
}

static bool ask_privileges(struct adoption* adoption) {
  struct stat status;
  if (adoption->object.is_program && stat(adoption->object.path, &status) == 0 &&
      (status.st_mode & (S_ISUID | S_ISGID)) != 0)
    return adopt_refuse(adoption, "it is set-user-ID or set-group-ID");
  return true;
}

/* The file was read for its symbols, so what these point at must be what is in memory. A
 * library's file is opened by its name; if the library was loaded before this one, that
 * name may mean a newer build by now. The program's own file is opened through the
 * kernel. */
static bool ask_file(struct adoption* adoption, const struct adopt_file* file) {
  for (size_t i = 0; adoption->full_table && i < adoption->count; i++) {
    const struct adopt_function* function = &adoption->functions[i];
    if (!file_agrees(file, &adoption->object, (uintptr_t) function->entry,
                     function->size))
      return adopt_refuse(adoption, "its file has changed since it was started");
  }
  return true;
}

bool questions_collect(struct adoption* adoption, const struct adopt_file* file) {
  const struct adopt_object* object = &adoption->object;
  adoption->full_table =
      !object_defines(object, "uv_run") && !object_defines(object, "uv_loop_size");
  const struct adopt_table* table = adoption->full_table ? &file->full : &object->dynamic;
  adoption->is_rondo = adoption->full_table
                           ? symbols_find(table, "rondo_loop_limit") != NULL
                           : object_defines(object, "rondo_loop_limit");
  if (adoption->is_rondo)
    return adopt_refuse(adoption, "it is Rondo's");
  if (!functions_collect(adoption, table))
    return false;
  if (object->text_is_relocated)
    return adopt_refuse(adoption, "its text is relocated");
  return functions_order(adoption);
}

bool questions_ask(struct adoption* adoption, struct adopt_file* file) {
  return questions_collect(adoption, file) && ask_privileges(adoption) &&
         ask_file(adoption, file) && ask_version(adoption) && ask_sizes(adoption) &&
         ask_unused(adoption, file);
}
