/* The records that a ring has of a loop since the last look, as sums: see live_metrics.h.
 * A stretch counts when it has ended; how long the one lasts that goes on is a figure of
 * its own. */
#include "live_metrics.h"
#include "trace_collections.h"
#include "trace_held.h"
#include "trace_samples.h"
#include "trace_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- waits ----------------------------------------------------------------------------
 */

/* One request arrives each microsecond: in a stretch the first waits for all of it, the
 * last for nothing. */
static void waits_add(struct metrics_histogram* waits, uint64_t ns) {
  uint64_t before = 0;
  for (size_t i = 0; i <= METRICS_BOUNDS && before < ns; i++) {
    uint64_t bound =
        i < METRICS_BOUNDS && metrics_bounds[i] < ns ? metrics_bounds[i] : ns;
    waits->counts[i] += bound / 1000 - before / 1000;
    before = bound;
  }
  waits->count += ns / 1000;
  waits->sum += (double) ns / 1e9 * ((double) ns / 1e3) / 2;
}

struct window {
  struct metrics_loop* loop;
  const struct trace_loop* trace;
  uint64_t from, to; /* since the trace's loop began: ends in there count */
  uint64_t* lengths;
  size_t count, capacity;
  uint64_t stall_ns;
  bool has_stalls;
};

static bool is_in(const struct window* window, uint64_t at) {
  return at > window->from && at <= window->to;
}

static int longest_first(const void* left, const void* right) {
  uint64_t a = *(const uint64_t*) left, b = *(const uint64_t*) right;
  return a < b ? 1 : a > b ? -1 : 0;
}

/* The time that a request waits which arrives at a random moment of the window. */
static void recent_take(struct window* window, uint64_t asleep) {
  struct metrics_loop* loop = window->loop;
  double awake = 0, square = 0, cube = 0;
  if (window->count > 1)
    qsort(window->lengths, window->count, sizeof(uint64_t), longest_first);
  for (size_t i = 0; i < window->count; i++) {
    double length = (double) window->lengths[i] / 1e9;
    awake += length;
    square += length * length;
    cube += length * length * length;
  }
  double moments = awake + (double) asleep / 1e9;
  if (moments <= 0)
    return;
  loop->recent_mean = square / 2 / moments;
  double variance = cube / 3 / moments - loop->recent_mean * loop->recent_mean;
  loop->recent_deviation = variance > 0 ? sqrt(variance) : 0;
  loop->recent_max = window->count > 0 ? window->lengths[0] : 0;
  loop->recent_p50 = wait_of_share(window->lengths, window->count, moments * 1e9, 0.5);
  loop->recent_p90 = wait_of_share(window->lengths, window->count, moments * 1e9, 0.1);
  loop->recent_p99 = wait_of_share(window->lengths, window->count, moments * 1e9, 0.01);
}

static void stretches_take(struct window* window) {
  size_t count;
  struct stretch* list = stretches_find(window->trace, &count);
  uint64_t last = window->from, asleep = 0;
  for (size_t i = 0; i < count; i++) {
    const struct stretch* stretch = &list[i];
    if (stretch->look == EVENT_NONE || stretch->starting || !is_in(window, stretch->end))
      continue;
    uint64_t length = stretch_length(stretch);
    waits_add(&window->loop->waits, length);
    histogram_add(&window->loop->stretches, length, 1);
    window->lengths = array_grow(window->lengths, window->count, &window->capacity,
                                 sizeof(*window->lengths));
    window->lengths[window->count++] = length;
    window->has_stalls = window->has_stalls || length >= window->stall_ns;
    asleep += stretch->start > last ? stretch->start - last : 0;
    last = stretch->end;
  }
  /* Who arrives while the loop sleeps waits for nothing. */
  window->loop->waits.counts[0] += asleep / 1000;
  window->loop->waits.count += asleep / 1000;
  window->to = last;
  if (window->count > 0)
    recent_take(window, asleep);
  free(window->lengths);
  free(list);
}

/* --- callbacks, timers, garbage -------------------------------------------------------
 */

