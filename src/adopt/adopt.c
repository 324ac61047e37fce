/* The order of events: reads the settings, adopts the objects of the process, watches for
 * objects loaded later; and reports what was done. */
#include "adopt.h"
#include "uv/version.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct adopt_settings adopt_settings;
char adopt_directory[PATH_MAX];
struct adoption* adoptions;

static bool has_refused;
static const char* first_argument;

bool adopt_has_refused(void) {
  return has_refused;
}

bool adopt_refuse(struct adoption* adoption, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(adoption->why, sizeof(adoption->why), format, arguments);
  va_end(arguments);
  return false;
}

static void say_to(int fd, const char* start, const char* format, va_list arguments) {
  char line[PATH_MAX + 1024];
  int used = snprintf(line, sizeof(line), "%s", start);
  int more = vsnprintf(line + used, sizeof(line) - (size_t) used - 1, format, arguments);
  size_t length = (size_t) used + (size_t) (more < 0 ? 0 : more);
  length = length > sizeof(line) - 2 ? sizeof(line) - 2 : length;
  line[length++] = '\n';
  if (write(fd, line, length) < 0)
    return; /* standard error can't be written to */
}

void adopt_say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (adopt_settings.check)
    say_to(STDOUT_FILENO, "", format, arguments);
  else
    say_to(STDERR_FILENO, "rondo: ", format, arguments);
  va_end(arguments);
}

/* The C library's initialisation sets environ and program_invocation_name. A program may
 * clear the first and change the second later, but hardly both. */
bool adopt_c_library_is_ready(void) {
  return environ != NULL || program_invocation_name == first_argument;
}

/* --- one object ----------------------------------------------------------------------
 */

static bool adoption_make(struct adoption* adoption, struct adopt_file* file) {
  if (!questions_ask(adoption, file) ||
      !resolve_is_possible(adoption->why, sizeof(adoption->why)) ||
      !region_make(adoption) || !plan_writes(adoption))
    return false;
  resolve_prepare(adoption);
  return text_change(adoption->writes, adoption->write_count, adoption->why,
                     sizeof(adoption->why));
}

static void adoption_report(const struct adoption* adoption, bool made) {
  char version[32] = "";
  if (adoption->has_version)
    snprintf(version, sizeof(version), " %u.%u.%u", adoption->version >> 16,
             adoption->version >> 8 & 0xff, adoption->version & 0xff);
  if (!made) {
    has_refused = true;
    if (!adoption->is_rondo || adopt_settings.verbose || adopt_settings.check)
      adopt_say("%s: its built-in libuv%s is left alone: %s", adoption->object.path,
                version, adoption->why);
    return;
  }
  if (adopt_settings.verbose || adopt_settings.check)
    adopt_say(
        "%s: its built-in libuv%s is adopted: %zu functions, found in its %s symbol "
        "table, go to %s/libuv.so.1 (%d.%d.%d)",
        adoption->object.path, version, adoption->count,
        adoption->full_table ? "full" : "dynamic", adopt_directory, UV_VERSION_MAJOR,
        UV_VERSION_MINOR, UV_VERSION_PATCH);
}

/* A number that no other adoption has: a trampoline has 16 bits for it, and an object may
 * be loaded again and again. */
static unsigned int adoption_number(void) {
  static unsigned int last;
  const struct adoption* other = NULL;
  do {
    last = (last + 1) & 0xffff;
    for (other = adoptions; other != NULL && other->number != last; other = other->next)
      continue;
  } while (other != NULL);
  return last;
}

void adopt_object_try(struct adopt_object* object) {
  struct adopt_file file = {0};
  if (questions_find_libuv(object, &file)) {
    struct adoption* adoption = mmap(NULL, sizeof(*adoption), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (adoption == MAP_FAILED) {
      has_refused = true;
      adopt_say("%s: its built-in libuv is left alone: no memory to adopt it",
                object->path);
    } else {
      adoption->object = *object;
      adoption->number = adoption_number();
      bool made = adoption_make(adoption, &file);
      adoption_report(adoption, made);
      if (made) {
        adoption->next = adoptions;
        adoptions = adoption;
      } else {
        region_free(adoption);
        munmap(adoption, sizeof(*adoption));
      }
    }
  }
  file_close(&file);
}

void adopt_forget(struct adoption* adoption) {
  struct adoption** link = &adoptions;
  while (*link != adoption)
    link = &(*link)->next;
  *link = adoption->next;
  region_free(adoption);
  munmap(adoption, sizeof(*adoption));
}

/* --- the process ---------------------------------------------------------------------
 */

/* The C library's getenv doesn't work yet. */
static char* setting_value(char** environment, const char* name) {
  size_t length = strlen(name);
  for (; environment != NULL && *environment != NULL; environment++) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
      return *environment + length + 1;
  }
  return NULL;
}

static void settings_read(char** environment) {
  const char* adopt = setting_value(environment, "RONDO_ADOPT");
  if (adopt != NULL) {
    adopt_settings.off = strcmp(adopt, "0") == 0 || strcmp(adopt, "off") == 0;
    adopt_settings.verbose = strcmp(adopt, "verbose") == 0;
    adopt_settings.check = strcmp(adopt, "check") == 0;
  }
  if (setting_value(environment, "RONDO_DEBUG") != NULL)
    adopt_settings.verbose = true;
  /* Children inherit the variable, which names the process. */
  char* started = setting_value(environment, "RONDO_EXEC");
  if (started != NULL && strtol(started, &adopt_settings.mark, 10) == (long) getpid())
    adopt_settings.started = true;
}

/* The path of this library, as the loader found it. */
static int find_directory(struct dl_phdr_info* info, size_t size, void* argument) {
  uintptr_t own = (uintptr_t) &adoptions;
  (void) size;
  (void) argument;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type != PT_LOAD || own < start ||
        own - start >= info->dlpi_phdr[i].p_memsz)
      continue;
    snprintf(adopt_directory, sizeof(adopt_directory), "%s", info->dlpi_name);
    char* slash = strrchr(adopt_directory, '/');
    if (slash != NULL)
      *slash = '\0';
    return 1;
  }
  return 0;
}

static void adopt_begin(const char* first, char** environment) {
  int saved = errno;
  first_argument = first;
  settings_read(environment);
  if (adopt_settings.off)
    return;
  dl_iterate_phdr(find_directory, NULL);
  loader_look();
  if (adopt_settings.check)
    check_end();
  if (adopt_settings.started)
    check_report();
  loader_watch();
  errno = saved;
}

#ifdef __GLIBC__
/* Before the C library is initialised, only the arguments have the environment. */
__attribute__((constructor)) static void adopt_start(int argc, char** argv,
                                                     char** environment) {
  adopt_begin(argc > 0 ? argv[0] : NULL, environment);
}
#else
/* musl passes no arguments, and is initialised by now. */
__attribute__((constructor)) static void adopt_start(void) {
  adopt_begin(NULL, environ);
}
#endif
