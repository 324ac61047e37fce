/* The lines of `rondo step`, one for each beginning and end of a callback, and the wait
 * behind each: see sim_step.h.
 *
 * The beginning of a span is kept back until something follows it: the name of its
 * function, another span, or its end. An engine reports the name right before it calls
 * the function, so the wait comes before the function. What is shown of the queues is
 * what was in them when the span began. */
#include "sim/sim_step_state.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/own_fd.h"
#include "loop/loop.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool sim_step_is_on;

static const char* const phase_names[] = {"timers", "pending", "idle",   "prepare",
                                          "poll",   "check",   "closing"};

/* The file of the world's steps, and that of its output, by which a step says how much
 * had been printed. */
static struct {
  int pid; /* whose these are */
  int steps, output;
  char path[WORLD_PATH];
} step_files;

static int step_open(const struct world* world, const char* name, int flags) {
  char path[WORLD_FOLDER + 32];
  snprintf(path, sizeof(path), "%s/%s", world->folder, name);
  return own_fd_raise(open(path, flags | O_CLOEXEC, 0600));
}

static void step_files_open(struct world* world) {
  if (step_files.pid == getpid())
    return;
  step_files.pid = getpid();
  step_files.steps = step_open(world, "steps", O_WRONLY | O_CREAT | O_APPEND);
  step_files.output = step_open(world, "output", O_RDONLY);
  world_own_path(world, step_files.path);
}

static uint64_t output_size(void) {
  struct stat about;
  return step_files.output >= 0 && fstat(step_files.output, &about) == 0
             ? (uint64_t) about.st_size
             : 0;
}

struct sim_step* step_make(struct sim_state* sim) {
  if (sim->step == NULL)
    sim->step = mem_calloc(1, sizeof(*sim->step));
  if (sim->step != NULL && sim->step->order == 0) {
    sim->step->order = 1;
    sim->step->phase = -1;
  }
  return sim->step;
}

struct sim_step* step_of(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  if (sim_is_engines_loop(loop) || sim->world->folder[0] == '\0')
    return NULL;
  step_files_open(sim->world);
  return step_make(sim);
}

void sim_step_close(struct sim_state* sim) {
  struct sim_step* step = sim->step;
  if (step == NULL)
    return;
  step_items_free(step);
  mem_free(step->pending.line.bytes);
  mem_free(step->pending.name);
  mem_free(step->content.bytes);
  mem_free(step->line.bytes);
  mem_free(step);
  sim->step = NULL;
}

static struct sim_step* step_now(uv_loop_t* loop) {
  return simulated(loop) ? step_of(loop) : NULL;
}

/* --- standing still ----------------------------------------------------------------- */

/* Until the command lets the world go on behind step `number`. A command that is gone
 * ends the run, so this ends. */
static void step_hold(struct world* world, uint64_t number) {
  bool is_held = false;
  for (;;) {
    uint32_t seen = __atomic_load_n(&world->step_bell, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&world->step_permit, __ATOMIC_ACQUIRE) > number)
      break;
    if (!is_held)
      __atomic_add_fetch(&world->step_held, 1, __ATOMIC_ACQ_REL);
    is_held = true;
    syscall(SYS_futex, &world->step_bell, FUTEX_WAIT, seen, NULL, NULL, 0);
  }
  if (is_held)
    __atomic_sub_fetch(&world->step_held, 1, __ATOMIC_ACQ_REL);
}

/* --- lines -------------------------------------------------------------------------- */

/* Numbers the line, which begins behind its number, and writes it. */
static uint64_t line_write(uv_loop_t* loop, struct sim_step* step,
                           const struct step_text* rest) {
  struct world* world = sim_of(loop)->world;
  struct step_text* line = &step->line;
  line->used = 0;
  world_lock(world);
  uint64_t number = ++world->steps;
  step_text_add(line, "{\"n\":%llu%.*s}\n", (unsigned long long) number, (int) rest->used,
                rest->bytes == NULL ? "" : rest->bytes);
  size_t written = 0;
  while (step_files.steps >= 0 && written < line->used) {
    ssize_t n = write(step_files.steps, line->bytes + written, line->used - written);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    written += (size_t) n;
  }
  if (line->is_short || rest->is_short || written < line->used)
    world->steps_lost++;
  world_unlock(world);
  step->last = number;
  return number;
}

