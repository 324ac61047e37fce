/* From a failing seed to the few decisions that it takes.
 *
 * The seed is run again, to see that it repeats. Then the program is run with fewer and
 * fewer of the schedule's decisions allowed, by delta debugging: halves first, then
 * smaller parts, then one by one; a subset that still fails in the same way is the new
 * schedule. Decisions are independent of each other, so leaving one out changes none of
 * the others. */
#include "sim_find.h"

#include "exec.h"
#include "sim_folder.h"
#include "sim_story.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs that a shrinking may take. */
enum { TRIES_MOST = 400 };

struct shrink {
  const struct sim_options* options;
  struct sim_finding* finding;
  const volatile sig_atomic_t* stop;
  char** keys;       /* the present schedule */
  char** named_argv; /* the program, with names for its functions */
  size_t count;
};

static bool fails_alike(const struct sim_run* one, const struct sim_run* other) {
  return sim_run_failed(one) && one->outcome == other->outcome &&
         one->detail == other->detail;
}

static bool is_alike(const struct sim_options* options, const struct sim_run* one,
                     const struct sim_run* other) {
  return (options->alike == NULL ? fails_alike : options->alike)(one, other);
}

static void run_again(struct sim_run* again, const struct sim_run* run) {
  *again = sim_run_like(run);
}

/* Runs with these decisions only; if it still fails, this run is the smallest so far. */
static bool shrink_try(struct shrink* shrink, char* const* keys, size_t count) {
  struct sim_run again;
  struct sim_plan plan = shrink->options->plan;
  plan.show = false;
  run_again(&again, &shrink->finding->run);
  again.allow_some = !again.is_systematic;
  again.allowed = keys;
  again.allowed_count = count;
  shrink->finding->tries++;
  if (*shrink->stop || shrink->finding->tries > TRIES_MOST ||
      !sim_run_whole(&plan, &again, shrink->stop) ||
      !is_alike(shrink->options, &again, &shrink->finding->run)) {
    sim_run_free(&again);
    return false;
  }
  sim_run_free(&shrink->finding->smallest);
  again.allowed = NULL;
  shrink->finding->smallest = again;
  shrink->finding->is_proved = true;
  return true;
}

/* Leaves out the part from `from` on; true if it still fails. */
static bool shrink_without(struct shrink* shrink, size_t from, size_t length) {
  char** rest = malloc((shrink->count + 1) * sizeof(*rest));
  size_t kept = 0;
  if (rest == NULL)
    return false;
  for (size_t i = 0; i < shrink->count; i++) {
    if (i < from || i >= from + length)
      rest[kept++] = shrink->keys[i];
  }
  bool fails = shrink_try(shrink, rest, kept);
  if (fails) {
    memcpy(shrink->keys, rest, kept * sizeof(*rest));
    shrink->count = kept;
  }
  free(rest);
  return fails;
}

static void shrink_by_parts(struct shrink* shrink) {
  size_t length = (shrink->count + 1) / 2;
  while (length >= 1 && shrink->count > 0 && !*shrink->stop &&
         shrink->finding->tries < TRIES_MOST) {
    bool smaller = false;
    for (size_t from = 0; from < shrink->count;) {
      if (shrink_without(shrink, from, length))
        smaller = true;
      else
        from += length;
    }
    if (length == 1 && !smaller)
      break;
    length = length > 1 ? (length + 1) / 2 : 1;
  }
}

/* The decision of a run there, or NULL if it ended before. */
static char* words_at(const struct sim_run* run, size_t at) {
  return at < run->decision_count ? strdup(run->decisions[at].words) : NULL;
}

/* The second run with the same seed, unless the one before was the same. */
static void prove(const struct sim_options* options, struct sim_finding* finding,
                  const struct sim_run* before, const volatile sig_atomic_t* stop) {
  struct sim_run again;
  if (before != NULL && sim_run_same(&finding->run, before, &finding->differs_at)) {
    finding->repeats = finding->is_proved = true;
    return;
  }
  struct sim_plan plan = options->plan;
  plan.show = false;
  run_again(&again, &finding->run);
  finding->tries++;
  if (sim_run_whole(&plan, &again, stop)) {
    finding->repeats = sim_run_same(&finding->run, &again, &finding->differs_at);
    if (!finding->repeats) {
      finding->differs_words[0] = words_at(&finding->run, finding->differs_at);
      finding->differs_words[1] = words_at(&again, finding->differs_at);
    }
    finding->is_proved = is_alike(options, &again, &finding->run);
  }
  sim_run_free(&again);
}

