/* Reading the command line: options, then `--` and a program, or a script of ours. */
#include "sim_options.h"

#include "options.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  BAD_ARGUMENT = 2,
  RUNS = 100,
  RUNS_OF_TREE = 1000,
  RUNS_MOST = 100000000,
  JOBS_MOST = 64,
  DAY = 86400
};

static const time_t DATE_MOST = 8000000000; /* the year 2223 */

static const char usage[] =
    "usage: rondo sim [options] script.js [arguments]\n"
    "       rondo sim [options] -- program [arguments]\n"
    "       rondo sim --merge [--json] result.json...\n"
    "\n"
    "Runs a program under many schedules in virtual time, until one makes it fail, and\n"
    "says which decisions of the schedule it takes.\n";

static const char remark[] =
    "Ends with 0 if no schedule made it fail, 1 if one did, 2 if nothing could be "
    "tried.\n"
    "With --time-only, with the program's own status.\n";

static bool pattern_take(const char* pattern, void* into) {
  const char** match = into;
  regex_t compiled;
  *match = pattern;
  if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  regfree(&compiled);
  return true;
}

/* KINDS and RATE, in any order, separated by commas. */
static bool faults_take(const char* text, void* into) {
  struct sim_options* options = into;
  struct sim_plan* plan = &options->plan;
  static const char* const kinds[] = {"files", "connections", "names", "children",
                                      "pipes", "datagrams",   NULL};
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

bool sim_way_take(const char* text, void* options) {
  static const char* const ways[] = {
      [SIM_RANDOM] = "random", [SIM_SYSTEMATIC] = "systematic", [SIM_BOTH] = "both"};
  for (int way = SIM_RANDOM; way <= SIM_BOTH; way++) {
    if (strcmp(text, ways[way]) == 0) {
      ((struct sim_options*) options)->way = (enum sim_way) way;
      return true;
    }
  }
  return false;
}

/* As in "3/16". */
bool sim_shard_take(const char* text, void* into) {
  const unsigned long most = 1000000;
  struct sim_options* options = into;
  char *slash, *end;
  unsigned long shard = strtoul(text, &slash, 10);
  if (*slash != '/' || text[strspn(text, "0123456789/")] != '\0')
    return false;
  unsigned long shards = strtoul(slash + 1, &end, 10);
  if (*end != '\0' || end == slash + 1 || shard < 1 || shard > shards || shards > most)
    return false;
  options->shard = (unsigned int) shard;
  options->shards = (unsigned int) shards;
  return true;
}

/* Reads the file that `save` in `rondo step` has written: a head, then "choices 7:2,11:1"
 * or "seed 7". */
static bool choices_take_file(const char* path, struct sim_options* options) {
  char head[64];
  char* line = NULL;
  size_t size = 0;
  FILE* file = fopen(path, "re");
  bool is_good = file != NULL && fgets(head, sizeof(head), file) != NULL &&
                 strcmp(head, "rondo step choices 1\n") == 0 &&
                 getline(&line, &size, file) > 0;
  if (is_good)
    line[strcspn(line, "\n")] = '\0';
  if (is_good && strncmp(line, "seed ", 5) == 0) {
    char* end;
    errno = 0;
    options->first_seed = strtoull(line + 5, &end, 10);
    options->seed_given = true;
    is_good = errno == 0 && line[5] >= '0' && line[5] <= '9' && *end == '\0';
  } else if (is_good)
    is_good = strncmp(line, "choices ", 8) == 0 && line[8] != '@' &&
              sim_choices_take(line + 8, options);
  free(line);
  if (file != NULL)
    fclose(file);
  return is_good;
}

bool sim_choices_take(const char* text, void* into) {
  struct sim_options* options = into;
  if (*text == '@')
    return choices_take_file(text + 1, options);
  free(options->choices);
  options->choices = calloc(WORLD_TAKEN, sizeof(*options->choices));
  return options->choices != NULL &&
         sim_choices_parse(text, options->choices, &options->choice_count);
}

void sim_options_free(struct sim_options* options) {
  free(options->choices);
  options->choices = NULL;
}

const char sim_date_problem[] =
    "no date such as 2027-01-31 or 2027-01-31T12:30:00Z, nor now";

/* Days and times are UTC's, as the printed command has them. */
bool sim_date_take(const char* text, void* into) {
  static const char* const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M",
                                      "%Y-%m-%dT%H:%M:%S"};
  uint64_t* date = into;
  if (strcmp(text, "now") == 0) {
    *date = (uint64_t) time(NULL);
    return true;
  }
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
    struct tm fields = {0};
    const char* end = strptime(text, forms[i], &fields);
    int day = fields.tm_mday;
    time_t seconds = end != NULL && *end == '\0' ? timegm(&fields) : 0;
    bool exists = day == fields.tm_mday; /* not the 30th of February */
    if (exists && seconds > 0 && seconds < DATE_MOST) {
      *date = (uint64_t) seconds;
      return true;
    }
  }
  return false;
}

/* The coming midnight: not before what any file or certificate of now says, close to
 * today, and the same when a seed is run again today. */
static uint64_t date_usual(void) {
  uint64_t now = (uint64_t) time(NULL);
  return now - now % DAY + DAY;
}

