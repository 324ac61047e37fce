/* `rondo exec -- program arguments`: runs an existing program on Rondo's libuv.so.1.
 *
 * The loader is made to search the folder of Rondo's library first (LD_LIBRARY_PATH), so
 * any program that is linked with libuv gets it; and to load librondo-adopt.so into every
 * program (LD_PRELOAD), which adopts a libuv that is built in (src/adopt). Children
 * inherit both. If a program can't use Rondo, that is reported before it starts. */
#include "exec.h"

#include "exec_look.h"
#include "exec_record.h"
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit codes, as of a shell. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const char usage[] =
    "usage: rondo exec [options] [--] program [arguments]\n"
    "\n"
    "Runs a program that uses libuv on Rondo's library instead, whether it loads\n"
    "libuv.so.1 or has a libuv built in.\n"
    "\n"
    "  --backend name  what loops wait with: uring or epoll\n"
    "  --verbose       report in one line which libuv the program got, and how\n"
    "  --check         report what would happen and why, and don't run the program\n";

static const char adopt_name[] = "librondo-adopt.so";
static const char sim_name[] = "librondo-sim.so";

/* Finds the library's folder: beside the command in a build, in a lib folder beside the
 * command's folder once installed. */
bool exec_find_library(char* directory) {
  static const char* const places[] = {"", ("/../lib/" RONDO_MULTIARCH), "/../lib",
                                       "/../lib64"};
  char own[PATH_MAX];
  char candidate[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
  if (length <= 0)
    return false;
  own[length] = '\0';
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(candidate, sizeof(candidate), "%s%s/libuv.so.1", own, places[i]);
    if (access(candidate, R_OK) != 0 || realpath(candidate, directory) == NULL)
      continue;
    *strrchr(directory, '/') = '\0';
    return true;
  }
  return false;
}

/* Puts a value in front of an environment variable's value. */
bool exec_prepend(const char* variable, const char* first, const char* separator) {
  const char* old = getenv(variable);
  size_t size = strlen(first) + (old == NULL ? 0 : strlen(old)) + 2;
  char* value = malloc(size);
  if (value == NULL)
    return false;
  snprintf(value, size, "%s%s%s", first, old == NULL || *old == '\0' ? "" : separator,
           old == NULL ? "" : old);
  int err = setenv(variable, value, 1);
  free(value);
  return err == 0;
}

static bool is_switched_off(void) {
  const char* adopt = getenv("RONDO_ADOPT");
  return adopt != NULL && (strcmp(adopt, "0") == 0 || strcmp(adopt, "off") == 0);
}

/* LD_PRELOAD can't contain a path with a space or a colon; a plain name is searched for
 * in LD_LIBRARY_PATH. */
static bool prepend_object(const char* directory, const char* name, const char* without) {
  char path[PATH_MAX + 64];
  const char* old = getenv("LD_PRELOAD");
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  if (old != NULL && strstr(old, name) != NULL)
    return true; /* rondo exec -- rondo exec */
  if (access(path, R_OK) != 0) {
    fprintf(stderr, "rondo: there is no %s: %s\n", path, without);
    return true;
  }
  return exec_prepend("LD_PRELOAD", strpbrk(directory, " :") == NULL ? path : name, ":");
}

static bool prepend_adopt(const char* directory) {
  return prepend_object(directory, adopt_name, "programs with a libuv built in keep it");
}

bool exec_finds(const char* name) {
  char path[PATH_MAX];
  return exec_find_program(name, path, sizeof(path));
}

/* A description of the program, without the end of the line; NULL if librondo-adopt.so
 * reports everything itself. */
static const char* look_words(const struct exec_look* look) {
  switch (look->way) {
  case EXEC_LINKED_ELSEWHERE:
    return "insists on another libuv.so.1 (a run path in the program?)";
  case EXEC_NAMELESS:
    return "has a libuv built in that can't be adopted: it is stripped, and nothing says "
           "where its functions are (cure: a build that is not stripped, or linked with "
           "-rdynamic)";
  case EXEC_STATIC:
    return "is linked statically: no loader can put it on another libuv";
  case EXEC_PRIVILEGED:
    return "is set-user-ID or set-group-ID: left alone";
  case EXEC_WITHOUT:
    return "is not linked with libuv and has none built in; one that it loads later is "
           "adopted then";
  default:
    return NULL;
  }
}

static void report(const struct exec_look* look, bool verbose) {
  const char* words = look_words(look);
  if (words != NULL)
    fprintf(stderr, "rondo: %s %s\n", look->program, words);
  else if (verbose && look->way == EXEC_LINKED)
    fprintf(stderr, "rondo: %s: %s", look->program, look->words);
}