/* One more run of the smallest schedule, in which our runtime or a Node says from where
 * its requests come: the words of the decisions have file and line then. */
static void add_origins(struct shrink* shrink) {
  struct sim_run before = shrink->finding->smallest;
  bool proved = shrink->finding->is_proved;
  if (shrink->count == 0 || *shrink->stop)
    return;
  exec_report_origins();
  memset(&shrink->finding->smallest, 0, sizeof(before));
  if (shrink_try(shrink, shrink->keys, shrink->count) &&
      shrink->finding->smallest.decision_count == shrink->count) {
    sim_run_free(&before);
    return;
  }
  sim_run_free(&shrink->finding->smallest);
  shrink->finding->smallest = before;
  shrink->finding->is_proved = proved;
}

/* --- recordings ------------------------------------------------------------------- */

static void recordings_free(struct sim_recordings* recordings) {
  for (size_t i = 0; i < recordings->count; i++)
    free(recordings->all[i].path);
  free(recordings->all);
}

/* The first process's recording has the name that was given, those of others the pid
 * behind it. */
static void recordings_find(const struct sim_run* run, const char* path,
                            struct sim_recordings* found) {
  *found = (struct sim_recordings){0};
  found->all = calloc(run->process_count + 1, sizeof(*found->all));
  for (size_t i = 0; i < run->process_count && found->all != NULL; i++) {
    char* name = NULL;
    const struct sim_process* process = &run->processes[i];
    bool is_first = strchr(process->path, '.') == NULL;
    if ((is_first ? asprintf(&name, "%s", path)
                  : asprintf(&name, "%s.%d", path, process->pid)) < 0)
      continue;
    if (access(name, R_OK) != 0) {
      free(name);
      continue;
    }
    struct sim_recording* recording = &found->all[found->count++];
    memcpy(recording->process, process->path, sizeof(recording->process));
    recording->path = name;
  }
}

/* Runs once more with these decisions, recorded. The path, or NULL. */
static char* record(const struct shrink* shrink, const char* folder, const char* what,
                    size_t count, bool* fails, struct sim_recordings* recordings) {
  struct sim_plan plan = shrink->options->plan;
  struct sim_run again;
  size_t size = strlen(folder) + 64;
  char* path = malloc(size);
  if (path == NULL)
    return NULL;
  snprintf(path, size, "%s/seed-%llu-%s.rtrace", folder,
           (unsigned long long) shrink->finding->run.seed, what);
  plan.show = false;
  plan.argv = shrink->named_argv;
  run_again(&again, &shrink->finding->run);
  again.allow_some = !again.is_systematic;
  again.allowed = shrink->keys;
  again.allowed_count = count;
  again.record = path;
  if (again.is_systematic && count < shrink->count)
    again.choice_count--;
  unlink(path);
  bool ran = sim_run_whole(&plan, &again, shrink->stop);
  *fails = ran && is_alike(shrink->options, &again, &shrink->finding->run);
  if (ran)
    recordings_find(&again, path, recordings);
  sim_run_free(&again);
  if (ran && access(path, R_OK) == 0)
    return path;
  free(path);
  return NULL;
}

static void record_forget(char** path) {
  if (*path != NULL)
    unlink(*path);
  free(*path);
  *path = NULL;
}

/* The failing schedule, and the same without its last decision, which passes: recorded,
 * for the story and for whom wants to see more. */
