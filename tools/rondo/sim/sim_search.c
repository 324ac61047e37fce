/* Seed after seed: see sim_search.h. */
#include "sim_search.h"

#include "sim_find.h"

#include <stdio.h>
#include <stdlib.h>

/* A search that tries both begins with so many of the tree. */
enum { RUNS_AT_ONCE = 64, TREE_FIRST = 32 };

/* --- progress ----------------------------------------------------------------------- */

static void progress_show(struct sim_search* search) {
  uint64_t now = world_real_ns();
  if (!search->is_terminal || now - search->shown_at < WORLD_SECOND / 5)
    return;
  char time[32];
  double seconds = (double) (now - search->since) / 1e9;
  search->shown_at = now;
  sim_time_words(search->virtual_ns, time, sizeof(time));
  fprintf(stderr, "\r\033[K%u of %u runs, %u failed, %s of virtual time, %.1f runs/s",
          search->ended, search->options->runs, search->failed, time,
          seconds > 0 ? search->ended / seconds : 0);
  if (search->options->way != SIM_RANDOM)
    fprintf(stderr, ", %zu schedules known", search->tree.count);
}

static void progress_clear(const struct sim_search* search) {
  if (search->is_terminal)
    fputs("\r\033[K", stderr);
}

/* --- counting ----------------------------------------------------------------------- */

static void seeds_add(struct sim_seeds* list, uint64_t seed) {
  uint64_t* seeds = realloc(list->seeds, (list->count + 1) * sizeof(*seeds));
  if (seeds == NULL)
    return;
  unsigned int at = list->count++;
  for (; at > 0 && seeds[at - 1] > seed; at--)
    seeds[at] = seeds[at - 1];
  seeds[at] = seed;
  list->seeds = seeds;
}

static void search_count(struct sim_search* search, const struct sim_run* run) {
  search->ended++;
  search->virtual_ns += run->virtual_ns;
  search->decisions += run->decisions_made;
  search->schedules += sim_run_hash(run);
}

static void run_drop(struct sim_run* run) {
  if (run == NULL)
    return;
  sim_run_free(run);
  free(run);
}

/* A run that failed; `before` is the same seed's run beside others, or NULL. */
static void search_note_failure(struct sim_search* search, struct sim_run* run,
                                struct sim_run* before) {
  search->failed++;
  if (!run->is_systematic)
    seeds_add(&search->failed_seeds, run->seed);
  if (search->found != NULL && search->found->seed <= run->seed) {
    run_drop(run);
    run_drop(before);
    return;
  }
  run_drop(search->found);
  run_drop(search->found_before);
  search->found = run;
  search->found_before = before;
}

/* --- a failure, alone --------------------------------------------------------------- */

/* A failure of a run that was asked for by its seed, or one of many with --keep-going,
 * counts as it is if the run was alone; for the others it takes a second one. */
static bool needs_second(const struct sim_search* search, const struct sim_run* run) {
  const struct sim_options* options = search->options;
  bool was_alone = !run->had_company && !run->isolate;
  bool is_asked_for = options->seed_given && options->runs == 1;
  return !(was_alone && (is_asked_for || options->keep_going));
}

static void doubt_say(const struct sim_search* search, const struct sim_run* run) {
  char words[160];
  sim_run_outcome_words(run, words, sizeof(words));
  bool was_alone = !run->had_company && !run->isolate;
  if (search->is_terminal)
    fputs("\r\033[K", stderr);
  fprintf(stderr,
          "rondo sim: seed %llu failed (%s) and did not when it was run again, alone: no "
          "finding%s\n",
          (unsigned long long) run->seed, words,
          was_alone ? "" : "; from here on one run at a time");
}

