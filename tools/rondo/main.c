/* The command line: `rondo app.js`, `rondo -e code`, a script on standard input, `rondo
 * exec` for existing programs, and `rondo trace` and `rondo sim` for both. Options come
 * before the script; arguments after it are the script's. */
#include "base/own_fd.h"
#include "doctor_command.h"
#include "engine.h"
#include "exec.h"
#include "live_command.h"
#include "options.h"
#include "learn_command.h"
#include "orders_command.h"
#include "sim_command.h"
#include "step_command.h"
#include "trace_command.h"
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo [options] [script.js] [arguments]\n"
    "       rondo exec [options] [--] program [arguments]\n"
    "       rondo trace [options] script.js | -- program [arguments]\n"
    "       rondo sim [options] script.js | -- program [arguments]\n"
    "       rondo orders [options] script.js | -- program [arguments]\n"
    "       rondo step [options] script.js | -- program [arguments]\n"
    "       rondo learn [number]\n"
    "       rondo top [PID] | why PID | dump PID\n"
    "       rondo doctor [program]\n"
    "       rondo help [exec|trace|top|why|dump|sim|orders|step|learn|doctor] | version\n"
    "\n"
    "Runs a script with Node's event loop on Rondo: JavaScript, or TypeScript whose\n"
    "types are taken out. Alone in a terminal it is a prompt; without a script\n"
    "otherwise, or with \"-\", the script comes from standard input. \"rondo exec\"\n"
    "runs a program that uses libuv on Rondo's library. \"rondo trace\" runs either\n"
    "and shows what its loop did.\n"
    "\"rondo sim\" runs either under many schedules, in virtual time, to find races.\n"
    "\"rondo orders\" shows every outcome that those schedules lead to.\n"
    "\"rondo step\" walks through either, one callback after the other, and back.\n"
    "\"rondo learn\" has lessons about the loop, each with all its orders.\n"
    "\"rondo doctor\" shows what this machine allows, and what not, and why.\n";

enum { BAD_ARGUMENT = 9 };

/* Prints Rondo's version and that of the libuv it replaces, which programs ask for. */
static int print_versions(void) {
  printf("rondo %s (libuv %s)\n", RONDO_RELEASE, RONDO_VERSION);
  return 0;
}

/* NULL if the word isn't a command. */
static int (*command_main(const char* word))(int, char**) {
  static const struct {
    const char* name;
    int (*main)(int argc, char** argv);
  } commands[] = {{"exec", exec_main},     {"trace", trace_main}, {"dump", dump_main},
                  {"why", why_main},       {"top", top_main},     {"sim", sim_main},
                  {"orders", orders_main}, {"step", step_main},   {"learn", learn_main},
                  {"doctor", doctor_main}};
  for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
    if (strcmp(word, commands[i].name) == 0)
      return commands[i].main;
  }
  return NULL;
}

static const char* const command_words[] = {"exec", "trace",   "dump", "why",   "top",
                                            "sim",  "orders",  "step", "learn", "doctor",
                                            "help", "version", NULL};

/* Reads the options for a script. Returns OPTIONS_GOOD, or the exit code. What has no
 * place to be stored in is for the runtime's JavaScript, which finds it in
 * process.execArgv (runtime/lib/internal/switches.js). */
