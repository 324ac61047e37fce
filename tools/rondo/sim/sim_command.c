/* The command: tries seed after seed, some at a time, and stops at what it finds. */
#include "sim_command.h"

#include "exec.h"
#include "sim_find.h"
#include "sim_options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOTHING_TRIED = 2, SEEDS_SHOWN = 64 };

static volatile sig_atomic_t stop;

static void stop_now(int number) {
  (void) number;
  stop = 1;
}

/* The results of all runs together. */
struct sim_search {
  const struct sim_options* options;
  unsigned int started, ended, failed;
  uint64_t virtual_ns;
  uint64_t decisions;
  uint64_t since;
  uint64_t shown_at;
  bool is_terminal;
  uint64_t* failed_seeds; /* in ascending order; as many as memory allowed */
  unsigned int failed_noted;
  uint64_t schedules; /* a hash of all decisions of all runs */
};

/* --- progress ----------------------------------------------------------------------- */

static void progress_show(struct sim_search* search, bool always) {
  uint64_t now = world_real_ns();
  if (!search->is_terminal || (!always && now - search->shown_at < WORLD_SECOND / 5))
    return;
  char time[32];
  double seconds = (double) (now - search->since) / 1e9;
  search->shown_at = now;
  sim_time_words(search->virtual_ns, time, sizeof(time));
  fprintf(stderr, "\r\033[K%u of %u runs, %u failed, %s of virtual time, %.1f runs/s",
          search->ended, search->options->runs, search->failed, time,
          seconds > 0 ? search->ended / seconds : 0);
}

static void progress_clear(const struct sim_search* search) {
  if (search->is_terminal)
    fputs("\r\033[K", stderr);
}

static void summary_show(const struct sim_search* search) {
  char virtual_time[32], real_time[32];
  uint64_t real = world_real_ns() - search->since;
  sim_time_words(search->virtual_ns, virtual_time, sizeof(virtual_time));
  sim_time_words(real, real_time, sizeof(real_time));
  printf("%s%u schedules, %u failed: %s of virtual time in %s, %.1f runs a second.\n",
         search->failed > 0 ? "\n" : "", search->ended, search->failed, virtual_time,
         real_time, search->ended * 1e9 / (double) (real + 1));
  if (search->failed > 1) {
    printf("Seeds that failed:");
    for (unsigned int i = 0; i < search->failed_noted && i < SEEDS_SHOWN; i++)
      printf(" %llu", (unsigned long long) search->failed_seeds[i]);
    printf("%s\n", search->failed > SEEDS_SHOWN ? " …" : "");
  }
}

