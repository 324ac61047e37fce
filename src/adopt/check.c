/* The report on what became of the program. `rondo exec` marks the process that turns
 * into the program (RONDO_EXEC), and the lines come from here, where the program is
 * mapped anyway. With RONDO_ADOPT=check, set by `rondo exec --check`, the process ends
 * here, before any code of the program has run, and its exit status says what would
 * happen to the program. */
#include "check.h"

#include "adopt.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

struct check {
  struct adopt_object program;
  bool has_program;
  struct adopt_object shared; /* its libuv.so.1 */
  bool has_shared;
};

static int find_objects(struct dl_phdr_info* info, size_t size, void* argument) {
  struct check* check = argument;
  (void) size;
  if (!check->has_program) {
    /* The first one is the program. */
    check->has_program = true;
    (void) object_read(&check->program, info);
    return 0;
  }
  check->has_shared = object_read(&check->shared, info) && check->shared.soname != NULL &&
                      strcmp(check->shared.soname, "libuv.so.1") == 0;
  return check->has_shared;
}

static bool shared_is_ours(const struct check* check) {
  return object_defines(&check->shared, "rondo_loop_limit");
}

static void say_shared(const struct check* check) {
  const struct adopt_object* object = &check->shared;
  const Elf64_Sym* symbol = object_find(object, "uv_version");
  unsigned int version = 0;
  size_t count = 0;
  for (size_t i = object->dynamic.imports; i < object->dynamic.count; i++)
    count += table_begins(&object->dynamic, &object->dynamic.symbols[i], "uv_", 3);
  if (symbol != NULL)
    processor_constant((const uint8_t*) object->base + symbol->st_value, symbol->st_size,
                       &version);
  adopt_say("%s: it is linked with libuv.so.1, and takes %s: libuv %u.%u.%u, %zu "
            "functions",
            check->program.path, object->path, version >> 16, version >> 8 & 0xff,
            version & 0xff, count);
}

/* --- a program without a libuv -------------------------------------------------------
 */

static bool imports_any(const struct adopt_object* object, const char* const* names) {
  for (; *names != NULL; names++) {
    if (table_imports(&object->dynamic, *names))
      return true;
  }
  return false;
}

static const char* const starters[] = {"fork",        "vfork", "_Fork",
                                       "posix_spawn", "clone", "posix_spawnp",
                                       "system",      "popen", NULL};
static const char* const becomers[] = {"execve", "execv",  "execvp",  "execvpe",  "execl",
                                       "execlp", "execle", "fexecve", "execveat", NULL};

/* A stripped libuv can't be seen; what a loop needs of the C library can. */
static bool may_hide_libuv(struct adopt_object* program) {
  static const char* const needed[] = {"epoll_ctl", "eventfd", "pthread_rwlock_init",
                                       NULL};
  struct adopt_file file = {0};
  for (const char* const* name = needed; *name != NULL; name++) {
    if (!table_imports(&program->dynamic, *name))
      return false;
  }
  bool has_names = file_open(&file, program);
  file_close(&file);
  return !has_names;
}

/* A shell that becomes another shell, as behind a shim, is reported once. */
static void say_starter(const struct adopt_object* program) {
  if (*adopt_settings.mark == '-' && !adopt_settings.verbose)
    return;
  if (*adopt_settings.mark == '+')
    *adopt_settings.mark = '-';
  adopt_say(
      "%s has no libuv itself; programs that it starts are put on Rondo if they have "
      "one",
      program->path);
}

/* A program that can only become another one (env, nice, chroot) gets no line: that other
 * one has its own. Nor does Rondo's command, which brings a loop with its engine. */
static void say_neither(struct check* check) {
  struct adopt_object* program = &check->program;
  bool becomes = imports_any(program, becomers);
  bool starts = imports_any(program, starters);
  if (object_defines(program, "rondo_command"))
    return;
  if (may_hide_libuv(program))
    adopt_say(
        "%s may have a libuv built in that can't be adopted: it imports what one "
        "needs, but it is stripped, and nothing says where its functions are (cure: "
        "a build that is not stripped, or linked with -rdynamic)",
        program->path);
  else if (starts)
    say_starter(program);
  else if (!becomes)
    adopt_say("%s is not linked with libuv and has none built in; one that it loads "
              "later is adopted then",
              program->path);
  else if (adopt_settings.verbose)
    adopt_say("%s has no libuv itself; the program that it becomes is put on Rondo if "
              "that has one",
              program->path);
}

void check_report(void) {
  static struct check check;
  if (adoptions != NULL || adopt_has_refused())
    return; /* reported */
  dl_iterate_phdr(find_objects, &check);
  (void) object_find_path(&check.program);
  if (!check.has_shared)
    say_neither(&check);
  else if (!shared_is_ours(&check))
    adopt_say(
        "%s insists on another libuv.so.1 (a run path in the program?): it takes %s",
        check.program.path, check.shared.path);
  else if (adopt_settings.verbose)
    say_shared(&check);
}

void check_end(void) {
  static struct check check;
  dl_iterate_phdr(find_objects, &check);
  (void) object_find_path(&check.program);
  if (check.has_shared)
    say_shared(&check);
  if (adoptions != NULL)
    _exit(CHECK_ADOPTED);
  if (check.has_shared)
    _exit(shared_is_ours(&check) ? CHECK_LINKED : CHECK_LINKED_ELSEWHERE);
  _exit(adopt_has_refused() ? CHECK_REFUSED : CHECK_NEITHER);
}
