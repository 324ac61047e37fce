/* `rondo exec -- program arguments`: runs an existing program on Rondo's libuv.so.1.
 *
 * The loader is made to search the folder of Rondo's library first (LD_LIBRARY_PATH), so
 * any program that is linked with libuv gets it; and to load librondo-adopt.so into every
 * program (LD_PRELOAD), which adopts a libuv that is built in (src/adopt), and reports if
 * the program can't use Rondo. Children inherit both. What no object can report from
 * inside, since the loader won't load one, is reported before the program starts. */
#include "exec.h"

#include "exec_loader.h"
#include "exec_look.h"
#include "exec_record.h"
#include "options.h"
#include "base/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit codes, as of a shell. */
enum { REFUSED = 9, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const char usage[] =
    "usage: rondo exec [options] [--] program [arguments]\n"
    "\n"
    "Runs a program that uses libuv on Rondo's library instead, whether it loads\n"
    "libuv.so.1 or has a libuv built in.\n";

static struct exec_look looked_at; /* large */
/* The program that is started next reports from inside what it runs on. */
static bool reports_itself;

static const char adopt_name[] = "librondo-adopt.so";
static const char sim_name[] = "librondo-sim.so";

static bool exec_join(const char* variable, const char* first, const char* separator,
                      const char* last) {
  size_t size = strlen(first) + strlen(separator) + strlen(last) + 1;
  char* value = malloc(size);
  if (value == NULL)
    return false;
  snprintf(value, size, "%s%s%s", first, separator, last);
  int err = setenv(variable, value, 1);
  free(value);
  return err == 0;
}

bool exec_prepend(const char* variable, const char* first, const char* separator) {
  const char* old = getenv(variable);
  bool alone = old == NULL || *old == '\0';
  return exec_join(variable, first, alone ? "" : separator, alone ? "" : old);
}

static bool is_switched_off(void) {
  const char* adopt = getenv("RONDO_ADOPT");
  return adopt != NULL && (strcmp(adopt, "0") == 0 || strcmp(adopt, "off") == 0);
}

/* Behind what the user preloads: a sanitizer insists on being first. Where the object
 * stands doesn't matter to it. LD_PRELOAD can't contain a path with a space or a colon; a
 * plain name is searched for in LD_LIBRARY_PATH. */
static bool preload_object(const char* directory, const char* name, const char* without) {
  char path[PATH_MAX + 64];
  const char* old = getenv("LD_PRELOAD");
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  if (old != NULL && strstr(old, name) != NULL)
    return true; /* rondo exec -- rondo exec */
  if (access(path, R_OK) != 0) {
    fprintf(stderr, "rondo: there is no %s: %s\n", path, without);
    return true;
  }
  const char* object = strpbrk(directory, " :") == NULL ? path : name;
  return old == NULL || *old == '\0' ? setenv("LD_PRELOAD", object, 1) == 0
                                     : exec_join("LD_PRELOAD", old, ":", object);
}

static bool preload_adopt(const char* directory) {
  return preload_object(directory, adopt_name, "programs with a libuv built in keep it");
}

bool exec_finds(const char* name) {
  char path[PATH_MAX];
  return exec_find_program(name, path, sizeof(path));
}

/* `--check`: returns 0 if the program would run on Rondo. */
static int report_check(const char* name) {
  char path[PATH_MAX];
  if (!exec_find_program(name, path, sizeof(path))) {
    fprintf(stderr, "rondo: %s: no such program\n", name);
    return NOT_FOUND;
  }
  exec_look(&looked_at, path);
  if (looked_at.is_script)
    printf("%s is a script: what counts is %s\n", path, looked_at.program);
  const char* words = exec_look_words(&looked_at);
  if (words != NULL)
    printf("%s %s\n", looked_at.program, words);
  else if (looked_at.way == EXEC_UNKNOWN)
    printf("%s is no program that this system's loader (%s) starts: nothing is known\n",
           looked_at.program, EXEC_LOADER);
  fputs(looked_at.words, stdout);
  return exec_look_is_good(&looked_at) ? 0 : 1;
}

bool exec_set_backend(const char* name) {
  return name == NULL || setenv("RONDO_BACKEND", name, 1) == 0;
}

bool exec_prepare_look(void) {
  char directory[PATH_MAX];
  if (!exec_find_library(directory)) {
    fputs(
        "rondo: there is no libuv.so.1 beside this command: run make, or make install\n",
        stderr);
    return false;
  }
  if (!exec_prepend("LD_LIBRARY_PATH", directory, ":") ||
      (!is_switched_off() && !preload_adopt(directory))) {
    fputs("rondo: no memory\n", stderr);
    return false;
  }
  return true;
}

static void report(const struct exec_look* look) {
  const char* words = exec_look_words(look);
  if (words != NULL && look->way != EXEC_OURS)
    fprintf(stderr, "rondo: %s %s\n", look->program, words);
}

bool exec_prepare(const char* name) {
  char path[PATH_MAX];
  if (!exec_prepare_look())
    return false;
  reports_itself = true;
  if (!is_switched_off() && exec_find_program(name, path, sizeof(path)) &&
      !exec_look_outside(&looked_at, path))
    report(&looked_at);
  return true;
}

/* A simulation runs the program many times: it is looked at once, before. */
static bool prepare_program(const char* name) {
  char path[PATH_MAX];
  if (!exec_prepare_look())
    return false;
  if (!is_switched_off() && exec_find_program(name, path, sizeof(path))) {
    exec_look(&looked_at, path);
    report(&looked_at);
  }
  return true;
}

bool exec_prepare_sim(const char* program, bool script) {
  char directory[PATH_MAX];
  if (!script && !prepare_program(program))
    return false;
  /* JavaScriptCore's concurrent collector depends on real time. */
  return setenv("JSC_useConcurrentGC", "0", 1) == 0 && exec_find_library(directory) &&
         (!script || exec_prepend("LD_LIBRARY_PATH", directory, ":")) &&
         preload_object(directory, sim_name, "clocks stay real");
}

/* A script is a file that can't be executed, or that is in no folder of PATH. */
static bool is_script(const char* name) {
  size_t length = strlen(name);
  return length > 3 && access(name, R_OK) == 0 &&
         (strcmp(name + length - 3, ".js") == 0 ||
          strcmp(name + length - 4, ".mjs") == 0 ||
          strcmp(name + length - 4, ".cjs") == 0);
}

/* The process keeps its number, by which librondo-adopt.so knows that it is the one that
 * was asked for. The + becomes a - when a program that starts others has been reported.
 */
static void mark_process(void) {
  char number[16];
  snprintf(number, sizeof(number), "%ld+", (long) getpid());
  if (!reports_itself || setenv("RONDO_EXEC", number, 1) != 0)
    unsetenv("RONDO_EXEC");
}

int exec_become(char** argv) {
  mark_process();
  execvp(argv[0], argv);
  int problem = errno;
  if (is_script(argv[0]))
    fprintf(stderr,
            "rondo: %s is a script, not a program: put what runs it before it, rondo or "
            "node\n",
            argv[0]);
  else
    fprintf(stderr, "rondo: %s: %s\n", argv[0], strerror(problem));
  return problem == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

bool exec_set_verbose(void) {
  return is_switched_off() || setenv("RONDO_ADOPT", "verbose", 1) == 0;
}

/* A name in the environment that is no backend's is refused as one on the command line
 * is. */
static bool backend_is_known(void) {
  static const char* const names[] = {"uring", "epoll", NULL};
  const char* name = getenv("RONDO_BACKEND");
  if (name == NULL || *name == '\0' || strcmp(name, names[0]) == 0 ||
      strcmp(name, names[1]) == 0)
    return true;
  const char* meant = nearest_word(name, names);
  fprintf(
      stderr,
      "rondo exec: RONDO_BACKEND=%s: one of uring|epoll is expected%s%s%s (rondo exec "
      "--help)\n",
      name, meant == NULL ? "" : "; did you mean ", meant == NULL ? "" : meant,
      meant == NULL ? "" : "?");
  return false;
}

struct exec_options {
  bool check, verbose;
  const char* backend;
  struct exec_record record;
  int next; /* index of the program in argv */
};

/* Returns OPTIONS_GOOD, or an exit code. */
static int read_options(struct exec_options* options, int argc, char** argv) {
  struct exec_record* record = &options->record;
  const struct option table[] = {
      option_choice("--backend", "uring|epoll", &options->backend,
                    "what loops wait with"),
      option_flag("--verbose", &options->verbose,
                  "report in one line which libuv the program got, and how"),
      option_flag("--check", &options->check,
                  "report what would happen and why, and don't run the program"),
      {.name = "--record",
       .value = "SIZE",
       .optional = true,
       .size = &record->size,
       .flag = &record->on,
       .help = "keep the last seconds of its loops in memory, 16M unless said, for rondo "
               "top, rondo why and rondo dump; a crash writes them down"},
      option_time("--stall", &record->stall_ns, 1000000, 3600000000000,
                  "report a loop that is held up for longer than that, such as 50ms, at "
                  "once and with its stack, and write the last seconds down"),
      option_text("--stall-run", "COMMAND", &record->command,
                  "and run this command, with RONDO_STALL_LINE, RONDO_STALL_FILE and "
                  "RONDO_STALL_PID in its environment"),
      option_text("--stall-dir", "DIR", &record->folder,
                  "where the files go that are written down; the newest ten of each "
                  "process are kept"),
      option_text("--stall-log", "FILE", &record->log,
                  "write the lines there instead of to standard error"),
      option_flag("--names", &record->names,
                  "also name what brings a Node http requests, with method, path and "
                  "handler; in Python and Neovim, what the loop calls back"),
      {.name = "--dump-on",
       .value = "SIGNAL",
       .take = exec_record_signal,
       .into = &record->signal,
       .problem = "no such signal, or none that can be used",
       .help = "write the last seconds down when the program gets it: USR2"},
      {0}};
  const struct command_line line = {
      .name = "rondo exec", .usage = usage, .options = table, .refusal = REFUSED};
  options->next = 1;
  int code = options_read(&line, argc, argv, &options->next, NULL);
  if (code == OPTIONS_GOOD && options->next >= argc)
    code = options_refuse(&line, "which program?", "");
  record->on |= record->stall_ns > 0 || record->command != NULL ||
                record->folder != NULL || record->log != NULL || record->names ||
                record->signal > 0;
  return code;
}

/* The environment before it is changed for the program, for the commands of --stall-run.
 * The texts stay where they are. NULL without memory. */
static char** environment_keep(void) {
  size_t count = 0;
  while (environ[count] != NULL)
    count++;
  char** copy = malloc((count + 1) * sizeof(*copy));
  if (copy != NULL)
    memcpy(copy, environ, (count + 1) * sizeof(*copy));
  return copy;
}

int exec_main(int argc, char** argv) {
  struct exec_options options = {.record.environment = environment_keep()};
  int code = read_options(&options, argc, argv);
  if (code != OPTIONS_GOOD)
    return code;
  if (!exec_set_backend(options.backend) || (options.verbose && !exec_set_verbose())) {
    fputs("rondo: no memory\n", stderr);
    return 1;
  }
  if (!backend_is_known())
    return REFUSED;
  if (options.check)
    return exec_prepare_look() ? report_check(argv[options.next]) : 1;
  char** program = argv + options.next;
  return exec_prepare(program[0]) && exec_record_start(&options.record, &program)
             ? exec_become(program)
             : 1;
}
