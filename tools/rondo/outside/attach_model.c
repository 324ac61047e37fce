/* Makes a trace of what was seen: see attach.h. A look stands for the time up to the next
 * one. Looks with the same clock of the loop belong together: the loop has not looked at
 * what is ready in between, and that clock says since when. */
#include "attach.h"
#include "trace_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>

/* --- what a stack says ----------------------------------------------------------------
 */

enum state { STATE_ASLEEP, STATE_AWAKE, STATE_OUTSIDE };

struct seen_state {
  enum state state;
  unsigned int phase; /* EVENT_TIMERS and so on; 0: not known */
  int32_t name;       /* what was called, or EVENT_NONE */
  bool collects;      /* garbage */
  bool is_idle;       /* of a thread without a loop: it waits for work */
};

struct builder {
  const struct attach* attach;
  struct trace* trace;
  struct trace_process* process;
  struct trace_loop* loop;
  const struct attach_thread* thread;
};

static const char* frame_text(const struct attach* attach,
                              const struct attach_stack* stack, size_t i) {
  return namer_text(&attach->namer, attach->frames[stack->first + i]);
}

static int32_t frame_name(const struct attach* attach, const struct attach_stack* stack,
                          size_t i) {
  return (int32_t) attach->frames[stack->first + i] - 1;
}

static unsigned int phase_of(const char* name) {
  static const char* const names[] = {
      "uv__run_timers", "uv__run_pending", "uv__run_idle",           "uv__run_prepare",
      "uv__io_poll",    "uv__run_check",   "uv__run_closing_handles"};
  for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(name, names[i]) == 0)
      return EVENT_TIMERS + i;
  }
  return 0;
}

/* "parse /app/server.js:12" */
static bool is_script(const char* name) {
  const char* place = strrchr(name, ' ');
  const char* line = place == NULL ? NULL : strrchr(place, ':');
  return line != NULL && line[1] >= '0' && line[1] <= '9';
}

/* The outermost uv_run; its callee is the phase, and what that calls isn't libuv's. */
static bool stack_run_read(const struct attach* attach, const struct attach_stack* stack,
                           struct seen_state* state) {
  size_t run = stack->count;
  for (size_t i = stack->count; i-- > 0 && run == stack->count;) {
    if (strcmp(frame_text(attach, stack, i), "uv_run") == 0)
      run = i;
  }
  if (run == stack->count)
    return false;
  state->state = STATE_AWAKE;
  if (run > 0)
    state->phase = phase_of(frame_text(attach, stack, run - 1));
  for (size_t i = run; i-- > 0 && state->name == EVENT_NONE;) {
    const char* name = frame_text(attach, stack, i);
    if (state->phase == EVENT_POLL && strstr(name, "epoll_") != NULL)
      state->state = STATE_ASLEEP; /* it looks for what is ready: nobody is held up */
    else if (strncmp(name, "uv_", 3) != 0 && strncmp(name, "libuv.so", 8) != 0)
      state->name = frame_name(attach, stack, i);
  }
  return true;
}

/* Of a thread outside of uv_run the outermost function of a script, or what the thread
 * was begun for. */
static int32_t outermost_name(const struct attach* attach,
                              const struct attach_stack* stack, bool* scripted) {
  static const char* const frames[] = {"node::", "uv_",    "worker",
                                       "std::",  "__libc", "v8::platform"};
  int32_t own = EVENT_NONE, engine = EVENT_NONE;
  *scripted = false;
  for (size_t i = stack->count; i-- > 0;) {
    const char* name = frame_text(attach, stack, i);
    bool plain = !target_is_entry(name);
    for (size_t j = 0; j < sizeof(frames) / sizeof(frames[0]); j++)
      plain = plain && strncmp(name, frames[j], strlen(frames[j])) != 0;
    if (is_script(name) && strstr(name, " node:") == NULL) {
      *scripted = true;
      return frame_name(attach, stack, i);
    }
    if (is_script(name) && engine == EVENT_NONE)
      engine = frame_name(attach, stack, i);
    if (plain && own == EVENT_NONE)
      own = frame_name(attach, stack, i);
  }
  *scripted = engine != EVENT_NONE;
  return engine != EVENT_NONE ? engine : own;
}

