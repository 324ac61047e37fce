/* The command: runs a program under many schedules, and groups what came of them. */
#include "orders_command.h"

#include "exec.h"
#include "options.h"
#include "orders.h"
#include "sim_command.h"
#include "sim_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
  NOTHING_TRIED = 2,
  RUNS = 400,
  RUNS_OF_TREE = 5000,
  RUNS_MOST = 1000000,
  JOBS_MOST = 64,
  QUIET = 80
};

static const char usage[] =
    "usage: rondo orders [options] script.js [arguments]\n"
    "       rondo orders [options] -- program [arguments]\n"
    "\n"
    "Runs a program under schedules of `rondo sim`, and shows every outcome: what was\n"
    "printed, how often, which decisions lead to it, and which lines never change "
    "places.\n";

static const char remark[] =
    "Ends when 80 schedules in a row have shown nothing new, or after --runs of them.\n"
    "The exit status is 0 unless nothing could be tried.\n";

static int orders_options(struct sim_options* options, struct outcomes* outcomes,
                          int argc, char** argv, int* next) {
  struct sim_plan* plan = &options->plan;
  const char *by = "output", *of = NULL;
  uint64_t runs = 0, jobs = options->jobs;
  int sharing = (int) options->sharing;
  bool program = false, no_story = false;
  const struct option table[] = {
      option_choice("--by", "output|status|callbacks", &by,
                    "what makes an outcome: what was printed, which is the default; how "
                    "the program ended; or the order of its callbacks"),
      option_text("--of", "WORDS", &of,
                  "by callbacks: only those whose function, or file and line, has one of "
                  "these words, as in load,app.js:12"),
      option_count("--runs", &runs, 1, RUNS_MOST,
                   "so many schedules; unless given, 400 at most, of a systematic "
                   "search 5000"),
      {.name = "--search",
       .value = "WAY",
       .take = sim_way_take,
       .into = options,
       .problem = "random, systematic or both",
       .help = "systematic: all ways to go on wherever more than one thing could come "
               "next; random schedules; or both, which is the default"},
      {.name = "--shard",
       .value = "K/N",
       .take = sim_shard_take,
       .into = options,
       .problem = "no part such as 3/16",
       .help = "only this part of the search: every N-th seed, or some of the choices"},
      option_count("--jobs", &jobs, 1, JOBS_MOST,
                   "so many at a time, as many as processors unless given"),
      option_one_of("--isolate", &sharing, SIM_SHARING_NONE,
                    "a network and a /tmp of its own for each run"),
      option_one_of("--share", &sharing, SIM_SHARING_ALL,
                    "the machine's network and /tmp for all of them"),
      {.name = "--date",
       .value = "DATE",
       .take = sim_date_take,
       .into = &plan->wall_start,
       .problem = sim_date_problem,
       .help = "when each run begins, in UTC; the coming midnight unless given"},
      option_time("--longest", &plan->longest_ns, 1, 0, "no delay is longer"),
      option_time("--timeout", &plan->limit_ns, 1, 0,
                  "end a run when so much virtual time has passed"),
      option_time("--patience", &plan->patience_ns, 1, 0,
                  "give up a run after so much real time, 60s unless given"),
      option_flag("--no-story", &no_story,
                  "don't look for what each outcome takes: faster"),
      option_flag("--json", &options->json, "one JSON object as the result"),
      {0}};
  const struct command_line line = {.name = "rondo orders",
                                    .usage = usage,
                                    .remark = remark,
                                    .options = table,
                                    .refusal = NOTHING_TRIED};
  int code = options_read(&line, argc, argv, next, &program);
  if (code == OPTIONS_GOOD && *next >= argc)
    code = options_refuse(&line, "which script or program?", "");
  options->runs = runs != 0                        ? (unsigned int) runs
                  : options->way == SIM_SYSTEMATIC ? RUNS_OF_TREE
                                                   : RUNS;
  options->jobs = (unsigned int) jobs;
  options->sharing = (enum sim_sharing) sharing;
  plan->script = !program;
  options->shrink = !no_story;
  outcomes->quiet = runs == 0 && options->way == SIM_RANDOM ? QUIET : 0;
  outcomes->by_status = strcmp(by, "status") == 0;
  outcomes->by_callbacks = strcmp(by, "callbacks") == 0;
  if (code == OPTIONS_GOOD && of != NULL && !outcomes->by_callbacks)
    code = options_refuse(&line, "--of needs --by callbacks", "");
  callbacks_want(of);
  return code;
}

/* The run without decisions comes first. False if it could not be had. */
static bool first_run(const struct sim_options* options, struct outcomes* outcomes,
                      const volatile sig_atomic_t* stop) {
  struct sim_plan plan = options->plan;
  struct sim_run run = {.seed = 0};
  plan.time_only = true;
  bool ran = sim_run_whole(&plan, &run, stop) && run.outcome != OUTCOME_BROKEN;
  if (ran)
    (void) outcomes_take(outcomes, &run);
  sim_run_free(&run);
  return ran && outcomes->count > 0;
}

static bool take_run(struct sim_run* run, void* data) {
  return outcomes_take(data, run);
}

static int orders_search(const struct sim_options* options, struct outcomes* outcomes,
                         const volatile sig_atomic_t* stop) {
  bool is_terminal = isatty(STDERR_FILENO) && !options->json;
  struct sim_search search = {.options = options,
                              .since = world_real_ns(),
                              .is_terminal = is_terminal,
                              .each = take_run,
                              .data = outcomes};
  struct always always;
  /* A systematic search begins with the run without choices. */
  if (options->way == SIM_RANDOM && !first_run(options, outcomes, stop))
    return NOTHING_TRIED;
  if (together_begin(&search.together, options))
    search_all(&search, stop);
  outcomes->part_is_complete = tree_is_complete(&search.tree);
  if (outcomes->count == 0) {
    search_free(&search);
    return NOTHING_TRIED;
  }
  if (outcomes->is_short)
    fputs("rondo orders: there is not enough memory for all outcomes\n", stderr);
  if (options->shrink)
    outcomes_explain(outcomes, options, is_terminal, stop);
  always_find(&always, outcomes);
  if (options->json)
    orders_json(options, outcomes, &always);
  else
    orders_report(options, outcomes, &always);
  always_free(&always);
  search_free(&search);
  return 0;
}

/* The names of callbacks are those of `rondo step`. */
static void callbacks_prepare(struct sim_plan* plan) {
  plan->steps = plan->runs_on = true;
  plan->left = callbacks_read;
  exec_report_origins();
  if (!plan->script) {
    plan->argv = exec_name_functions(plan->argv);
    exec_report_queues();
  }
}

int orders_main(int argc, char** argv) {
  struct sim_options options = {0};
  struct outcomes outcomes = {0};
  int next = 1;
  sim_options_defaults(&options);
  options.way = SIM_BOTH;
  int code = orders_options(&options, &outcomes, argc, argv, &next);
  if (code != OPTIONS_GOOD)
    return code;
  options.alike = outcomes.by_status ? outcomes_same_status : outcomes_same_output;
  const volatile sig_atomic_t* stop = sim_prepare("orders", &options, argv, next);
  if (stop == NULL)
    return NOTHING_TRIED;
  if (outcomes.by_callbacks)
    callbacks_prepare(&options.plan);
  code = orders_search(&options, &outcomes, stop);
  outcomes_free(&outcomes);
  sim_folder_guard_end();
  return code;
}
