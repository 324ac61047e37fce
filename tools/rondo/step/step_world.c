/* The world that is stepped through: started, let go on by so many steps, read, ended. */
#include "step.h"

#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- starting ---------------------------------------------------------------------- */

static int folder_open(const struct step_world* world, const char* name) {
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/%s", world->run.folder, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool step_world_start(struct step_world* world, const struct sim_options* options,
                      const struct step_schedule* schedule,
                      const volatile sig_atomic_t* stop) {
  struct world_choice* own = calloc(schedule->count + 1, sizeof(*own));
  if (own != NULL && schedule->count > 0)
    memcpy(own, schedule->choices, schedule->count * sizeof(*own));
  *world = (struct step_world){.options = *options,
                               .schedule = *schedule,
                               .stop = stop,
                               .steps_fd = -1,
                               .output_fd = -1};
  world->schedule.choices = own;
  world->run = (struct sim_run){.seed = schedule->seed,
                                .is_systematic = !schedule->is_drawn,
                                .choices = own,
                                .choice_count = schedule->count};
  world->is_started = own != NULL && sim_run_start(&world->options.plan, &world->run);
  world->is_over = !world->is_started;
  return world->is_started;
}

/* --- reading ----------------------------------------------------------------------- */

static void line_take(struct step_world* world, const char* text, size_t length) {
  if (world->line_used + length > world->line_size) {
    size_t size = (world->line_used + length) * 2;
    char* grown = realloc(world->line, size);
    if (grown == NULL) {
      world->is_lost = true;
      return;
    }
    world->line = grown;
    world->line_size = size;
  }
  memcpy(world->line + world->line_used, text, length);
  world->line_used += length;
}

static void lines_split(struct step_world* world) {
  size_t from = 0;
  char* newline;
  while ((newline = memchr(world->line + from, '\n', world->line_used - from)) != NULL) {
    size_t length = (size_t) (newline - (world->line + from));
    if (!step_record_take(&world->record, world->line + from, length))
      world->is_lost = true;
    from += length + 1;
  }
  memmove(world->line, world->line + from, world->line_used - from);
  world->line_used -= from;
}

/* True if there was something new. */
static bool steps_read(struct step_world* world) {
  char buffer[65536];
  ssize_t n;
  bool is_new = false;
  if (world->steps_fd < 0)
    world->steps_fd = folder_open(world, "steps");
  while (world->steps_fd >= 0 &&
         (n = read(world->steps_fd, buffer, sizeof(buffer))) > 0) {
    line_take(world, buffer, (size_t) n);
    is_new = true;
  }
  if (is_new)
    lines_split(world);
  return is_new;
}

static void output_read(struct step_world* world) {
  char buffer[65536];
  ssize_t n;
  if (world->output_fd < 0)
    world->output_fd = folder_open(world, "output");
  while (world->output_fd >= 0 &&
         (n = read(world->output_fd, buffer, sizeof(buffer))) > 0) {
    char* grown = realloc(world->output, world->output_size + (size_t) n + 1);
    if (grown == NULL)
      return;
    world->output = grown;
    memcpy(grown + world->output_size, buffer, (size_t) n);
    world->output_size += (size_t) n;
    grown[world->output_size] = '\0';
  }
}

const struct sim_points* step_world_points(struct step_world* world, size_t count) {
  char path[PATH_MAX];
  if (world->points.count < count && world->run.folder != NULL) {
    sim_points_free(&world->points);
    snprintf(path, sizeof(path), "%s/choices", world->run.folder);
    sim_points_read(&world->points, path);
  }
  return &world->points;
}

/* --- going on ---------------------------------------------------------------------- */