static bool stack_collects(const struct attach* attach,
                           const struct attach_stack* stack) {
  for (size_t i = 0; i < stack->count; i++) {
    const char* name = frame_text(attach, stack, i);
    if (strncmp(name, "v8::internal::", 14) == 0 &&
        (strstr(name, "CollectGarbage") != NULL || strstr(name, "Scavenger") != NULL))
      return true;
  }
  return false;
}

/* A thread that waits for work stands in a wait for another thread or for descriptors,
 * with no function of a script around it. */
static bool is_waiting(const struct attach* attach, const struct attach_stack* stack) {
  static const char* const waits[] = {"cond_",
                                      "uv_cond",
                                      "uv_sem",
                                      "sem_wait",
                                      "futex",
                                      "epoll",
                                      "poll",
                                      "select",
                                      "sigwait",
                                      "nanosleep",
                                      "__GI___clock_nanosleep",
                                      "sigtimed"};
  for (size_t i = 0; i < stack->count && i < 3; i++) {
    const char* name = frame_text(attach, stack, i);
    for (size_t j = 0; j < sizeof(waits) / sizeof(waits[0]); j++) {
      if (strstr(name, waits[j]) != NULL)
        return true;
    }
  }
  return false;
}

static struct seen_state state_of(const struct builder* builder,
                                  const struct attach_sample* sample) {
  const struct attach* attach = builder->attach;
  const struct attach_thread* thread = builder->thread;
  struct seen_state state = {.state = STATE_OUTSIDE, .name = EVENT_NONE};
  bool scripted = false;
  if (thread->loop != 0 && sample->is_polling &&
      sample->fd == attach->loops[thread->loop - 1].fd) {
    state.state = STATE_ASLEEP;
    return state;
  }
  if (sample->stack == 0) {
    state.is_idle = sample->kind == ATTACH_BLOCKED;
    state.state = thread->loop != 0 ? STATE_AWAKE : STATE_OUTSIDE;
    return state;
  }
  const struct attach_stack* stack = &attach->stacks[sample->stack - 1];
  state.collects = stack_collects(attach, stack);
  if (stack_run_read(attach, stack, &state))
    return state;
  state.name = outermost_name(attach, stack, &scripted);
  state.is_idle =
      sample->kind == ATTACH_BLOCKED && !scripted && is_waiting(attach, stack);
  return state;
}

/* --- events ---------------------------------------------------------------------------
 */

static int32_t event_add(struct trace_loop* loop, unsigned int kind, uint64_t start,
                         uint64_t end, int32_t parent, int32_t name) {
  loop->events = array_grow(loop->events, loop->event_count, &loop->event_capacity,
                            sizeof(*loop->events));
  loop->events[loop->event_count] = (struct event){.start = start,
                                                   .duration = end - start,
                                                   .name = name,
                                                   .subject = EVENT_NONE,
                                                   .parent = parent,
                                                   .cause = EVENT_NONE,
                                                   .kind = (uint16_t) kind};
  return (int32_t) loop->event_count++;
}

static void sleep_add(struct trace_loop* loop, const struct attach_sample* sample,
                      uint64_t start, uint64_t end) {
  int32_t turn = event_add(loop, EVENT_TURN, start, end, EVENT_NONE, EVENT_NONE);
  int32_t poll = event_add(loop, EVENT_POLL, start, end, turn, EVENT_NONE);
  int32_t sleep = event_add(loop, EVENT_SLEEP, start, end, poll, EVENT_NONE);
  loop->events[sleep].detail = -1;
  loop->waits = array_grow(loop->waits, loop->wait_count, &loop->wait_capacity,
                           sizeof(*loop->waits));
  loop->waits[loop->wait_count++] = (struct wait){sample->handles, sample->requests};
}

/* The time of a look, from the trace's start, and to when it stands. */
static uint64_t look_start(const struct builder* builder, size_t i) {
  return builder->thread->samples[i].at_ns - builder->loop->start_ns;
}

static bool is_late(const struct builder* builder, size_t i) {
  const struct attach_sample* samples = builder->thread->samples;
  return i + 1 < builder->thread->count &&
         samples[i + 1].at_ns - samples[i].at_ns > 2 * builder->attach->options->every_ns;
}

/* A look stands for no more than twice its time, should the next one come late. */
static uint64_t look_end(const struct builder* builder, size_t i) {
  uint64_t every = builder->attach->options->every_ns;
  return i + 1 < builder->thread->count && !is_late(builder, i)
             ? look_start(builder, i + 1)
             : look_start(builder, i) + every;
}