static void record_both(struct shrink* shrink) {
  int fd = -1;
  char* scratch = NULL;
  struct sim_finding* finding = shrink->finding;
  const char* folder = shrink->options->output;
  if (*shrink->stop || finding->fails_anyway || shrink->count == 0)
    return;
  if (folder != NULL && mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "rondo sim: %s: %s\n", folder, strerror(errno));
    return;
  }
  if (folder == NULL && (scratch = sim_folder_make(FOLDER_ON_DISK, &fd)) == NULL)
    return;
  shrink->named_argv = shrink->options->plan.argv;
  if (!shrink->options->plan.script)
    shrink->named_argv = exec_name_functions(shrink->options->plan.argv);
  const char* place = folder == NULL ? scratch : folder;
  bool first_fails = false, second_fails = false;
  struct sim_recordings failing = {0}, passing = {0};
  finding->kept_failing =
      record(shrink, place, "failing", shrink->count, &first_fails, &failing);
  finding->kept_passing =
      record(shrink, place, "passing", shrink->count - 1, &second_fails, &passing);
  /* A program may do other things when it is recorded: then they are no comparison. */
  if (finding->kept_failing != NULL && finding->kept_passing != NULL && first_fails &&
      !second_fails)
    finding->story = sim_story(sim_find_smallest(finding), &passing, &failing);
  recordings_free(&failing);
  recordings_free(&passing);
  if (folder != NULL)
    return;
  record_forget(&finding->kept_failing);
  record_forget(&finding->kept_passing);
  sim_folder_remove(scratch);
  if (fd >= 0)
    close(fd);
  free(scratch);
}

/* Runs without one of its choices; if it still fails, that is the finding's run from here
 * on. The points behind the choice may have other numbers then: so it may fail no more,
 * and the choice is kept. */
static bool choice_drop(struct shrink* shrink, size_t which) {
  struct sim_finding* finding = shrink->finding;
  size_t count = finding->run.choice_count - 1;
  struct world_choice* fewer = malloc((count + 1) * sizeof(*fewer));
  struct sim_plan plan = shrink->options->plan;
  if (fewer == NULL)
    return false;
  memcpy(fewer, finding->run.choices, which * sizeof(*fewer));
  memcpy(fewer + which, finding->run.choices + which + 1,
         (count - which) * sizeof(*fewer));
  struct sim_run again = sim_run_like(&finding->run);
  again.choices = fewer;
  again.choice_count = count;
  plan.show = false;
  finding->tries++;
  if (!sim_run_whole(&plan, &again, shrink->stop) || again.is_off_path ||
      !is_alike(shrink->options, &again, &finding->run)) {
    sim_run_free(&again);
    free(fewer);
    return false;
  }
  sim_run_free(&finding->run);
  free(finding->fewer);
  finding->run = again;
  finding->fewer = fewer;
  return true;
}

/* The search tries cheap schedules first (sim_rank.h), and not those with few choices. */
static void find_of_choices(struct shrink* shrink) {
  for (size_t i = shrink->finding->run.choice_count; i-- > 0 && !*shrink->stop;) {
    if (shrink->finding->run.choice_count > 1)
      (void) choice_drop(shrink, i);
  }
  shrink->count = shrink->finding->run.decision_count;
  shrink->finding->fails_anyway = shrink->count == 0;
  if (shrink->count == 0)
    return;
  add_origins(shrink);
  record_both(shrink);
}

void sim_find(const struct sim_options* options, struct sim_finding* finding,
              const struct sim_run* before, const volatile sig_atomic_t* stop) {
  struct shrink shrink = {.options = options, .finding = finding, .stop = stop};
  prove(options, finding, before, stop);
  if (!options->shrink)
    return;
  shrink.count = finding->run.decision_count;
  if (finding->run.is_systematic) {
    find_of_choices(&shrink);
    return;
  }
  shrink.keys = malloc((shrink.count + 1) * sizeof(*shrink.keys));
  if (shrink.keys == NULL)
    return;
  for (size_t i = 0; i < shrink.count; i++)
    shrink.keys[i] = finding->run.decisions[i].key;
  if (shrink_try(&shrink, shrink.keys, 0)) {
    finding->fails_anyway = true;
  } else {
    shrink_by_parts(&shrink);
  }
  add_origins(&shrink);
  record_both(&shrink);
  free(shrink.keys);
}

const struct sim_run* sim_find_smallest(const struct sim_finding* finding) {
  bool has_smaller = finding->smallest.seed != 0 ||
                     (finding->fails_anyway && !finding->run.is_systematic);
  return has_smaller ? &finding->smallest : &finding->run;
}

void sim_find_free(struct sim_finding* finding) {
  sim_run_free(&finding->run);
  sim_run_free(&finding->smallest);
  free(finding->differs_words[0]);
  free(finding->differs_words[1]);
  free(finding->fewer);
  free(finding->story);
  free(finding->kept_failing);
  free(finding->kept_passing);
}