static void line_begin(const uv_loop_t* loop, const struct sim_step* step,
                       struct step_text* text, const char* kind) {
  const struct world* world = sim_of(loop)->world;
  text->used = 0;
  step_text_add(text, ",\"process\":\"%s\",\"loop\":%u,\"at\":%llu,\"turn\":%llu",
                step_files.path, sim_of(loop)->number,
                (unsigned long long) (world_now(world) - world->start),
                (unsigned long long) step->turn);
  if (step->phase >= 0 && step->phase < (int) ARRAY_LENGTH(phase_names))
    step_text_add(text, ",\"phase\":\"%s\"", phase_names[step->phase]);
  step_text_add(text, ",\"what\":\"%s\",\"depth\":%u,\"output\":%llu", kind, step->depth,
                (unsigned long long) output_size());
  if (world->flags & WORLD_CHOICES)
    step_text_add(text, ",\"points\":%u",
                  __atomic_load_n(&world->points, __ATOMIC_RELAXED));
}

/* Appends the queues unless they are as in the last line that has them. */
static bool line_queues(uv_loop_t* loop, struct sim_step* step, struct step_text* text) {
  struct step_text now = {0};
  step_queues_write(loop, step, &now);
  bool is_same = step->content.used == now.used && now.bytes != NULL &&
                 memcmp(step->content.bytes, now.bytes, now.used) == 0;
  if (!is_same && now.bytes != NULL)
    step_text_add(text, ",\"queues\":%s", now.bytes);
  text->is_short |= now.is_short;
  mem_free(step->content.bytes);
  step->content = now;
  return !is_same;
}

static uint64_t outermost_open(const struct sim_step* step) {
  unsigned int depth = step->depth < STEP_DEPTH ? step->depth : STEP_DEPTH;
  return depth == 0 ? 0 : step->open[depth - 1];
}

/* --- spans -------------------------------------------------------------------------- */

/* Writes the span that was kept back, and stops before it. The engine has taken what it
 * calls out of its queue by now. */
static void pending_flush(uv_loop_t* loop, struct sim_step* step) {
  if (!step->pending.is_open)
    return;
  step->pending.is_open = false;
  if (step->pending.is_engines) {
    step->pending.by = step->taken_by;
    step->taken_by = 0;
  }
  if (step->pending.by != 0)
    step_text_add(&step->pending.line, ",\"by\":%llu",
                  (unsigned long long) step->pending.by);
  if (!step->pending.is_idle)
    (void) line_queues(loop, step, &step->pending.line);
  if (step->pending.name != NULL) {
    step_text_add(&step->pending.line, ",\"name\":");
    step_text_string(&step->pending.line, step->pending.name);
    mem_free(step->pending.name);
    step->pending.name = NULL;
  }
  uint64_t number = line_write(loop, step, &step->pending.line);
  if (step->depth <= STEP_DEPTH)
    step->open[step->depth - 1] = number;
  step_hold(sim_of(loop)->world, number);
}

static void subject_words(struct sim_step* step, uint64_t subject, char* words,
                          size_t size) {
  unsigned int kind = subject >> TRACE_SUBJECT_SHIFT & 0xff;
  const void* address = (const void*) (uintptr_t) step_object_key(subject);
  const char* name;
  if (kind == TRACE_SUBJECT_NODE + TRACE_NODE_TIMEOUT)
    snprintf(words, size, "timeout");
  else if (kind == TRACE_SUBJECT_NODE + TRACE_NODE_IMMEDIATE)
    snprintf(words, size, "immediate");
  else if (kind >= TRACE_SUBJECT_NODE || subject == 0)
    words[0] = '\0';
  else if (kind >= TRACE_SUBJECT_FS)
    snprintf(words, size, "fs %s", sim_fs_name((uv_fs_type) (kind - TRACE_SUBJECT_FS)));
  else if (kind >= TRACE_SUBJECT_REQ) {
    name = uv_req_type_name((uv_req_type) (kind - TRACE_SUBJECT_REQ));
    snprintf(words, size, "%s", name == NULL ? "request" : name);
  } else
    step_handle_words(step, address, words, size);
}