static bool same_state(const struct seen_state* a, const struct seen_state* b) {
  return a->state == b->state && a->phase == b->phase && a->name == b->name;
}

/* A turn that was seen: looks `first` to `last`, of one value of the loop's clock. */
static void turn_add(struct builder* builder, const struct seen_state* states,
                     size_t first, size_t last, uint64_t from) {
  struct trace_loop* loop = builder->loop;
  uint64_t end = look_end(builder, last);
  int32_t turn = event_add(loop, EVENT_TURN, from, end, EVENT_NONE, EVENT_NONE);
  bool polled = false;
  if (states[first].phase > EVENT_POLL) {
    event_add(loop, EVENT_POLL, from, from, turn, EVENT_NONE);
    polled = true;
  }
  for (size_t i = first, next; i <= last; i = next) {
    for (next = i + 1; next <= last && same_state(&states[next], &states[i]); next++)
      continue;
    uint64_t start = i == first ? from : look_start(builder, i);
    int32_t parent = turn;
    if (states[i].phase != 0)
      parent = event_add(loop, states[i].phase, start, look_end(builder, next - 1), turn,
                         EVENT_NONE);
    polled = polled || states[i].phase == EVENT_POLL;
    event_add(loop, EVENT_CALLBACK, start, look_end(builder, next - 1), parent,
              states[i].name);
  }
  if (!polled)
    event_add(loop, EVENT_POLL, end, end, turn, EVENT_NONE);
}

/* When the loop last looked at what is ready, if that was after the look before. */
static uint64_t turn_start(const struct builder* builder, size_t first,
                           uint64_t not_before) {
  const struct attach_sample* sample = &builder->thread->samples[first];
  uint64_t clock = sample->clock_ms * 1000000, at = look_start(builder, first);
  if (clock < builder->loop->start_ns + not_before || clock > sample->at_ns)
    return at;
  return clock - builder->loop->start_ns;
}

static bool belong_together(const struct builder* builder,
                            const struct seen_state* states, size_t a, size_t b) {
  const struct attach_sample* samples = builder->thread->samples;
  if (states[a].state != states[b].state)
    return false;
  bool proven = samples[a].clock_ms == samples[b].clock_ms;
  if (states[a].state == STATE_OUTSIDE)
    return states[a].name == states[b].name && (proven || !is_late(builder, b - 1));
  if (states[a].state == STATE_ASLEEP)
    return samples[b - 1].cpu_ns == samples[b].cpu_ns || !is_late(builder, b - 1);
  return proven;
}

/* The event before ends where this one begins: its last look stood for less time. */
static void events_cut(struct trace_loop* loop, uint64_t end) {
  for (size_t i = loop->event_count; i-- > 0;) {
    struct event* event = &loop->events[i];
    if (event->start >= end && event->duration == 0)
      event->start = end;
    else if (event->start + event->duration > end)
      event->duration = end - event->start;
    if (event->parent == EVENT_NONE)
      return;
  }
}

/* A gap in which nobody knows what the thread did: it ends the time that the loop was
 * held up. */
static void gap_add(struct builder* builder, size_t look) {
  int32_t gap = event_add(builder->loop, EVENT_OUTSIDE, look_end(builder, look),
                          look_start(builder, look + 1), EVENT_NONE, EVENT_NONE);
  builder->loop->events[gap].detail = OUTSIDE_ENDING;
}

static void events_make(struct builder* builder, const struct seen_state* states) {
  struct trace_loop* loop = builder->loop;
  size_t count = builder->thread->count;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && belong_together(builder, states, i, next); next++)
      continue;
    uint64_t start = look_start(builder, i);
    uint64_t before = i == 0 ? start : look_start(builder, i - 1);
    if (states[i].state == STATE_ASLEEP) {
      sleep_add(loop, &builder->thread->samples[i], start, look_end(builder, next - 1));
    } else if (states[i].state == STATE_OUTSIDE) {
      event_add(loop, EVENT_SCRIPT, start, look_end(builder, next - 1), EVENT_NONE,
                states[i].name);
    } else {
      start = turn_start(builder, i, before);
      events_cut(loop, start);
      turn_add(builder, states, i, next - 1, start);
    }
    if (next < count && is_late(builder, next - 1))
      gap_add(builder, next - 1);
  }
  loop->end_ns = count == 0 ? 0 : look_end(builder, count - 1);
  int64_t turns = 0;
  for (size_t i = 0; i < loop->event_count; i++) {
    if (loop->events[i].kind == EVENT_TURN)
      loop->events[i].detail = ++turns;
  }
}

