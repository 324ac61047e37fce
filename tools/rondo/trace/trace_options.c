/* The command line of `rondo trace`. */
#include "trace_options.h"

#include "exec.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: rondo trace [options] script.js [arguments]\n"
    "       rondo trace [options] -- program [arguments]\n"
    "       rondo trace [options] file.rtrace... | -\n"
    "       rondo trace --compare before.rtrace after.rtrace\n"
    "\n"
    "Runs a script, or a program that uses libuv on Rondo's library, and shows what its\n"
    "event loops did: every turn, phase, callback, tick and microtask. Or shows what "
    "was\n"
    "recorded before, with --keep or RONDO_TRACE.\n"
    "\n"
    "  (no option)           a picture: one HTML file, to be opened in a browser\n"
    "  --text                a summary in words, on standard error\n"
    "  --turns               the same, and every turn\n"
    "  --json                Chrome's trace events, for ui.perfetto.dev\n"
    "  --compare             what got slower from one recording to the other, in words\n"
    "  -o, --output file     where it goes; - is standard output\n"
    "  --keep                also keep the recording: rondo-trace-PID.rtrace\n"
    "  --from time, --to time  show only what lies between, such as 1.2s and 1250ms\n"
    "  --limit size          of a process's recording, such as 64M or 2G; 256M by "
    "default\n"
    "  --backend uring|epoll what the loops sleep on\n"
    "  --verbose             report which libuv a program has, and how it got it\n"
    "  -h, --help            print this\n";

enum { BAD_ARGUMENT = 9 };

static int bad_argument(const char* problem, const char* argument) {
  fprintf(stderr, "rondo trace: %s%s\n%s", problem, argument, usage);
  return BAD_ARGUMENT;
}

static bool is(const char* argument, const char* name, const char* alias) {
  return strcmp(argument, name) == 0 || strcmp(argument, alias) == 0;
}

static bool is_size(const char* text) {
  size_t digits = strspn(text, "0123456789");
  text += digits;
  return digits > 0 &&
         (*text == '\0' || (strchr("KMGkmg", *text) != NULL && text[1] == '\0'));
}

/* Reads "450ms", "1.2s", or seconds. */
static bool time_read(const char* text, uint64_t* ns) {
  static const struct {
    const char* unit;
    double size;
  } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
  char* end;
  double number = strtod(text, &end);
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    double size = number * units[i].size;
    if (end == text || strcmp(end, units[i].unit) != 0 || !(size >= 0) || size > 1e18)
      continue;
    *ns = (uint64_t) size;
    return true;
  }
  return false;
}

/* The value of an option: the part after "=", or the next argument; NULL if there is
 * none. */
static const char* value_of(int argc, char** argv, int* next) {
  char* equals = strncmp(argv[*next], "--", 2) == 0 ? strchr(argv[*next], '=') : NULL;
  if (equals == NULL)
    return *next + 1 < argc ? argv[++*next] : NULL;
  *equals = '\0';
  return equals + 1;
}

static bool is_valued(const char* option) {
  static const char* const names[] = {"-o",        "--output", "--limit",
                                      "--backend", "--from",   "--to"};
  size_t length = strcspn(option, "=");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strlen(names[i]) == length && memcmp(names[i], option, length) == 0)
      return true;
  }
  return false;
}

/* Returns 0, or the exit code to end with. */
static int option_valued(struct options* options, const char* option, const char* value) {
  if (value == NULL)
    return bad_argument("an argument is missing after ", option);
  if (is(option, "--output", "-o"))
    options->output = value;
  else if (strcmp(option, "--backend") == 0 && !exec_set_backend(value))
    return bad_argument("no such backend: ", value);
  else if (strcmp(option, "--limit") == 0 && !is_size(value))
    return bad_argument("no such size: ", value);
  else if ((strcmp(option, "--from") == 0 && !time_read(value, &options->from_ns)) ||
           (strcmp(option, "--to") == 0 && !time_read(value, &options->to_ns)))
    return bad_argument("no such time: ", value);
  else if (strcmp(option, "--limit") == 0)
    options->limit = value;
  return 0;
}

/* The known option that is most similar to an unknown one; NULL if none is similar. */
static const char* option_meant(const char* option) {
  static const char* const names[] = {
      "--text",  "--turns", "--json",    "--output",  "--keep",    "--from", "--to",
      "--limit", "--help",  "--compare", "--backend", "--verbose", NULL};
  return nearest_word(option, names);
}

static int bad_option(const char* option) {
  const char* meant = option_meant(option);
  if (meant != NULL)
    fprintf(stderr, "rondo trace: bad option: %s; did you mean %s?\n", option, meant);
  return meant != NULL ? BAD_ARGUMENT : bad_argument("bad option: ", option);
}

/* Handles the option at *next, whose value may be the next argument. Returns 0, or the
 * exit code to end with. */
static int option_take(struct options* options, int argc, char** argv, int* next) {
  const char* option = argv[*next];
  if (is_valued(option))
    return option_valued(options, option, value_of(argc, argv, next));
  if (strcmp(option, "--json") == 0)
    options->form = JSON;
  else if (strcmp(option, "--compare") == 0)
    options->form = COMPARISON;
  else if (is(option, "--text", "--turns"))
    options->form = TEXT;
  else if (strcmp(option, "--keep") == 0)
    options->keep = true;
  else if (strcmp(option, "--verbose") == 0)
    exec_set_verbose();
  else
    return bad_option(option);
  options->turns |= strcmp(option, "--turns") == 0;
  return 0;
}

static bool is_option(const char* argument) {
  return argument[0] == '-' && argument[1] != '\0';
}

static bool part_is_empty(const struct options* options) {
  if (options->from_ns < options->to_ns)
    return false;
  fputs("rondo trace: --from is not before --to: there is nothing in between\n", stderr);
  return true;
}

int options_read(struct options* options, int argc, char** argv) {
  int next = 1;
  options->to_ns = UINT64_MAX;
  for (; next < argc && is_option(argv[next]); next++) {
    if (strcmp(argv[next], "--") == 0) {
      options->program = true;
      next++;
      break;
    }
    if (is(argv[next], "--help", "-h")) {
      fputs(usage, stdout);
      return 0;
    }
    int code = option_take(options, argc, argv, &next);
    if (code != 0)
      return -code;
  }
  if (part_is_empty(options))
    return -BAD_ARGUMENT;
  return next < argc ? next : -bad_argument("which script or program?", "");
}

int options_read_behind(struct options* options, int argc, char** argv, int* count) {
  int kept = 0;
  for (int next = 0; next < argc; next++) {
    if (!is_option(argv[next])) {
      argv[kept++] = argv[next];
      continue;
    }
    int code = option_take(options, argc, argv, &next);
    if (code != 0)
      return code;
  }
  *count = kept;
  if (options->form == COMPARISON && kept != 2)
    return bad_argument("--compare needs two recordings, before and after", "");
  return part_is_empty(options) ? BAD_ARGUMENT : 0;
}
