/* Reading the command line: options, then `--` and a program, or a script of ours. */
#include "sim_options.h"

#include "words.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAD_ARGUMENT = 2, RUNS = 100, JOBS_MOST = 64 };

static const char usage[] =
    "usage: rondo sim [options] script.js [arguments]\n"
    "       rondo sim [options] -- program [arguments]\n"
    "\n"
    "Runs a program under many schedules in virtual time, until one makes it fail, and\n"
    "says which decisions of the schedule it takes.\n"
    "\n"
    "  --runs N        schedules to try, 100 unless given\n"
    "  --jobs N        so many at a time, as many as processors unless given\n"
    "  --seed S        the schedule of this seed alone, with the program's output; with\n"
    "                  --runs, as many as given from this seed on\n"
    "  --time-only     virtual time, and no other order: nothing waits\n"
    "  --faults[=KINDS][,RATE]\n"
    "                  let operations fail, too: of files, connections, names, "
    "children,\n"
    "                  pipes, or all; RATE of them, 0.02 unless given\n"
    "  --longest TIME  no delay is longer, as in 500ms: for a program with time-outs of\n"
    "                  its own; up to a minute unless given\n"
    "  --timeout TIME  fail when so much virtual time has passed, as in 90s or 24h\n"
    "  --patience TIME give up a run after so much real time, 60s unless given\n"
    "  --outside TIME  wait so long, in real time, for an answer of a process that isn't "
    "part\n"
    "                  of it, 5s unless given; 0: not at all\n"
    "  --match PATTERN fail when the output has this extended regular expression\n"
    "  --keep-going    don't stop at the first finding\n"
    "  --no-shrink     report all decisions of a finding\n"
    "  -o, --output DIR\n"
    "                  write recordings of the failing and a passing run there\n"
    "  --json          one JSON object as the result\n"
    "  --verbose       report what is waited for in real time\n"
    "\n"
    "Ends with 0 if no schedule made it fail, 1 if one did, 2 if nothing could be "
    "tried.\n"
    "With --time-only, with the program's own status.\n";

static int bad_argument(const char* problem, const char* argument) {
  fprintf(stderr, "rondo sim: %s%s (rondo sim --help)\n", problem, argument);
  return -BAD_ARGUMENT;
}