static void kind_add(struct metrics_loop* loop, const char* subject, uint64_t calls) {
  char kind[sizeof(loop->kinds[0].kind)];
  size_t at = 0;
  snprintf(kind, sizeof(kind), "%.*s", (int) kind_length(subject),
           subject == NULL ? "" : subject);
  if (*kind == '\0')
    snprintf(kind, sizeof(kind), "short");
  while (at < loop->kind_count && strcmp(loop->kinds[at].kind, kind) != 0)
    at++;
  if (at == METRICS_KINDS)
    at--;
  if (at == loop->kind_count)
    memcpy(loop->kinds[loop->kind_count++].kind, kind, sizeof(kind));
  loop->kinds[at].calls += calls;
}

static void events_take(struct window* window) {
  const struct trace_loop* trace = window->trace;
  for (size_t i = 0; i < trace->event_count; i++) {
    const struct event* event = &trace->events[i];
    if (event->kind != EVENT_CALLBACK || event->unfinished ||
        !is_in(window, end_of_event(event)))
      continue;
    kind_add(window->loop,
             event->subject == EVENT_NONE ? NULL : trace->subjects[event->subject],
             event_calls(event));
    if (event->timer && event->many <= 1)
      histogram_add(&window->loop->late, event->detail > 0 ? (uint64_t) event->detail : 0,
                    1);
  }
}

/* As OpenTelemetry has them. */
static size_t collection_type(const char* kind) {
  return strstr(kind, "scavenge") != NULL || strstr(kind, "minor") != NULL ? 0
         : strstr(kind, "incremental") != NULL                             ? 2
         : strstr(kind, "weak") != NULL                                    ? 3
                                                                           : 1;
}

/* A loop's part of the ring has only the number of the name. */
static size_t type_of(struct metrics_process* process, const struct live_ring* ring,
                      int32_t name) {
  for (size_t i = 0; i < process->type_count; i++) {
    if (process->types[i].name == name)
      return process->types[i].type;
  }
  struct trace names = {0};
  struct board* board = live_board_copy(ring);
  if (board == NULL)
    out_of_memory();
  live_names_read(ring, board, &names);
  free(board);
  size_t type = collection_type(live_name(&names, (uint32_t) (name + 1)));
  trace_free(&names);
  if (process->type_count < sizeof(process->types) / sizeof(process->types[0])) {
    process->types[process->type_count].name = name;
    process->types[process->type_count++].type = (uint8_t) type;
  }
  return type;
}

static void collections_take(struct window* window, struct metrics_process* process,
                             const struct live_ring* ring) {
  const struct trace_loop* trace = window->trace;
  for (size_t i = 0; i < trace->collection_count; i++) {
    const struct collection* collection = &trace->collections[i];
    if (!is_in(window, collection->start + collection->duration))
      continue;
    size_t type = type_of(process, ring, collection->name);
    uint64_t count = collection->count == 0 ? 1 : collection->count;
    histogram_add(&window->loop->collected[type], collection->duration / count, count);
  }
}

/* --- stalls ---------------------------------------------------------------------------
 */

/* A place among the ten belongs to the functions that held the loop up longest. Who loses
 * it has all its time added to the others: so no sum ever falls. */
static void stall_add(struct metrics_process* process, const char* function,
                      uint64_t held) {
  struct metrics_stall* least = &process->stalls[0];
  for (size_t i = 0; i < METRICS_STALLS; i++) {
    struct metrics_stall* stall = &process->stalls[i];
    if (stall->function != NULL && strcmp(stall->function, function) == 0) {
      stall->count++;
      stall->held_ns += held;
      return;
    }
    if (least->function != NULL &&
        (stall->function == NULL || stall->held_ns < least->held_ns))
      least = stall;
  }
  if (least->function != NULL && least->held_ns >= held) {
    process->other_count++;
    process->other_ns += held;
    return;
  }
  process->other_count += least->count;
  process->other_ns += least->held_ns;
  free(least->function);
  *least = (struct metrics_stall){text_copy(function, strlen(function)), 1, held};
}

/* The path that a request asked for may be a secret. */
static void function_plain(char* text, size_t size, const char* name) {
  snprintf(text, size, "%.160s", name == NULL || *name == '\0' ? "(not known)" : name);
  text[strcspn(text, "?")] = '\0';
}