/* `--check`: returns 0 if the program would run on Rondo. */
static int report_check(const char* name) {
  static struct exec_look look;
  char path[PATH_MAX];
  if (!exec_find_program(name, path, sizeof(path))) {
    fprintf(stderr, "rondo: %s: no such program\n", name);
    return NOT_FOUND;
  }
  exec_look(&look, path);
  if (look.is_script)
    printf("%s is a script: what counts is %s\n", path, look.program);
  const char* words = look_words(&look);
  if (words != NULL)
    printf("%s %s\n", look.program, words);
  else if (look.way == EXEC_UNKNOWN)
    printf("%s is no program that this system's loader (%s) starts: nothing is known\n",
           look.program, RONDO_LOADER);
  if (look.way == EXEC_LINKED || look.way == EXEC_LINKED_ELSEWHERE)
    printf("%s: ", look.program);
  fputs(look.words, stdout);
  return look.way == EXEC_ADOPTED || look.way == EXEC_LINKED ? 0 : 1;
}

static int bad_usage(const char* problem, const char* argument) {
  fprintf(stderr, "rondo exec: %s%s\n%s%s", problem, argument, usage, exec_record_usage);
  return 9;
}

bool exec_set_backend(const char* name) {
  bool known = strcmp(name, "uring") == 0 || strcmp(name, "epoll") == 0;
  return known && setenv("RONDO_BACKEND", name, 1) == 0;
}

static bool environment_prepare(void) {
  char directory[PATH_MAX];
  if (!exec_find_library(directory)) {
    fputs(
        "rondo: there is no libuv.so.1 beside this command: run make, or make install\n",
        stderr);
    return false;
  }
  if (!exec_prepend("LD_LIBRARY_PATH", directory, ":") ||
      (!is_switched_off() && !prepend_adopt(directory))) {
    fputs("rondo: no memory\n", stderr);
    return false;
  }
  return true;
}

bool exec_prepare(const char* name) {
  static struct exec_look look;
  char path[PATH_MAX];
  const char* adopt = getenv("RONDO_ADOPT");
  bool verbose =
      getenv("RONDO_DEBUG") != NULL || (adopt != NULL && strcmp(adopt, "verbose") == 0);
  if (!environment_prepare())
    return false;
  if (!is_switched_off() && exec_find_program(name, path, sizeof(path))) {
    exec_look(&look, path);
    report(&look, verbose);
  }
  return true;
}

bool exec_prepare_sim(const char* program, bool script) {
  char directory[PATH_MAX];
  if (!script && !exec_prepare(program))
    return false;
  /* JavaScriptCore's concurrent collector depends on real time. */
  return setenv("JSC_useConcurrentGC", "0", 1) == 0 && exec_find_library(directory) &&
         (!script || exec_prepend("LD_LIBRARY_PATH", directory, ":")) &&
         prepend_object(directory, sim_name, "clocks stay real");
}

/* A script is a file that can't be executed, or that is in no folder of PATH. */
static bool is_script(const char* name) {
  size_t length = strlen(name);
  return length > 3 && access(name, R_OK) == 0 &&
         (strcmp(name + length - 3, ".js") == 0 ||
          strcmp(name + length - 4, ".mjs") == 0 ||
          strcmp(name + length - 4, ".cjs") == 0);
}

int exec_become(char** argv) {
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

struct exec_options {
  bool check;
  struct exec_record record;
  int next; /* index of the program in argv */
};

static int bad_option(const char* option) {
  static const char* const names[] = {"--backend",   "--check", "--help",    "--names",
                                      "--record",    "--stall", "--dump-on", "--verbose",
                                      "--stall-run", NULL};
  const char* meant = nearest_word(option, names);
  if (meant == NULL)
    return bad_usage("bad option: ", option);
  fprintf(stderr, "rondo exec: bad option: %s; did you mean %s?\n", option, meant);
  return 9;
}

/* Returns -1 to continue, or an exit code. */
static int read_options(struct exec_options* options, int argc, char** argv) {
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; next++) {
    if (strcmp(argv[next], "--") == 0) {
      next++;
      break;
    }
    if (strcmp(argv[next], "--help") == 0 || strcmp(argv[next], "-h") == 0) {
      fputs(usage, stdout);
      fputs(exec_record_usage, stdout);
      return 0;
    }
    if (strcmp(argv[next], "--check") == 0) {
      options->check = true;
      continue;
    }
    if (strcmp(argv[next], "--verbose") == 0) {
      if (!exec_set_verbose())
        return bad_usage("no memory", "");
      continue;
    }
    const char* problem;
    int taken = exec_record_option(&options->record, argc, argv, &next, &problem);
    if (taken < 0)
      return bad_usage(problem, argv[next]);
    if (taken > 0)
      continue;
    if (strcmp(argv[next], "--backend") != 0)
      return bad_option(argv[next]);
    if (next + 1 >= argc)
      return bad_usage("an argument is missing after ", argv[next]);
    if (!exec_set_backend(argv[++next]))
      return bad_usage("no such backend: ", argv[next]);
  }
  options->next = next;
  return next < argc ? -1 : bad_usage("which program?", "");
}

int exec_main(int argc, char** argv) {
  struct exec_options options = {0};
  int code = read_options(&options, argc, argv);
  if (code >= 0)
    return code;
  if (options.check)
    return environment_prepare() ? report_check(argv[options.next]) : 1;
  char** program = argv + options.next;
  return exec_prepare(program[0]) && exec_record_start(&options.record, &program)
             ? exec_become(program)
             : 1;
}
