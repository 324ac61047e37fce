/* The command: searches, and says what was found. */
#include "sim_command.h"

#include "exec.h"
#include "sim_find.h"
#include "sim_folder.h"
#include "sim_json.h"
#include "sim_merge.h"
#include "sim_options.h"
#include "sim_search.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOTHING_TRIED = 2, SEEDS_SHOWN = 64 };

static volatile sig_atomic_t stop;

static void stop_now(int number) {
  (void) number;
  stop = 1;
}

/* --- summary -------------------------------------------------------------------------
 */

static void summary_show(const struct sim_search* search) {
  char virtual_time[32], real_time[32];
  uint64_t real = world_real_ns() - search->since;
  sim_time_words(search->virtual_ns, virtual_time, sizeof(virtual_time));
  sim_time_words(real, real_time, sizeof(real_time));
  printf("%s%u schedule%s, %u failed: %s of virtual time in %s, %.1f runs a second.\n",
         search->failed > 0 ? "\n" : "", search->ended, search->ended == 1 ? "" : "s",
         search->failed, virtual_time, real_time,
         search->ended * 1e9 / (double) (real + 1));
  if (search->options->way != SIM_RANDOM)
    printf("%s\n", tree_is_complete(&search->tree)
                       ? "These are all schedules of the search."
                       : "There are more schedules.");
  if (search->failed_seeds.count > 1) {
    printf("Seeds that failed:");
    for (unsigned int i = 0; i < search->failed_seeds.count && i < SEEDS_SHOWN; i++)
      printf(" %llu", (unsigned long long) search->failed_seeds.seeds[i]);
    printf("%s\n", search->failed > SEEDS_SHOWN ? " …" : "");
  }
}

/* --- JSON --------------------------------------------------------------------------- */

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
      sim_json_text(words, strlen(words));
  }
  printf("}");
}

static void json_finding(const struct sim_finding* finding) {
  char words[160];
  const struct sim_run* small = sim_find_smallest(finding);
  sim_run_outcome_words(&finding->run, words, sizeof(words));
  char* choices = finding->run.is_systematic
                      ? sim_choices_text(finding->run.choices, finding->run.choice_count)
                      : NULL;
  printf("{\"seed\":%llu,", (unsigned long long) finding->run.seed);
  if (choices != NULL)
    printf("\"choices\":\"%s\",", choices);
  free(choices);
  printf("\"outcome\":");
  sim_json_text(words, strlen(words));
  printf(",\"proved\":%s,\"repeats\":%s,\"failsAnyway\":%s,\"tries\":%u,"
         "\"allDecisions\":%zu,\"decisions\":[",
         finding->is_proved ? "true" : "false", finding->repeats ? "true" : "false",
         finding->fails_anyway ? "true" : "false", finding->tries,
         finding->run.decision_count);
  for (size_t i = 0; i < small->decision_count; i++) {
    const struct sim_decision* decision = &small->decisions[i];
    printf("%s{\"key\":", i == 0 ? "" : ",");
    sim_json_text(decision->key, strlen(decision->key));
    printf(",\"atNs\":%llu,\"value\":%llu,\"words\":", (unsigned long long) decision->at,
           (unsigned long long) decision->value);
    sim_json_text(decision->words, strlen(decision->words));
    printf("}");
  }
  printf("],\"differs\":");
  json_difference(finding);
  printf(",\"story\":");
  if (finding->story == NULL)
    printf("null");
  else
    sim_json_text(finding->story, strlen(finding->story));
  printf(",\"output\":");
  sim_json_text(small->output == NULL ? "" : small->output, small->output_size);
  printf("}");
}

static void json_seeds(const struct sim_seeds* list) {
  putchar('[');
  for (unsigned int i = 0; i < list->count; i++)
    printf("%s%llu", i == 0 ? "" : ",", (unsigned long long) list->seeds[i]);
  putchar(']');
}