static void stalls_of_loop(struct metrics* metrics, struct metrics_process* process,
                           const struct trace* trace, size_t number, uint64_t from,
                           uint64_t to) {
  const struct trace_loop* loop = &trace->loops[number];
  struct facts* facts = facts_make(trace, number);
  char name[200];
  if (facts == NULL)
    out_of_memory();
  for (size_t i = 0; i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    struct hot_path path;
    const char* function = NULL;
    uint64_t end = loop->start_ns + held->end;
    if (held->look == EVENT_NONE || held->starting || end <= from || end > to ||
        stretch_length(held) < metrics->stall_ns)
      continue;
    if (taker_path_find(&path, loop, held))
      function = hot_path_function(&path);
    if (function == NULL && held->culprit != EVENT_NONE && held->taker <= TAKER_MANY)
      function = taker_name(loop, held);
    function_plain(name, sizeof(name), function);
    stall_add(process, name, stretch_length(held));
  }
  facts_free(facts);
}

/* Names take a while: they are read only after a stall. */
static void stalls_take(struct metrics* metrics, struct metrics_process* process,
                        const struct live_ring* ring, uint32_t number, uint64_t from,
                        uint64_t to) {
  struct trace trace = {0};
  size_t size;
  char* bytes = live_ring_copy_named(ring, number, from, &size);
  if (bytes == NULL)
    out_of_memory();
  if (trace_read_bytes(&trace, bytes, size) == NULL) {
    trace_sort(&trace);
    for (size_t i = 0; i < trace.count; i++) {
      if (trace.loops[i].number == number)
        stalls_of_loop(metrics, process, &trace, i, from, to);
    }
  }
  trace_free(&trace);
  free(bytes);
}

/* --- a ring ---------------------------------------------------------------------------
 */

static void loop_take(struct metrics* metrics, struct metrics_process* process,
                      const struct live_ring* ring, struct metrics_loop* loop,
                      const struct trace_loop* trace) {
  uint64_t done = loop->done_ns > loop->since_ns ? loop->done_ns : loop->since_ns;
  uint64_t begin = trace->start_ns + trace->begin_ns;
  if (begin > done && trace->overwritten && loop->done_ns != 0)
    loop->lost++;
  done = begin > done ? begin : done;
  struct window window = {
      .loop = loop,
      .trace = trace,
      .from = done > trace->start_ns ? done - trace->start_ns : 0,
      .to = UINT64_MAX,
      .stall_ns = metrics->stall_ns,
  };
  stretches_take(&window);
  events_take(&window);
  collections_take(&window, process, ring);
  loop->done_ns = trace->start_ns + window.to;
  if (window.has_stalls)
    stalls_take(metrics, process, ring, loop->number, trace->start_ns + window.from,
                loop->done_ns);
}

/* A loop that hasn't turned has nothing new. When nobody has asked, the ring is read only
 * before it could be overwritten: a turn of many callbacks takes some 500 bytes. */
static bool has_to_read(const struct metrics_loop* loop, const struct live_ring* ring,
                        bool asked) {
  const uint64_t turn_bytes = 500, seldom_ns = 60000000000;
  uint64_t turns = loop->turns - loop->read_turns;
  if (loop->never_ran || turns == 0)
    return false;
  return asked || loop->read_ns == 0 || turns > ring->size / 2 / turn_bytes ||
         live_now_ns() - loop->read_ns > seldom_ns;
}

void metrics_ring_look(struct metrics* metrics, struct metrics_process* process,
                       const struct live_ring* ring, bool asked) {
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    struct metrics_loop* loop = &process->loops[i];
    struct trace trace = {0};
    size_t size;
    if (loop->number == 0 || !has_to_read(loop, ring, asked))
      continue;
    loop->read_turns = loop->turns;
    loop->read_ns = live_now_ns();
    char* bytes = live_ring_copy_loop(ring, loop->number, loop->done_ns, &size);
    if (bytes == NULL)
      out_of_memory();
    if (trace_read_bytes(&trace, bytes, size) == NULL && trace.count > 0)
      loop_take(metrics, process, ring, loop, &trace.loops[0]);
    trace_free(&trace);
    free(bytes);
  }
}