/* Whether what is called back is in a queue of the engine's, not of the loop's. */
static bool subject_is_engines(uint64_t subject) {
  return (subject >> TRACE_SUBJECT_SHIFT & 0xff) >= TRACE_SUBJECT_NODE;
}

static uint64_t subject_by(struct sim_step* step, uint64_t subject) {
  const struct step_object* object = step_object(step, step_object_key(subject));
  return object == NULL ? 0 : object->by;
}

static struct step_text* step_span_begin(uv_loop_t* loop, struct sim_step* step,
                                         const char* kind) {
  struct step_text* text = &step->pending.line;
  pending_flush(loop, step);
  line_begin(loop, step, text, kind);
  text->is_short = false;
  step->depth++;
  step->pending.is_open = true;
  step->pending.is_idle = step->pending.is_engines = step->pending.is_nothing = false;
  step->pending.by = 0;
  return text;
}

void sim_step_begin(uv_loop_t* loop, enum trace_kind kind, uint64_t subject,
                    void (*function)(void)) {
  struct sim_step* step = step_now(loop);
  char words[80];
  if (step == NULL)
    return;
  const char* what = kind == TRACE_TICKS        ? "ticks"
                     : kind == TRACE_MICROTASKS ? "microtasks"
                     : kind == TRACE_SCRIPT     ? "script"
                                                : "callback";
  struct step_text* text = step_span_begin(loop, step, what);
  step->pending.is_idle = kind == TRACE_TICKS || kind == TRACE_MICROTASKS;
  if (kind == TRACE_CALLBACK) {
    subject_words(step, subject, words, sizeof(words));
    step_text_add(text, ",\"subject\":\"%s\"", words);
    if (subject >> TRACE_SUBJECT_LAST_SHIFT & 1)
      step_text_add(text, ",\"closes\":true");
    step_text_function(text, "fn", function);
    step->pending.is_engines = subject_is_engines(subject);
    if (!step->pending.is_engines)
      step->pending.by = subject_by(step, subject);
  }
  if (step->pending.is_idle)
    (void) line_queues(loop, step, text);
  if (!(step->known & RONDO_STEP_NAMES_FOLLOW) || kind == TRACE_SCRIPT)
    pending_flush(loop, step);
}

void sim_step_begin_named(uv_loop_t* loop, const char* name) {
  struct sim_step* step = step_now(loop);
  if (step == NULL)
    return;
  bool is_microtasks = strncmp(name, "microtasks of ", 14) == 0;
  struct step_text* text =
      step_span_begin(loop, step, is_microtasks ? "microtasks" : "function");
  if (is_microtasks)
    (void) line_queues(loop, step, text);
  step->pending.name = mem_strdup(name);
  step->pending.is_idle = is_microtasks;
  step->pending.is_engines = !is_microtasks;
  if (!is_microtasks)
    pending_flush(loop, step);
}

/* A name that comes late is a line of its own. */
void sim_step_name(uv_loop_t* loop, const char* name) {
  struct sim_step* step = step_now(loop);
  struct step_text text = {0};
  if (step == NULL || step->depth == 0)
    return;
  if (step->pending.is_open) {
    mem_free(step->pending.name);
    step->pending.name = mem_strdup(name);
    pending_flush(loop, step);
    return;
  }
  line_begin(loop, step, &text, "name");
  step_text_add(&text,
                ",\"of\":%llu,\"name\":", (unsigned long long) outermost_open(step));
  step_text_string(&text, name);
  (void) line_write(loop, step, &text);
  mem_free(text.bytes);
}

/* Ticks and microtasks are looked for behind every callback; where there were none, there
 * is nothing to show. */