static void permit_set(struct step_world* world, uint64_t permit) {
  struct world* memory = world->run.world;
  world->permit = permit;
  world->run.patient_since = world_real_ns(); /* it has stood still until now */
  __atomic_store_n(&memory->step_permit, permit, __ATOMIC_RELEASE);
  __atomic_add_fetch(&memory->step_bell, 1, __ATOMIC_ACQ_REL);
  syscall(SYS_futex, &memory->step_bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The program was let go on further than is wanted now: it stops at its next step. */
static void step_world_halt(struct step_world* world) {
  if (!world->is_over && (*world->stop || world->record.count >= STEPS_MOST))
    permit_set(world, __atomic_load_n(&world->run.world->steps, __ATOMIC_RELAXED));
}

/* The run is over: the last of what it wrote. */
static void step_world_note_end(struct step_world* world) {
  world->is_over = true;
  (void) steps_read(world);
  output_read(world);
  if (world->run.world->steps_lost > 0)
    world->is_lost = true;
}

static bool is_held(const struct step_world* world) {
  return __atomic_load_n(&world->run.world->step_held, __ATOMIC_ACQUIRE) != 0;
}

/* The program waits for its debugger, or is stopped by it: said once in a while, with
 * what it has printed, for the debugger's address is in it. */
static void debugger_say(struct step_world* world) {
  const uint64_t pause = 20 * WORLD_SECOND;
  uint64_t debugged = __atomic_load_n(&world->run.world->debugger_at, __ATOMIC_RELAXED);
  if (debugged == 0 || (world->said_at != 0 && debugged - world->said_at < pause) ||
      debugged < world->said_at)
    return;
  bool is_first = world->said_at == 0;
  world->said_at = debugged;
  output_read(world);
  fprintf(stderr,
          "rondo step: the program is in its debugger's hands; its clock stands\n");
  if (is_first && world->record.count == 0 && world->output != NULL)
    fwrite(world->output, 1, world->output_size, stderr);
}

static void progress_show(struct step_world* world) {
  const uint64_t patience = WORLD_SECOND / 2, pause = WORLD_SECOND / 5;
  uint64_t now = world_real_ns();
  size_t count = world->record.count;
  if (!world->has_progress || now - world->asked_at < patience ||
      now - world->shown_at < pause || world->is_over)
    return;
  world->shown_at = now;
  fprintf(stderr, "\r\033[Kstep %zu, %.3f s … (Ctrl-C stops at the next)", count,
          count == 0 ? 0.0 : (double) world->record.steps[count - 1].at / 1e9);
}

void step_world_progress_end(struct step_world* world) {
  if (world->shown_at != 0)
    fputs("\r\033[K", stderr);
  world->shown_at = 0;
}

/* True once there is a step more than before, or the run is over. */
static void step_world_wait(struct step_world* world) {
  const struct timespec moment = {.tv_nsec = 100 * 1000};
  progress_show(world);
  if (steps_read(world))
    return;
  if (is_held(world)) /* all that was permitted is written */
    world->run.patient_since = world_real_ns();
  if (sim_run_is_over(&world->options.plan, &world->run)) {
    step_world_note_end(world);
    return;
  }
  debugger_say(world);
  nanosleep(&moment, NULL);
}

static bool is_time_over(const struct step_world* world) {
  return world->until_ns != 0 && world_real_ns() >= world->until_ns;
}

bool step_world_reach(struct step_world* world, size_t index) {
  if (world->record.count > index)
    return true;
  if (world->shown_at == 0)
    world->asked_at = world_real_ns();
  while (world->record.count <= index && !world->is_over && !*world->stop &&
         world->record.count < STEPS_MOST && !is_time_over(world)) {
    bool was_held = is_held(world);
    if (steps_read(world))
      continue;
    if (was_held) {
      uint64_t last = world->record.count == 0
                          ? 0
                          : world->record.steps[world->record.count - 1].number;
      uint64_t wanted = last + (index - world->record.count) + 1 + world->ahead;
      permit_set(world, wanted > world->permit ? wanted : world->permit);
    }
    step_world_wait(world);
  }
  output_read(world);
  return world->record.count > index;
}

void step_world_run(struct step_world* world) {
  if (world->is_over)
    return;
  world->asked_at = world_real_ns();
  permit_set(world, UINT64_MAX);
  while (!world->is_over && !*world->stop && world->record.count < STEPS_MOST)
    step_world_wait(world);
  step_world_halt(world);
  step_world_progress_end(world);
  output_read(world);
}

size_t step_world_check(const struct step_world* world) {
  const struct step_record* record = &world->record;
  struct step_world again;
  size_t same = 0;
  if (step_world_start(&again, &world->options, &world->schedule, world->stop) &&
      record->count > 0) {
    (void) step_world_reach(&again, record->count - 1);
    while (same < record->count && same < again.record.count &&
           step_same(&record->steps[same], &again.record.steps[same]))
      same++;
  }
  step_world_end(&again);
  return same;
}

void step_world_outcome(const struct step_world* world, char* words, size_t size) {
  words[0] = '\0';
  if (world->is_over && world->is_started)
    sim_run_outcome_words(&world->run, words, size);
}

void step_world_end(struct step_world* world) {
  if (world->steps_fd >= 0)
    close(world->steps_fd);
  if (world->output_fd >= 0)
    close(world->output_fd);
  sim_run_finish(&world->options.plan, &world->run);
  sim_run_free(&world->run);
  sim_points_free(&world->points);
  free((void*) (uintptr_t) world->schedule.choices);
  world->schedule = (struct step_schedule){0};
  step_record_free(&world->record);
  free(world->line);
  free(world->output);
  world->line = world->output = NULL;
}