static int table_read(struct sim_options* options, int argc, char** argv, int* next) {
  struct sim_plan* plan = &options->plan;
  uint64_t runs = 0, jobs = options->jobs;
  int sharing = (int) options->sharing;
  bool program = false, faults = false, whole = false;
  const struct option table[] = {
      option_count("--runs", &runs, 1, RUNS_MOST, "schedules to try, 100 unless given"),
      option_count("--jobs", &jobs, 1, JOBS_MOST,
                   "so many at a time, as many as processors unless given"),
      option_one_of("--isolate", &sharing, SIM_SHARING_NONE,
                    "a network and a /tmp of its own for each run; unless given, if the "
                    "machine allows it, several go on at a time, and the program uses no "
                    "server outside"),
      option_one_of("--share", &sharing, SIM_SHARING_ALL,
                    "the machine's network and /tmp for all of them"),
      {.name = "--seed",
       .value = "S",
       .count = &options->first_seed,
       .flag = &options->seed_given,
       .help = "the schedule of this seed alone, with the program's output; with --runs, "
               "as many as given from this seed on"},
      {.name = "--search",
       .value = "WAY",
       .take = sim_way_take,
       .into = options,
       .problem = "random, systematic or both",
       .help = "random schedules, which is the default; or systematic: all ways to go on "
               "wherever more than one thing could come next; or both in turn"},
      {.name = "--choices",
       .value = "LIST",
       .take = sim_choices_take,
       .into = options,
       .problem = "no list such as 7:2,11:1, nor -, nor @ and a file of saved choices",
       .help = "the schedule of these choices of a systematic search alone, with the "
               "program's output; @FILE: those that rondo step has saved"},
      {.name = "--shard",
       .value = "K/N",
       .take = sim_shard_take,
       .into = options,
       .problem = "no part such as 3/16",
       .help = "only this part of the search: every N-th seed, or some of the choices"},
      option_flag("--merge", &options->merge,
                  "put together what --json has written for parts of a search, of this "
                  "command or of rondo orders: rondo sim --merge part-*.json"),
      option_flag("--time-only", &plan->time_only,
                  "virtual time, and no other order: nothing waits"),
      {.name = "--faults",
       .value = "KINDS,RATE",
       .optional = true,
       .take = faults_take,
       .into = options,
       .problem = "no such faults",
       .flag = &faults,
       .help = "let operations fail, too: of files, connections, names, children, pipes, "
               "datagrams, "
               "or all; RATE of them, 0.02 unless given"},
      {.name = "--date",
       .value = "DATE",
       .take = sim_date_take,
       .into = &plan->wall_start,
       .problem = sim_date_problem,
       .help = "when each run begins, in UTC; the coming midnight unless given"},
      option_time(
          "--longest", &plan->longest_ns, 1, 0,
          "no delay is longer, as in 50ms: for a program with limits of less than "
          "two seconds"),
      option_flag("--expire", &plan->expire,
                  "let limits expire, too: some delays are longer than the program's own "
                  "time-outs, up to a minute"),
      option_time("--timeout", &plan->limit_ns, 1, 0,
                  "fail when so much virtual time has passed, as in 90s or 24h"),
      option_time("--patience", &plan->patience_ns, 1, 0,
                  "give up a run after so much real time, 60s unless given"),
      option_time(
          "--outside", &plan->outside_ns, 0, 0,
          "wait so long, in real time, for an answer of a process that isn't part "
          "of it, 5s unless given; 0: not at all"),
      {.name = "--match",
       .value = "PATTERN",
       .take = pattern_take,
       .into = &plan->match,
       .problem = "not a regular expression",
       .help = "fail when the output has this extended regular expression"},
      option_flag("--keep-going", &options->keep_going,
                  "don't stop at the first finding"),
      option_flag("--no-shrink", &whole, "report all decisions of a finding"),
      {.name = "--output",
       .letter = "-o",
       .value = "DIR",
       .text = &options->output,
       .help = "write recordings of the failing and a passing run there"},
      option_flag("--json", &options->json, "one JSON object as the result"),
      option_flag("--verbose", &plan->verbose, "report what is waited for in real time"),
      {0}};
  const struct command_line line = {.name = "rondo sim",
                                    .usage = usage,
                                    .remark = remark,
                                    .options = table,
                                    .refusal = BAD_ARGUMENT};
  int code = options_read(&line, argc, argv, next, &program);
  if (code == OPTIONS_GOOD && *next >= argc)
    code = options_refuse(
        &line, options->merge ? "which results?" : "which script or program?", "");
  if (faults && options->faults == NULL)
    (void) faults_take("", options);
  options->runs = (unsigned int) runs;
  options->jobs = (unsigned int) jobs;
  options->sharing = (enum sim_sharing) sharing;
  options->shrink = !whole;
  plan->script = !program;
  return code;
}

void sim_options_defaults(struct sim_options* options) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  options->first_seed = 1;
  options->jobs = processors < 1 ? 1 : processors > 8 ? 8 : (unsigned int) processors;
  options->plan.wall_start = date_usual();
  options->plan.patience_ns = 60 * WORLD_SECOND;
  options->plan.outside_ns = 5 * WORLD_SECOND;
  options->plan.limit_ns = 7 * 86400 * WORLD_SECOND;
}

int sim_options_read(struct sim_options* options, int argc, char** argv) {
  int next = 1;
  sim_options_defaults(options);
  int code = table_read(options, argc, argv, &next);
  if (code != OPTIONS_GOOD)
    return -code;
  if (options->runs == 0)
    options->runs = options->seed_given || options->plan.time_only ? 1
                    : options->way == SIM_RANDOM                   ? RUNS
                                                                   : RUNS_OF_TREE;
  if (options->choices != NULL) {
    options->way = SIM_RANDOM;
    options->seed_given = true;
    options->runs = 1;
  }
  return next;
}