static int script_options_read(struct js_options* options, int argc, char** argv,
                               int* next) {
  bool version = false;
  const char* ignored; /* http reads it from process.execArgv */
  uint64_t frames = 0;
  const char *input_type = NULL, *rejections = NULL;
  const struct option table[] = {
      {.name = "--eval",
       .letter = "-e",
       .value = "CODE",
       .text = &options->code,
       .blank = true,
       .help = "run this code"},
      {.name = "--print",
       .letter = "-p",
       .value = "CODE",
       .text = &options->code,
       .blank = true,
       .flag = &options->print,
       .help = "run this code and print its value"},
      {.name = "-pe",
       .value = "CODE",
       .text = &options->code,
       .blank = true,
       .flag = &options->print},
      option_flag("--grouped-ticks", &options->grouped,
                  "run ticks after a whole group of timers or immediates, as Node 10 and "
                  "older did"),
      {.name = "--require",
       .letter = "-r",
       .value = "MODULE",
       .help = "require a module before the script"},
      {.name = "--import",
       .value = "MODULE",
       .help = "import a module before the script"},
      {.name = "--check",
       .letter = "-c",
       .help = "look for syntax errors, and run nothing"},
      {.name = "--interactive",
       .letter = "-i",
       .help = "a prompt, even if standard input is no terminal"},
      {.name = "--watch", .help = "start again whenever a file of the program changes"},
      {.name = "--watch-path",
       .value = "PATH",
       .help = "with --watch: watch this instead"},
      {.name = "--watch-preserve-output",
       .help = "with --watch: don't clear the terminal"},
      {.name = "--env-file",
       .value = "FILE",
       .help = "set the variables in this file, unless they are set"},
      {.name = "--conditions",
       .letter = "-C",
       .value = "NAME",
       .help = "one more condition for \"exports\" and \"imports\" of packages"},
      {.name = "--input-type",
       .value = "module|commonjs",
       .choice = &input_type,
       .help = "what -e and standard input are"},
      {.name = "--unhandled-rejections",
       .value = "throw|strict|warn|none|warn-with-error-codes",
       .choice = &rejections,
       .help = "what a rejection that nobody handles does"},
      {.name = "--stack-trace-limit",
       .value = "N",
       .count = &frames,
       .help = "the number of lines of a stack"},
      {.name = "--enable-source-maps",
       .help = "taken and ignored: stacks show the code that runs"},
      /* Of Node's own engine, or what is always so here: taken, for programs' scripts. */
      {.name = "--experimental-strip-types"},
      {.name = "--experimental-default-type", .value = "TYPE"},
      {.name = "--experimental-repl-await"},
      {.name = "--experimental-vm-modules"},
      {.name = "--experimental-require-module"},
      {.name = "--experimental-import-meta-resolve"},
      {.name = "--max-old-space-size", .value = "MIB"},
      {.name = "--pending-deprecation"},
      {.name = "--no-addons"},
      {.name = "--trace-warnings", .help = "show with a warning where it came from"},
      {.name = "--no-warnings", .help = "print no warning"},
      {.name = "--trace-deprecation", .help = "as --trace-warnings, of deprecations"},
      {.name = "--no-deprecation", .help = "as --no-warnings, of deprecations"},
      {.name = "--throw-deprecation", .help = "throw instead of warning of one"},
      {.name = "--insecure-http-parser",
       .help = "http accepts messages that break its rules"},
      {.name = "--max-http-header-size",
       .value = "BYTES",
       .text = &ignored,
       .help = "how large the header of an HTTP message may be (16 KiB)"},
      {.name = "--version",
       .letter = "-v",
       .flag = &version,
       .help = "print the version"},
      {0}};
  const struct command_line line = {
      .name = "rondo", .usage = usage, .options = table, .refusal = BAD_ARGUMENT};
  int code = options_read(&line, argc, argv, next, NULL);
  if (code != OPTIONS_GOOD || !version)
    return code;
  printf("v%s\n", RONDO_RELEASE);
  return 0;
}

static int help_main(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "help";
  char* const about[] = {(char*) word, "--help", NULL};
  if (command_main(word) != NULL)
    return command_main(word)(2, (char**) about);
  if (strcmp(word, "help") == 0 || strcmp(word, "version") == 0 || word[0] == '-') {
    int next = 1;
    return script_options_read(&(struct js_options){0}, 2, (char**) about, &next);
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

static void arguments_free(char** arguments) {
  for (char** argument = arguments; *argument != NULL; argument++)
    free(*argument);
  free(arguments);
}

/* A title that the script sets is written over the arguments: the options lead to copies.
 */
static char** arguments_copy(int argc, char** argv) {
  char** copy = calloc((size_t) argc + 1, sizeof(*copy));
  for (int i = 0; copy != NULL && i < argc; i++) {
    copy[i] = strdup(argv[i]);
    if (copy[i] == NULL) {
      arguments_free(copy);
      return NULL;
    }
  }
  return copy;
}

static int script_run(struct js_options* options, int argc, char** argv) {
  int next = 1;
  int code = script_options_read(options, argc, argv, &next);
  if (code != OPTIONS_GOOD)
    return code;
  options->switches = argv + 1;
  options->switch_count = next - 1;
  if (options->code == NULL && next < argc)
    options->file = argv[next++];
  /* The script sees itself first, then its arguments. */
  options->argc = argc - next + 1;
  options->argv = calloc((size_t) options->argc + 1, sizeof(*options->argv));
  if (options->argv == NULL)
    return 1;
  options->argv[0] = argv[0];
  for (int i = 1; i < options->argc; i++)
    options->argv[i] = argv[next + i - 1];
  code = engine_run(options);
  free(options->argv);
  return code;
}

static int script_main(int argc, char** argv) {
  struct js_options options = {.process_argc = argc, .process_argv = argv};
  char** copy = arguments_copy(argc, argv);
  if (copy == NULL)
    return 1;
  int code = script_run(&options, argc, copy);
  arguments_free(copy);
  return code;
}

/* Exported, so that librondo-adopt.so knows this command, which brings a loop along when
 * it loads its engine. */
extern const char rondo_command[];
const char rondo_command[] = RONDO_RELEASE;

int main(int argc, char** argv) {
  const char* command = argc > 1 ? argv[1] : "";
  bool is_file = access(command, F_OK) == 0;
  if (strcmp(command, "help") == 0 && !is_file)
    return help_main(argc - 1, argv + 1);
  if (strcmp(command, "version") == 0 && !is_file)
    return print_versions();
  if (command_main(command) != NULL) {
    own_fd_hold_standard();
    return command_main(command)(argc - 1, argv + 1);
  }
  if (command_meant(command) != NULL) {
    fprintf(stderr,
            "rondo: there is no script and no command \"%s\"; did you mean: rondo %s?\n",
            command, command_meant(command));
    return BAD_ARGUMENT;
  }
  return script_main(argc, argv);
}