/* --- JSON --------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at the start of the text; 0 if it isn't one. */
static size_t json_sequence(const char* text, size_t left) {
  const unsigned char* bytes = (const unsigned char*) text;
  size_t length = bytes[0] < 0x80             ? 1
                  : (bytes[0] & 0xe0) == 0xc0 ? 2
                  : (bytes[0] & 0xf0) == 0xe0 ? 3
                  : (bytes[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
  unsigned int code = length < 2 ? bytes[0] : bytes[0] & (0x7fu >> length);
  static const unsigned int least[] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 1; i < length; i++) {
    if (i >= left || (bytes[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (bytes[i] & 0x3f);
  }
  bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}

/* Each byte that isn't UTF-8 becomes U+FFFD. */
static void json_text(const char* text, size_t length) {
  putchar('"');
  for (size_t i = 0; i < length;) {
    unsigned char c = (unsigned char) text[i];
    size_t sequence = json_sequence(text + i, length - i);
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else if (sequence == 0)
      fputs("\\ufffd", stdout);
    else
      fwrite(text + i, 1, sequence, stdout);
    i += sequence == 0 ? 1 : sequence;
  }
  putchar('"');
}

/* The first decision that differs between two runs with one seed. */
static void json_difference(const struct sim_finding* finding) {
  if (finding->repeats) {
    printf("null");
    return;
  }
  printf("{\"at\":%zu", finding->differs_at);
  for (int i = 0; i < 2; i++) {
    const char* words = finding->differs_words[i];
    printf(i == 0 ? ",\"first\":" : ",\"second\":");
    if (words == NULL)
      printf("null");
    else
      json_text(words, strlen(words));
  }
  printf("}");
}

static void json_finding(const struct sim_finding* finding) {
  char words[160];
  const struct sim_run* small = sim_find_smallest(finding);
  sim_run_outcome_words(&finding->run, words, sizeof(words));
  printf("{\"seed\":%llu,\"outcome\":", (unsigned long long) finding->run.seed);
  json_text(words, strlen(words));
  printf(",\"proved\":%s,\"repeats\":%s,\"failsAnyway\":%s,\"tries\":%u,"
         "\"allDecisions\":%zu,\"decisions\":[",
         finding->is_proved ? "true" : "false", finding->repeats ? "true" : "false",
         finding->fails_anyway ? "true" : "false", finding->tries,
         finding->run.decision_count);
  for (size_t i = 0; i < small->decision_count; i++) {
    const struct sim_decision* decision = &small->decisions[i];
    printf("%s{\"key\":", i == 0 ? "" : ",");
    json_text(decision->key, strlen(decision->key));
    printf(",\"atNs\":%llu,\"value\":%llu,\"words\":", (unsigned long long) decision->at,
           (unsigned long long) decision->value);
    json_text(decision->words, strlen(decision->words));
    printf("}");
  }
  printf("],\"differs\":");
  json_difference(finding);
  printf(",\"story\":");
  if (finding->story == NULL)
    printf("null");
  else
    json_text(finding->story, strlen(finding->story));
  printf(",\"output\":");
  json_text(small->output == NULL ? "" : small->output, small->output_size);
  printf("}");
}

static void json_show(const struct sim_search* search,
                      const struct sim_finding* finding) {
  printf("{\"runs\":%u,\"failed\":%u,\"virtualNs\":%llu,\"realNs\":%llu,"
         "\"decisions\":%llu,\"schedules\":\"%016llx\",\"failedSeeds\":[",
         search->ended, search->failed, (unsigned long long) search->virtual_ns,
         (unsigned long long) (world_real_ns() - search->since),
         (unsigned long long) search->decisions, (unsigned long long) search->schedules);
  for (unsigned int i = 0; i < search->failed_noted; i++)
    printf("%s%llu", i == 0 ? "" : ",", (unsigned long long) search->failed_seeds[i]);
  printf("],\"finding\":");
  if (finding == NULL)
    printf("null");
  else
    json_finding(finding);
  printf("}\n");
}

/* --- searching ---------------------------------------------------------------------- */

static void search_count(struct sim_search* search, const struct sim_run* run) {
  search->ended++;
  search->virtual_ns += run->virtual_ns;
  search->decisions += run->decisions_made;
  search->schedules += sim_run_hash(run);
  if (!sim_run_failed(run))
    return;
  search->failed++;
  uint64_t* seeds = realloc(search->failed_seeds, search->failed * sizeof(*seeds));
  if (seeds == NULL)
    return;
  unsigned int at = search->failed_noted++;
  for (; at > 0 && seeds[at - 1] > run->seed; at--)
    seeds[at] = seeds[at - 1];
  seeds[at] = run->seed;
  search->failed_seeds = seeds;
}

static bool search_start(struct sim_search* search, struct sim_run** slot) {
  struct sim_run* run = calloc(1, sizeof(*run));
  if (run == NULL)
    return false;
  run->seed = search->options->first_seed + search->started;
  if (!sim_run_start(&search->options->plan, run)) {
    sim_run_finish(&search->options->plan, run);
    sim_run_free(run);
    free(run);
    return false;
  }
  search->started++;
  *slot = run;
  return true;
}

/* The failed run with the lowest seed among those tried; NULL if none. */
static struct sim_run* search_all(struct sim_search* search) {
  const struct sim_options* options = search->options;
  struct sim_run* runs[64];
  struct sim_run* found = NULL;
  size_t active = 0;
  bool more = true;
  while (!stop && (active > 0 || more)) {
    while (more && active < options->jobs && search->started < options->runs &&
           (found == NULL || options->keep_going)) {
      more = search_start(search, &runs[active]);
      active += more;
    }
    if (active == 0)
      break;
    int over = sim_run_wait(&options->plan, runs, active, &stop);
    if (over < 0)
      break;
    struct sim_run* run = runs[over];
    runs[over] = runs[--active];
    sim_run_finish(&options->plan, run);
    search_count(search, run);
    progress_show(search, false);
    bool keep = sim_run_failed(run) && (found == NULL || run->seed < found->seed);
    struct sim_run* unwanted = keep ? found : run;
    if (keep)
      found = run;
    if (unwanted != NULL) {
      sim_run_free(unwanted);
      free(unwanted);
    }
  }
  for (size_t i = 0; i < active; i++) {
    sim_run_finish(&options->plan, runs[i]);
    sim_run_free(runs[i]);
    free(runs[i]);
  }
  progress_clear(search);
  return found;
}

static int search_report(struct sim_search* search, struct sim_run* found) {
  struct sim_finding finding = {0};
  if (found != NULL) {
    finding.run = *found;
    free(found);
    if (!search->options->json && search->is_terminal)
      fprintf(stderr, "seed %llu fails; looking for what it takes …\n",
              (unsigned long long) finding.run.seed);
    sim_find(search->options, &finding, &stop);
  }
  /* Standard output is left to the program's own output. */
  if (search->options->plan.show)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  if (search->options->json)
    json_show(search, found == NULL ? NULL : &finding);
  else if (found != NULL)
    sim_find_report(search->options, &finding);
  if (!search->options->json && !search->options->plan.show)
    summary_show(search);
  sim_find_free(&finding);
  return found != NULL ? 1 : search->ended > 0 ? 0 : NOTHING_TRIED;
}

/* --- one run alone ------------------------------------------------------------------ */

static int run_alone(const struct sim_options* options) {
  struct sim_run run = {.seed = options->first_seed};
  char words[160];
  if (!sim_run_whole(&options->plan, &run, &stop)) {
    sim_run_free(&run);
    return NOTHING_TRIED;
  }
  int code = run.outcome == OUTCOME_PASSED   ? 0
             : run.outcome == OUTCOME_STATUS ? run.detail
             : run.outcome == OUTCOME_SIGNAL ? 128 + run.detail
                                             : 1;
  sim_run_outcome_words(&run, words, sizeof(words));
  if (run.outcome != OUTCOME_PASSED && run.outcome != OUTCOME_STATUS)
    fprintf(stderr, "rondo sim: %s\n", words);
  if (options->plan.verbose) {
    char virtual_time[32], real_time[32];
    sim_time_words(run.virtual_ns, virtual_time, sizeof(virtual_time));
    sim_time_words(run.real_ns, real_time, sizeof(real_time));
    fprintf(stderr, "rondo sim: %s of virtual time in %s\n", virtual_time, real_time);
  }
  sim_run_free(&run);
  return code;
}

/* --- the command -------------------------------------------------------------------- */

static void signals_set(void) {
  struct sigaction action = {.sa_handler = stop_now};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int sim_main(int argc, char** argv) {
  struct sim_options options = {0};
  int next = sim_options_read(&options, argc, argv);
  if (next <= 0)
    return -next;
  char* self[2] = {argv[0], NULL};
  options.plan.argv = argv + next;
  if (options.plan.script) {
    options.plan.argv = argv + next - 1;
    options.plan.argv[0] = self[0];
    if (access(argv[next], R_OK) != 0) {
      fprintf(stderr, "rondo sim: there is no script %s%s\n", argv[next],
              exec_finds(argv[next]) ? "; for a program, write -- before it" : "");
      return NOTHING_TRIED;
    }
  } else if (!exec_finds(argv[next])) {
    fprintf(stderr, "rondo sim: %s: no such program\n", argv[next]);
    return NOTHING_TRIED;
  }
  if (!exec_prepare_sim(options.plan.argv[0], options.plan.script))
    return NOTHING_TRIED;
  options.plan.wall_start = (uint64_t) time(NULL);
  signals_set();
  sim_run_sweep();
  options.plan.show = options.runs == 1 && !options.json && options.plan.match == NULL &&
                      (options.seed_given || options.plan.time_only);
  if (options.plan.time_only && options.plan.show)
    return run_alone(&options);
  struct sim_search search = {.options = &options,
                              .since = world_real_ns(),
                              .is_terminal = isatty(STDERR_FILENO) && !options.json};
  int code = search_report(&search, search_all(&search));
  free(search.failed_seeds);
  return code;
}
