/* The first run goes on alone, with all that the machine has. If the program uses no
 * process outside, later runs get a network and a /tmp of their own, where the machine
 * allows it; else they share both, and go on one at a time if the program binds a port
 * that it chose. Runs that write one file, outside a /tmp of their own, go on one at a
 * time: the second run is alone, too, if the first wrote such a file. */
#include "sim_together.h"

#include "sim_isolate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITTEN_MOST = 4096 };

__attribute__((format(printf, 2, 3))) static void
together_say(const struct sim_together* together, const char* format, ...) {
  if (!together->options->plan.verbose)
    return;
  va_list arguments;
  va_start(arguments, format);
  fputs("rondo sim: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

bool together_begin(struct sim_together* together, const struct sim_options* options) {
  memset(together, 0, sizeof(*together));
  together->options = options;
  together->jobs = options->jobs;
  together->is_decided =
      options->sharing != SIM_SHARING_AUTO || options->jobs == 1 || options->runs == 1;
  if (options->sharing != SIM_SHARING_NONE)
    return true;
  int err = sim_run_try_isolation();
  together->isolate = err == 0;
  if (err != 0)
    fprintf(stderr,
            "rondo sim: no network and /tmp of its own for a run: %s (are user "
            "namespaces allowed here?)\n",
            strerror(err));
  return err == 0;
}

/* --- files -------------------------------------------------------------------------- */

/* A file that this run and another wrote, and that isn't a copy of each; or NULL. Notes
 * those of this run. */
static const char* written_twice(struct sim_together* together,
                                 const struct sim_run* run) {
  const char* twice = NULL;
  for (size_t i = 0; i < run->written_count; i++) {
    char* path = run->written[i];
    if (together->isolate && sim_isolate_covers(path))
      continue;
    for (size_t k = 0; k < together->written_count; k++) {
      if (together->writers[k] != run->number && strcmp(together->written[k], path) == 0)
        twice = path;
    }
    if (twice != NULL || together->written_count == WRITTEN_MOST)
      return twice;
    size_t count = together->written_count + 1;
    char** paths = realloc(together->written, count * sizeof(*paths));
    if (paths == NULL)
      return NULL;
    together->written = paths;
    uint64_t* writers = realloc(together->writers, count * sizeof(*writers));
    char* copy = writers == NULL ? NULL : strdup(path);
    if (writers != NULL)
      together->writers = writers;
    if (copy == NULL)
      return NULL;
    writers[count - 1] = run->number;
    paths[count - 1] = copy;
    together->written_count = count;
  }
  return NULL;
}

/* --- deciding ----------------------------------------------------------------------- */

static void one_at_a_time(struct sim_together* together) {
  together->jobs = 1;
  together->isolate = false;
}

/* After the first run. */
static void together_decide(struct sim_together* together, const struct sim_run* run) {
  together->is_decided = true;
  if (run->outside[0] != '\0') {
    together_say(together, "runs share the network and /tmp: the program uses %s",
                 run->outside);
    return;
  }
  int err = sim_run_try_isolation();
  together->isolate = err == 0;
  if (err == 0)
    together_say(together, "each run has a network and a /tmp of its own");
  else
    together_say(together, "runs share the network and /tmp: %s", strerror(err));
}

void together_learn(struct sim_together* together, const struct sim_run* run) {
  bool is_forced = together->options->sharing == SIM_SHARING_NONE;
  together->learnt++;
  if (!together->is_decided)
    together_decide(together, run);
  if (together->jobs == 1)
    return;
  if (together->isolate && !is_forced && run->isolate &&
      (run->outside[0] != '\0' || run->not_isolated != 0)) {
    together->isolate = false;
    together_say(together, "from here on runs share the network and /tmp: %s%s",
                 run->not_isolated == 0 ? "the program uses " : "",
                 run->not_isolated == 0 ? run->outside : strerror(run->not_isolated));
  }
  if (!together->isolate && run->fixed[0] != '\0') {
    together_say(together, "one run at a time: the program binds %s", run->fixed);
    one_at_a_time(together);
    return;
  }
  const char* path = written_twice(together, run);
  if (path == NULL)
    return;
  together_say(together, "one run at a time: each writes '%s'", path);
  one_at_a_time(together);
}

void together_doubt(struct sim_together* together) {
  if (together->options->sharing == SIM_SHARING_NONE)
    together->jobs = 1;
  else
    one_at_a_time(together);
}

void together_free(struct sim_together* together) {
  for (size_t i = 0; i < together->written_count; i++)
    free(together->written[i]);
  free(together->written);
  free(together->writers);
}