/* --- stacks, processor time, garbage --------------------------------------------------
 */

static void samples_make(struct builder* builder, const struct seen_state* states) {
  const struct attach* attach = builder->attach;
  struct trace_loop* loop = builder->loop;
  for (size_t i = 0; i < builder->thread->count; i++) {
    const struct attach_sample* sample = &builder->thread->samples[i];
    loop->looks++;
    loop->looks_asleep += states[i].state == STATE_ASLEEP;
    loop->looks_collecting += states[i].collects;
    if (sample->stack == 0 || states[i].state == STATE_ASLEEP)
      continue;
    const struct attach_stack* stack = &attach->stacks[sample->stack - 1];
    samples_add(loop, look_start(builder, i), attach->frames + stack->first,
                stack->count);
  }
}

static void cpu_make(struct builder* builder) {
  struct trace_loop* loop = builder->loop;
  for (size_t i = 1; i < builder->thread->count; i++) {
    const struct attach_sample *now = &builder->thread->samples[i], *before = now - 1;
    loop->cpu =
        array_grow(loop->cpu, loop->cpu_count, &loop->cpu_capacity, sizeof(*loop->cpu));
    loop->cpu[loop->cpu_count++] =
        (struct cpu_time){.until = look_start(builder, i),
                          .awake = now->at_ns - before->at_ns,
                          .used = now->cpu_ns - before->cpu_ns,
                          .delay = now->wait_ns - before->wait_ns};
  }
}

static void collections_make(struct builder* builder, const struct seen_state* states) {
  struct trace_loop* loop = builder->loop;
  size_t count = builder->thread->count;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && states[next].collects == states[i].collects;
         next++)
      continue;
    if (!states[i].collects)
      continue;
    uint64_t start = look_start(builder, i);
    loop->collections =
        array_grow(loop->collections, loop->collection_count, &loop->collection_capacity,
                   sizeof(*loop->collections));
    loop->collections[loop->collection_count++] =
        (struct collection){start, look_end(builder, next - 1) - start, 1, EVENT_NONE};
  }
}

/* --- threads --------------------------------------------------------------------------
 */

static bool is_active(const struct builder* builder, const struct seen_state* states,
                      bool* scripted) {
  const struct attach* attach = builder->attach;
  bool active = false;
  *scripted = false;
  for (size_t i = 0; i < builder->thread->count; i++) {
    size_t stack = builder->thread->samples[i].stack;
    active = active || !states[i].is_idle;
    bool has_script = false;
    if (stack != 0 && !states[i].is_idle)
      (void) outermost_name(attach, &attach->stacks[stack - 1], &has_script);
    *scripted = *scripted || has_script;
  }
  return active;
}

static void loop_make(struct builder* builder, const struct seen_state* states) {
  const struct attach* attach = builder->attach;
  const struct attach_thread* thread = builder->thread;
  struct trace_loop* loop = trace_add_loop(builder->trace, builder->process);
  loop->number = (uint32_t) builder->trace->count;
  loop->thread = (uint32_t) thread->tid;
  loop->start_ns = attach->start_ns;
  loop->sampled_ns = attach->options->every_ns;
  loop->is_loopless = thread->loop == 0;
  snprintf(loop->backend, sizeof(loop->backend), "%s", thread->loop == 0 ? "" : "epoll");
  builder->loop = loop;
  events_make(builder, states);
  samples_make(builder, states);
  cpu_make(builder);
  collections_make(builder, states);
}

static struct seen_state* states_make(const struct builder* builder) {
  const struct attach_thread* thread = builder->thread;
  struct seen_state* states = calloc(thread->count + 1, sizeof(*states));
  if (states == NULL)
    out_of_memory();
  for (size_t i = 0; i < thread->count; i++)
    states[i] = state_of(builder, &thread->samples[i]);
  return states;
}

/* The call at which a thread of the pool, or another one that runs no script, was seen.
 */