static bool time_read(const char* text, uint64_t* ns) {
  static const struct {
    const char* unit;
    double ns;
  } units[] = {{"ms", 1e6}, {"s", 1e9},    {"", 1e9},     {"min", 60e9},
               {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
  char* end;
  double number = strtod(text, &end);
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    double value = number * units[i].ns;
    if (end == text || strcmp(end, units[i].unit) != 0 || !(value > 0) || value > 9e18)
      continue;
    *ns = (uint64_t) value;
    return true;
  }
  return false;
}

static bool number_read(const char* text, uint64_t least, uint64_t most,
                        uint64_t* number) {
  char* end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  *number = strtoull(text, &end, 10);
  return *end == '\0' && *number >= least && *number <= most;
}

static bool pattern_is_good(const char* pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  regfree(&compiled);
  return true;
}

/* KINDS and RATE, in any order, separated by commas. */
static bool faults_read(const char* text, struct sim_options* options) {
  struct sim_plan* plan = &options->plan;
  static const char* const kinds[] = {"files",    "connections", "names",
                                      "children", "pipes",       NULL};
  char copy[128];
  char* rest = copy;
  char* word;
  options->faults = text;
  plan->fault_rate = 20000;
  plan->fault_kinds = 0;
  size_t length = strlen(text);
  if (length >= sizeof(copy))
    return false;
  memcpy(copy, text, length + 1);
  while ((word = strsep(&rest, ",")) != NULL) {
    char* end;
    double rate = strtod(word, &end);
    bool known = *word == '\0' || strcmp(word, "all") == 0;
    for (unsigned int i = 0; kinds[i] != NULL; i++) {
      if (strcmp(word, kinds[i]) == 0) {
        plan->fault_kinds |= 1u << i;
        known = true;
      }
    }
    if (!known && end != word && *end == '\0' && rate > 0 && rate <= 1) {
      plan->fault_rate = (uint32_t) (rate * 1e6);
      known = true;
    }
    if (!known)
      return false;
  }
  if (plan->fault_kinds == 0)
    plan->fault_kinds = ~0u;
  return true;
}

/* Returns 1 if it was one of these options, 0 if not, or a negative exit code. */
static int option_valued(struct sim_options* options, const char* name,
                         const char* value) {
  uint64_t number;
  if (strcmp(name, "--runs") == 0) {
    if (!number_read(value, 1, 100000000, &number))
      return bad_argument("no such number of runs: ", value);
    options->runs = (unsigned int) number;
  } else if (strcmp(name, "--jobs") == 0) {
    if (!number_read(value, 1, JOBS_MOST, &number))
      return bad_argument("no such number of jobs (1 to 64): ", value);
    options->jobs = (unsigned int) number;
  } else if (strcmp(name, "--seed") == 0) {
    if (!number_read(value, 0, UINT64_MAX, &options->first_seed))
      return bad_argument("no such seed: ", value);
    options->seed_given = true;
  } else if (strcmp(name, "--longest") == 0) {
    if (!time_read(value, &options->plan.longest_ns))
      return bad_argument("no such time: ", value);
  } else if (strcmp(name, "--timeout") == 0) {
    if (!time_read(value, &options->plan.limit_ns))
      return bad_argument("no such time: ", value);
  } else if (strcmp(name, "--patience") == 0) {
    if (!time_read(value, &options->plan.patience_ns))
      return bad_argument("no such time: ", value);
  } else if (strcmp(name, "--outside") == 0) {
    options->plan.outside_ns = 0;
    if (strcmp(value, "0") != 0 && !time_read(value, &options->plan.outside_ns))
      return bad_argument("no such time: ", value);
  } else if (strcmp(name, "--match") == 0) {
    if (!pattern_is_good(value))
      return bad_argument("not a regular expression: ", value);
    options->plan.match = value;
  } else if (strcmp(name, "--output") == 0 || strcmp(name, "-o") == 0) {
    options->output = value;
  } else {
    return 0;
  }
  return 1;
}

static bool option_plain(struct sim_options* options, const char* name) {
  if (strcmp(name, "--time-only") == 0)
    options->plan.time_only = true;
  else if (strcmp(name, "--keep-going") == 0)
    options->keep_going = true;
  else if (strcmp(name, "--no-shrink") == 0)
    options->shrink = false;
  else if (strcmp(name, "--json") == 0)
    options->json = true;
  else if (strcmp(name, "--verbose") == 0)
    options->plan.verbose = true;
  else if (strcmp(name, "--faults") == 0)
    return faults_read("", options);
  else
    return false;
  return true;
}

static int bad_option(const char* name) {
  static const char* const names[] = {
      "--runs",       "--jobs",      "--seed",     "--time-only", "--faults",
      "--longest",    "--timeout",   "--patience", "--outside",   "--match",
      "--keep-going", "--no-shrink", "--output",   "--json",      "--verbose",
      "--help",       NULL};
  const char* meant = nearest_word(name, names);
  if (meant == NULL)
    return bad_argument("bad option: ", name);
  fprintf(stderr, "rondo sim: bad option: %s; did you mean %s?\n", name, meant);
  return -BAD_ARGUMENT;
}

static int option_take(struct sim_options* options, int argc, char** argv, int* next) {
  static const char* const valued[] = {"--runs",    "--jobs",   "--seed",     "--timeout",
                                       "--longest", "--match",  "--patience", "--output",
                                       "-o",        "--outside"};
  char name[32];
  const char* argument = argv[*next];
  const char* equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
  size_t length = equals == NULL ? strlen(argument) : (size_t) (equals - argument);
  snprintf(name, sizeof(name), "%.*s", (int) length, argument);
  if (equals != NULL && strcmp(name, "--faults") == 0)
    return faults_read(equals + 1, options)
               ? 0
               : bad_argument("no such faults: ", equals + 1);
  for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++) {
    if (strcmp(name, valued[i]) != 0)
      continue;
    const char* value = equals != NULL     ? equals + 1
                        : *next + 1 < argc ? argv[++*next]
                                           : NULL;
    if (value == NULL)
      return bad_argument("an argument is missing after ", name);
    int taken = option_valued(options, name, value);
    return taken < 0 ? taken : 0;
  }
  return equals == NULL && option_plain(options, name) ? 0 : bad_option(argument);
}

int sim_options_read(struct sim_options* options, int argc, char** argv) {
  int next = 1;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  bool program = false;
  options->shrink = true;
  options->first_seed = 1;
  options->jobs = processors < 1 ? 1 : processors > 8 ? 8 : (unsigned int) processors;
  options->plan.patience_ns = 60 * WORLD_SECOND;
  options->plan.outside_ns = 5 * WORLD_SECOND;
  options->plan.limit_ns = 7 * 86400 * WORLD_SECOND;
  for (; next < argc && argv[next][0] == '-' && argv[next][1] != '\0'; next++) {
    if (strcmp(argv[next], "--") == 0) {
      program = true;
      next++;
      break;
    }
    if (strcmp(argv[next], "--help") == 0 || strcmp(argv[next], "-h") == 0) {
      fputs(usage, stdout);
      return 0;
    }
    int code = option_take(options, argc, argv, &next);
    if (code != 0)
      return code;
  }
  if (next >= argc)
    return bad_argument("which script or program?", "");
  if (options->runs == 0)
    options->runs = options->seed_given || options->plan.time_only ? 1 : RUNS;
  options->plan.script = !program;
  return next;
}