/* Runs the seed again, with nothing beside it and with all that the machine has. */
static void search_confirm(struct sim_search* search, struct sim_run* run,
                           const volatile sig_atomic_t* stop) {
  if (!needs_second(search, run)) {
    search_note_failure(search, run, NULL);
    return;
  }
  struct sim_plan plan = search->options->plan;
  struct sim_run* again = calloc(1, sizeof(*again));
  plan.show = false;
  if (again != NULL)
    *again = sim_run_like(run);
  bool ran = again != NULL && sim_run_whole(&plan, again, stop);
  if (ran && sim_run_failed(again)) {
    search_note_failure(search, again, run);
    return;
  }
  run_drop(again);
  if (ran) {
    doubt_say(search, run);
    if (!run->is_systematic)
      seeds_add(&search->unrepeated_seeds, run->seed);
    if (run->had_company || run->isolate)
      together_doubt(&search->together);
  }
  run_drop(run);
}

/* --- searching ---------------------------------------------------------------------- */

/* The runs that go on, and those that failed and wait to be run alone. */
struct search_runs {
  struct sim_run* active[RUNS_AT_ONCE];
  size_t active_count;
  struct sim_run* doubtful[RUNS_AT_ONCE];
  size_t doubtful_count;
  bool is_broken; /* no run can be started */
};

/* A part of a search takes every so many-th seed. */
static unsigned int search_runs(const struct sim_search* search) {
  const struct sim_options* options = search->options;
  bool is_part = options->shards > 1 && options->way == SIM_RANDOM;
  return is_part ? (options->runs + options->shards - options->shard) / options->shards
                 : options->runs;
}

static void search_choose(struct sim_search* search, struct sim_run* run) {
  const struct sim_options* options = search->options;
  unsigned int shards = options->shards < 1 ? 1 : options->shards;
  unsigned int shard = options->shard < 1 ? 1 : options->shard;
  run->number = search->started + 1;
  run->seed = options->first_seed;
  if (options->choices != NULL) {
    run->is_systematic = true;
    run->choices = options->choices;
    run->choice_count = options->choice_count;
  } else if (options->way == SIM_RANDOM) {
    run->seed += (uint64_t) search->started * shards + shard - 1;
  } else if (tree_has_next(&search->tree) &&
             (options->way == SIM_SYSTEMATIC || search->started < TREE_FIRST ||
              search->seeds_tried * 2 >= search->started)) {
    tree_take(&search->tree, run);
  } else {
    run->seed += (uint64_t) search->seeds_tried++ * shards + shard - 1;
  }
}

static bool search_wants_more(const struct sim_search* search,
                              const struct search_runs* runs) {
  unsigned int jobs = search->together.learnt == 0 || (search->together.learnt == 1 &&
                                                       search->together.written_count > 0)
                          ? 1
                          : search->together.jobs;
  bool is_left = search->options->way == SIM_RANDOM || tree_has_next(&search->tree) ||
                 (search->options->way == SIM_BOTH &&
                  (search->each == NULL ||
                   (search->tree.under_way == 0 && !tree_is_complete(&search->tree))));
  return is_left && !runs->is_broken && runs->doubtful_count == 0 &&
         runs->active_count < jobs && search->started < search_runs(search) &&
         !search->is_enough && (search->found == NULL || search->options->keep_going);
}

static void search_start(struct sim_search* search, struct search_runs* runs) {
  struct sim_run* run = calloc(1, sizeof(*run));
  runs->is_broken = run == NULL;
  if (run == NULL)
    return;
  search_choose(search, run);
  run->isolate = search->together.isolate;
  if (!sim_run_start(&search->options->plan, run)) {
    sim_run_finish(&search->options->plan, run);
    run_drop(run);
    runs->is_broken = true;
    return;
  }
  search->started++;
  runs->active[runs->active_count++] = run;
  for (size_t i = 0; i < runs->active_count && runs->active_count > 1; i++)
    runs->active[i]->had_company = true;
}

/* With --verbose: where more than one thing could come, what did, and what else there
 * was.
 */