static void json_show(const struct sim_search* search,
                      const struct sim_finding* finding) {
  char date[32];
  sim_date_words(search->options->plan.wall_start, date, sizeof(date));
  sim_json_part(search->options, tree_is_complete(&search->tree));
  printf("\"runs\":%u,\"complete\":%s,\"failed\":%u,\"virtualNs\":%llu,\"realNs\":%llu,"
         "\"decisions\":%llu,\"schedules\":\"%016llx\",\"failedSeeds\":",
         search->ended,
         search->options->shards < 2 && tree_is_complete(&search->tree) ? "true"
                                                                        : "false",
         search->failed, (unsigned long long) search->virtual_ns,
         (unsigned long long) (world_real_ns() - search->since),
         (unsigned long long) search->decisions, (unsigned long long) search->schedules);
  json_seeds(&search->failed_seeds);
  printf(",\"unrepeatedSeeds\":");
  json_seeds(&search->unrepeated_seeds);
  printf(",\"date\":\"%s\",\"finding\":", date);
  if (finding == NULL)
    printf("null");
  else
    json_finding(finding);
  printf("}\n");
}

/* --- the result -------------------------------------------------------------------- */

static int search_report(struct sim_search* search) {
  bool is_found = search->found != NULL;
  struct sim_finding finding = {0};
  if (is_found) {
    finding.run = *search->found;
    free(search->found);
    search->found = NULL;
    if (!search->options->json && search->is_terminal)
      fprintf(stderr, "seed %llu fails; looking for what it takes …\n",
              (unsigned long long) finding.run.seed);
    sim_find(search->options, &finding, search->found_before, &stop);
  }
  /* Standard output is left to the program's own output. */
  if (search->options->plan.show)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  if (search->options->json)
    json_show(search, is_found ? &finding : NULL);
  else if (is_found)
    sim_find_report(search->options, &finding);
  if (!search->options->json && !search->options->plan.show)
    summary_show(search);
  sim_find_free(&finding);
  return is_found ? 1 : search->ended > 0 && !search->is_broken ? 0 : NOTHING_TRIED;
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
  sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

const volatile sig_atomic_t* sim_prepare(const char* command, struct sim_options* options,
                                         char** argv, int next) {
  char* self = argv[0];
  if (!world_sees_threads()) {
    fprintf(
        stderr,
        "rondo %s: virtual time needs /proc, which says whether a thread works; mount it "
        "with: mount -t proc proc /proc\n",
        command);
    return NULL;
  }
  options->plan.argv = argv + next;
  if (options->plan.script) {
    options->plan.argv = argv + next - 1;
    options->plan.argv[0] = self;
    if (access(argv[next], R_OK) != 0) {
      fprintf(stderr, "rondo %s: there is no script %s%s\n", command, argv[next],
              exec_finds(argv[next]) ? "; for a program, write -- before it" : "");
      return NULL;
    }
  } else if (!exec_finds(argv[next])) {
    fprintf(stderr, "rondo %s: %s: no such program\n", command, argv[next]);
    return NULL;
  }
  if (!exec_prepare_sim(options->plan.argv[0], options->plan.script))
    return NULL;
  signals_set();
  sim_folder_sweep();
  sim_folder_guard();
  return &stop;
}

int sim_main(int argc, char** argv) {
  struct sim_options options = {0};
  int next = sim_options_read(&options, argc, argv);
  if (next <= 0)
    return -next;
  if (options.merge) {
    sim_options_free(&options);
    return sim_merge(argv + next, argc - next, options.json);
  }
  if (sim_prepare("sim", &options, argv, next) == NULL)
    return NOTHING_TRIED;
  options.plan.show = options.runs == 1 && !options.json && options.plan.match == NULL &&
                      (options.seed_given || options.plan.time_only);
  if (options.plan.time_only && options.plan.show) {
    int status = run_alone(&options);
    sim_folder_guard_end();
    return status;
  }
  struct sim_search search = {.options = &options,
                              .since = world_real_ns(),
                              .is_terminal = isatty(STDERR_FILENO) && !options.json};
  int code = NOTHING_TRIED;
  if (together_begin(&search.together, &options)) {
    search_all(&search, &stop);
    code = search_report(&search);
  }
  search_free(&search);
  sim_options_free(&options);
  sim_folder_guard_end();
  return code;
}
