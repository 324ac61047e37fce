/* The command line: `rondo app.js`, `rondo -e code`, a script on standard input, `rondo
 * exec` for existing programs, and `rondo trace` and `rondo sim` for both. Options come
 * before the script; arguments after it are the script's. */
#include "exec.h"
#include "js/js.h"
#include "live_command.h"
#include "sim_command.h"
#include "trace_command.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo [options] [script.js] [arguments]\n"
    "       rondo exec [options] [--] program [arguments]\n"
    "       rondo trace [options] script.js | -- program [arguments]\n"
    "       rondo sim [options] script.js | -- program [arguments]\n"
    "       rondo top [PID] | why PID | dump PID\n"
    "       rondo help [exec|trace|top|why|dump|sim] | version\n"
    "\n"
    "Runs a script with Node's event loop on Rondo. Without a script, or with \"-\",\n"
    "the script comes from standard input. \"rondo exec\" runs a program that uses "
    "libuv\n"
    "on Rondo's library. \"rondo trace\" runs either and shows what its loop did.\n"
    "\"rondo sim\" runs either under many schedules, in virtual time, to find races.\n"
    "\n"
    "  -e, --eval code     run this code\n"
    "  -p, --print code    run this code and print its value\n"
    "  --grouped-ticks     run ticks after a whole group of timers or immediates, as\n"
    "                      Node 10 and older did\n"
    "  --trace-warnings    show with a warning where it came from; --no-warnings: print\n"
    "                      none; --trace-deprecation, --no-deprecation and\n"
    "                      --throw-deprecation are about deprecations alone\n"
    "  -v, --version       print the version\n"
    "  -h, --help          print this\n";

enum { BAD_ARGUMENT = 9 };

static int bad_argument(const char* text, const char* what) {
  fprintf(stderr, "rondo: %s%s\n%s", what, text, usage);
  return BAD_ARGUMENT;
}

static bool is(const char* argument, const char* name, const char* alias) {
  return strcmp(argument, name) == 0 || strcmp(argument, alias) == 0;
}

/* Prints Rondo's version and that of the libuv it replaces, which programs ask for. */
static int print_versions(void) {
  printf("rondo %s (libuv %s)\n", RONDO_RELEASE, uv_version_string());
  return 0;
}

/* NULL if the word isn't a command. */
static int (*command_main(const char* word))(int, char**) {
  static const struct {
    const char* name;
    int (*main)(int argc, char** argv);
  } commands[] = {{"exec", exec_main}, {"trace", trace_main}, {"dump", dump_main},
                  {"why", why_main},   {"top", top_main},     {"sim", sim_main}};
  for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
    if (strcmp(word, commands[i].name) == 0)
      return commands[i].main;
  }
  return NULL;
}

static const char* const command_words[] = {"exec", "trace", "dump",    "why", "top",
                                            "sim",  "help",  "version", NULL};

static int help_main(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "help";
  char* const about[] = {(char*) word, "--help", NULL};
  if (command_main(word) != NULL)
    return command_main(word)(2, (char**) about);
  if (strcmp(word, "help") == 0 || strcmp(word, "version") == 0 || word[0] == '-') {
    fputs(usage, stdout);
    return 0;
  }
  const char* meant = nearest_word(word, command_words);
  fprintf(stderr, "rondo: there is no command \"%s\"; ", word);
  if (meant != NULL)
    fprintf(stderr, "did you mean: rondo help %s?\n", meant);
  else
    fputs("rondo help lists them\n", stderr);
  return BAD_ARGUMENT;
}

/* The command that was probably meant by a word that is neither a file nor a command. */
static const char* command_meant(const char* word) {
  if (strpbrk(word, "./-") != NULL || access(word, F_OK) == 0)
    return NULL;
  return nearest_word(word, command_words);
}

/* Options that the runtime's JavaScript handles, named as in Node. */
static bool is_switch(const char* argument) {
  static const char* const switches[] = {"--trace-warnings", "--trace-deprecation",
                                         "--no-warnings", "--no-deprecation",
                                         "--throw-deprecation"};
  for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
    if (strcmp(argument, switches[i]) == 0)
      return true;
  }
  return false;
}

int main(int argc, char** argv) {
  struct js_options options = {0};
  int next = 1;
  const char* command = argc > 1 ? argv[1] : "";
  bool is_file = access(command, F_OK) == 0;
  if (strcmp(command, "help") == 0 && !is_file)
    return help_main(argc - 1, argv + 1);
  if (strcmp(command, "version") == 0 && !is_file)
    return print_versions();
  if (command_main(command) != NULL)
    return command_main(command)(argc - 1, argv + 1);
  if (command_meant(command) != NULL) {
    fprintf(stderr,
            "rondo: there is no script and no command \"%s\"; did you mean: rondo %s?\n",
            command, command_meant(command));
    return BAD_ARGUMENT;
  }
  argv = uv_setup_args(argc, argv);
  for (; next < argc && argv[next][0] == '-' && argv[next][1] != '\0'; next++) {
    const char* argument = argv[next];
    if (strcmp(argument, "--") == 0) {
      next++;
      break;
    }
    if (is(argument, "--version", "-v")) {
      printf("v%s\n", RONDO_VERSION);
      return 0;
    }
    if (is(argument, "--help", "-h")) {
      fputs(usage, stdout);
      return 0;
    }
    if (strcmp(argument, "--grouped-ticks") == 0) {
      options.grouped = true;
    } else if (is(argument, "--eval", "-e") || is(argument, "--print", "-p") ||
               strcmp(argument, "-pe") == 0) {
      if (next + 1 >= argc)
        return bad_argument(argument, "an argument is missing after ");
      options.print = argument[1] == 'p' || argument[2] == 'p';
      options.code = argv[++next];
    } else if (!is_switch(argument)) {
      return bad_argument(argument, "bad option: ");
    }
  }
  options.switches = argv + 1;
  options.switch_count = next - 1;
  if (options.code == NULL && next < argc)
    options.file = argv[next++];
  /* The script sees itself first, then its arguments. */
  options.argc = argc - next + 1;
  options.argv = calloc((size_t) options.argc + 1, sizeof(*options.argv));
  if (options.argv == NULL)
    return 1;
  options.argv[0] = argv[0];
  for (int i = 1; i < options.argc; i++)
    options.argv[i] = argv[next + i - 1];
  js_leave(js_run(&options));
}