static void points_say(const struct sim_points* points) {
  for (size_t i = 0; i < points->count; i++) {
    const struct sim_point* point = &points->list[i];
    fprintf(stderr, "rondo sim: choice %zu, at %.6g ms:", i, (double) point->at / 1e6);
    for (uint32_t k = 0; k < point->count; k++)
      fprintf(stderr, "%s%s %u %s", k == 0 ? "" : ";", k == point->chosen ? " >" : "", k,
              point->words[k]);
    fputc('\n', stderr);
  }
}

/* With --verbose: what a schedule of a systematic search was, and how it ended. */
static void schedule_say(const struct sim_search* search, const struct sim_run* run) {
  char words[160];
  sim_run_outcome_words(run, words, sizeof(words));
  fprintf(stderr, "rondo sim: schedule %u: %s%s", search->ended,
          run->is_off_path ? "other alternatives than before, " : "", words);
  for (size_t i = 0; i < run->decision_count; i++)
    fprintf(stderr, "; %s", run->decisions[i].words);
  fputc('\n', stderr);
}

/* False if the search was stopped. */
static bool search_await(struct sim_search* search, struct search_runs* runs,
                         const volatile sig_atomic_t* stop) {
  const struct sim_plan* plan = &search->options->plan;
  int over = sim_run_wait(plan, runs->active, runs->active_count, stop);
  if (over < 0)
    return false;
  struct sim_run* run = runs->active[over];
  runs->active[over] = runs->active[--runs->active_count];
  sim_run_finish(plan, run);
  if (run->outcome == OUTCOME_BROKEN) {
    search->is_broken = runs->is_broken = true;
    run_drop(run);
    return true;
  }
  search_count(search, run);
  if (run->is_systematic && search->options->choices == NULL) {
    if (plan->verbose)
      schedule_say(search, run);
    tree_learn(&search->tree, run);
  } else if (run->is_systematic && plan->verbose)
    points_say(&run->points);
  progress_show(search);
  together_learn(&search->together, run);
  if (search->each != NULL)
    search->is_enough |= search->each(run, search->data);
  if (search->each == NULL && sim_run_failed(run))
    runs->doubtful[runs->doubtful_count++] = run;
  else
    run_drop(run);
  return true;
}

/* Takes the lowest seed first: it is the finding, if it fails again. */
static void search_confirm_all(struct sim_search* search, struct search_runs* runs,
                               const volatile sig_atomic_t* stop) {
  while (runs->doubtful_count > 0) {
    size_t lowest = 0;
    for (size_t i = 1; i < runs->doubtful_count; i++) {
      if (runs->doubtful[i]->seed < runs->doubtful[lowest]->seed)
        lowest = i;
    }
    struct sim_run* run = runs->doubtful[lowest];
    runs->doubtful[lowest] = runs->doubtful[--runs->doubtful_count];
    if (search->found == NULL || search->options->keep_going)
      search_confirm(search, run, stop);
    else
      run_drop(run);
  }
}

void search_all(struct sim_search* search, const volatile sig_atomic_t* stop) {
  struct search_runs runs = {.active_count = 0};
  const struct sim_options* options = search->options;
  if (options->way != SIM_RANDOM &&
      !tree_begin(&search->tree, options->shard, options->shards))
    return;
  while (!*stop) {
    while (search_wants_more(search, &runs))
      search_start(search, &runs);
    if (runs.active_count > 0 && !search_await(search, &runs, stop))
      break;
    if (runs.active_count == 0 && runs.doubtful_count == 0 &&
        !search_wants_more(search, &runs))
      break;
    if (runs.active_count == 0)
      search_confirm_all(search, &runs, stop);
  }
  for (size_t i = 0; i < runs.active_count; i++) {
    sim_run_finish(&search->options->plan, runs.active[i]);
    run_drop(runs.active[i]);
  }
  for (size_t i = 0; i < runs.doubtful_count; i++)
    run_drop(runs.doubtful[i]);
  progress_clear(search);
}

void search_free(struct sim_search* search) {
  run_drop(search->found);
  run_drop(search->found_before);
  tree_free(&search->tree);
  free(search->failed_seeds.seeds);
  free(search->unrepeated_seeds.seeds);
  together_free(&search->together);
}