static void work_make(struct builder* builder, const struct seen_state* states) {
  const struct attach* attach = builder->attach;
  const struct attach_thread* thread = builder->thread;
  struct trace_process* process = builder->process;
  struct trace_loop* loop = &builder->trace->loops[0];
  size_t count = thread->count;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && states[next].is_idle == states[i].is_idle &&
                       states[next].name == states[i].name;
         next++)
      continue;
    if (states[i].is_idle)
      continue;
    uint64_t start = thread->samples[i].at_ns - attach->start_ns;
    uint64_t end = next < count ? thread->samples[next].at_ns - attach->start_ns
                                : start + attach->options->every_ns;
    loop->causes = array_grow(loop->causes, loop->cause_count, &loop->cause_capacity,
                              sizeof(*loop->causes));
    loop->causes[loop->cause_count++] = (struct cause){.begun = start,
                                                       .by = EVENT_NONE,
                                                       .work = EVENT_NONE,
                                                       .subject = EVENT_NONE,
                                                       .name = states[i].name};
    process->works = array_grow(process->works, process->work_count,
                                &process->work_capacity, sizeof(*process->works));
    process->works[process->work_count++] =
        (struct work){.start = start,
                      .duration = end - start,
                      .thread = (uint32_t) thread->tid,
                      .loop = 0,
                      .cause = (int32_t) loop->cause_count - 1};
  }
}

static void threads_make(struct builder* builder, bool loops) {
  for (size_t i = 0; i < builder->attach->thread_count; i++) {
    const struct attach_thread* thread = &builder->attach->threads[i];
    bool scripted;
    builder->thread = thread;
    if (thread->count == 0)
      continue;
    struct seen_state* states = states_make(builder);
    bool active = is_active(builder, states, &scripted);
    bool is_loop =
        thread->loop != 0 || scripted || thread->tid == builder->attach->target.pid;
    if (loops && is_loop)
      loop_make(builder, states);
    else if (!loops && !is_loop && active && builder->trace->count > 0)
      work_make(builder, states);
    free(states);
  }
}

/* --- the process ----------------------------------------------------------------------
 */

static void names_make(struct trace_process* process, const struct attach* attach) {
  const struct namer* namer = &attach->namer;
  for (size_t i = 0; i < namer->name_count; i++) {
    process->names = array_grow(process->names, process->name_count,
                                &process->name_capacity, sizeof(*process->names));
    process->names[process->name_count++] =
        text_copy(namer->names[i], strlen(namer->names[i]));
  }
  for (size_t i = 0; i < attach->thread_count; i++) {
    const struct attach_thread* thread = &attach->threads[i];
    process->threads = array_grow(process->threads, process->thread_count,
                                  &process->thread_capacity, sizeof(*process->threads));
    process->threads[process->thread_count++] = (struct thread_name){
        (uint32_t) thread->tid, text_copy(thread->name, strlen(thread->name))};
  }
}

static char* note_make(const struct attach* attach) {
  char* text = NULL;
  size_t size;
  FILE* out = open_memstream(&text, &size);
  if (out == NULL)
    out_of_memory();
  double each =
      attach->stops == 0 ? 0 : (double) attach->stood_ns / (double) attach->stops / 1000;
  fprintf(out,
          "sampled from outside, every %.4g ms, %" PRIu64 " times in %.1f s; what is "
          "shorter than that may be missing",
          (double) attach->options->every_ns / 1e6, attach->looks,
          (double) (attach->end_ns - attach->start_ns) / 1e9);
  if (attach->late_ns > 2 * attach->options->every_ns)
    fprintf(out, "; once %.0f ms passed between two looks",
            (double) attach->late_ns / 1e6);
  fprintf(out, "; threads were stopped %" PRIu64 " times", attach->stops);
  if (attach->stops > 0)
    fprintf(out, ", for %.0f us, %.0f us at most, from when that was seen", each,
            (double) attach->stood_most_ns / 1000);
  fclose(out);
  return text;
}

static uint64_t wall_ns(uint64_t at_ns) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec -
         (attach_clock_ns() - at_ns);
}

void attach_model(struct trace* trace, const struct attach* attach) {
  const struct target* target = &attach->target;
  struct trace_process* process = trace_add_process(trace);
  struct builder builder = {.attach = attach, .trace = trace, .process = process};
  const char* program = target->image_count > 0 ? target->images[0].path : "";
  process->pid = (uint32_t) target->pid;
  process->processors = (uint32_t) get_nprocs();
  process->start_ns = attach->start_ns;
  process->start_wall_ns = wall_ns(attach->start_ns);
  process->program = text_copy(program, strlen(program));
  process->command = text_copy(target->command, strlen(target->command));
  process->note = note_make(attach);
  names_make(process, attach);
  threads_make(&builder, true);
  trace_sort(trace);
  threads_make(&builder, false);
}