static bool step_span_was_nothing(const struct sim_step* step,
                                  const struct step_text* end, bool is_changed) {
  const char* before = strstr(step->pending.line.bytes, "\"output\":");
  const char* after = strstr(end->bytes, "\"output\":");
  return before != NULL && after != NULL && !is_changed &&
         strtoull(before + 9, NULL, 10) == strtoull(after + 9, NULL, 10);
}

static void pending_drop(struct sim_step* step) {
  step->pending.is_open = false;
  mem_free(step->pending.name);
  step->pending.name = NULL;
  step->content.used = 0; /* what the line had of the queues isn't written */
}

/* The engine takes something out of a queue: whatever the open span has changed, it did
 * before. */
void step_settle(uv_loop_t* loop, struct sim_step* step) {
  struct step_text text = {0};
  if (!step->pending.is_open || !step->pending.is_idle)
    return;
  line_begin(loop, step, &text, "end");
  bool is_changed = line_queues(loop, step, &text);
  step->pending.is_nothing = step_span_was_nothing(step, &text, is_changed);
  if (!step->pending.is_nothing)
    pending_flush(loop, step);
  mem_free(text.bytes);
}

void sim_step_end(uv_loop_t* loop) {
  struct sim_step* step = step_now(loop);
  struct step_text text = {0};
  if (step == NULL || step->depth == 0)
    return;
  bool could_be_nothing = step->pending.is_open && step->pending.is_idle;
  step->depth--;
  line_begin(loop, step, &text, "end");
  bool is_changed = line_queues(loop, step, &text);
  if (could_be_nothing &&
      (step->pending.is_nothing || step_span_was_nothing(step, &text, is_changed))) {
    pending_drop(step);
    mem_free(text.bytes);
    return;
  }
  step->depth++;
  pending_flush(loop, step);
  uint64_t of = outermost_open(step);
  step->depth--;
  step_text_add(&text, ",\"of\":%llu", (unsigned long long) of);
  uint64_t number = line_write(loop, step, &text);
  mem_free(text.bytes);
  step_hold(sim_of(loop)->world, number);
}

/* The main script of an engine that has no other span for it. */
void rondo_step_script(uv_loop_t* loop, const char* name) {
  struct sim_step* step = loop != NULL && sim_step_is_on ? step_now(loop) : NULL;
  if (step == NULL || (name == NULL) != step->in_script || step->depth > 1)
    return;
  step->in_script = name != NULL;
  if (name == NULL) {
    sim_step_end(loop);
    return;
  }
  (void) step_span_begin(loop, step, "script");
  step->pending.name = mem_strdup(name);
  pending_flush(loop, step);
}

void sim_step_run(uv_loop_t* loop) {
  rondo_step_script(loop, NULL);
}

void sim_step_begun(uv_loop_t* loop, uint64_t subject) {
  struct sim_step* step = step_now(loop);
  if (step == NULL)
    return;
  pending_flush(loop, step);
  struct step_object* object = step_object(step, step_object_key(subject));
  if (object != NULL)
    object->by = outermost_open(step);
}

/* --- turns -------------------------------------------------------------------------- */

void sim_step_turn(uv_loop_t* loop) {
  struct sim_step* step = step_now(loop);
  if (step == NULL)
    return;
  step->turn = loop->turns + 1;
  step->phase = -1;
}

void sim_step_phase(uv_loop_t* loop, int phase) {
  struct sim_step* step = step_now(loop);
  if (step != NULL)
    step->phase = phase;
}

void sim_step_sleep(uv_loop_t* loop, int64_t timeout_ns) {
  struct sim_step* step = step_now(loop);
  struct step_text text = {0};
  if (step == NULL)
    return;
  line_begin(loop, step, &text, "sleep");
  if (timeout_ns >= 0)
    step_text_add(&text, ",\"for\":%lld", (long long) timeout_ns);
  (void) line_queues(loop, step, &text);
  (void) line_write(loop, step, &text);
  mem_free(text.bytes);
}
