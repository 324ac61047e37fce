/* Processor time of a thread of another process: see live_cpu.h.
 *
 * Until a stretch is over, its thread's sums are known at three times only: when the
 * recorder last read them (in the stretch or before), when the loop was first seen to be
 * held up, and now. Each pair of them limits what belongs to the stretch from one side or
 * from both. */
#include "live_cpu.h"
#include "live_task.h"
#include "trace_collections.h"

#include "base/base.h"
#include "trace/ring.h"

#include <stdlib.h>

/* The kernel adds to the sum of a thread that runs at its ticks: 100 a second at least.
 */
static const uint64_t CPU_TICK_NS = 10000000;
static const uint64_t CPU_CLOSE_NS = 1000000;

struct cpu_limits {
  uint64_t low, high;
};

struct cpu_look {
  uint64_t looked, length;
  struct cpu_limits used, delay;
};

/* The sum has grown so much since a time. What grew before the stretch isn't part of it;
 * of what grew before that time, only the length is known. */
static void limits_narrow(struct cpu_limits* limits, uint64_t grown, uint64_t at,
                          uint64_t looked) {
  uint64_t before = without(at, looked);
  limits->high = u64_min(limits->high, grown + before);
  if (at >= looked && grown > limits->low)
    limits->low = grown;
}

static void look_narrow(struct cpu_look* look, const struct board_cpu* from,
                        const struct board_cpu* now) {
  struct board_cpu then;
  if (!board_cpu_read(from, &then))
    return;
  limits_narrow(&look->used, without(now->used_ns, then.used_ns), then.at_ns,
                look->looked);
  limits_narrow(&look->delay, without(now->delay_ns, then.delay_ns), then.delay_at_ns,
                look->looked);
}

struct task_sums {
  uint64_t before, after; /* when they were read */
  struct board_cpu sums;
  bool runs; /* or has begun or ended to, meanwhile */
};

/* Both readings of the clock are close together, unless the machine is very busy. */
static bool task_sums_read(const struct live_ring* ring, uint32_t thread,
                           struct task_sums* task) {
  for (int i = 0; i < 10; i++) {
    char text[96];
    task->before = live_now_ns();
    char first = task_state(ring->pid, thread);
    bool known = task_read(ring->pid, thread, "schedstat", text, sizeof(text)) > 0 &&
                 schedstat_parse(text, &task->sums.used_ns, &task->sums.delay_ns);
    char second = task_state(ring->pid, thread);
    task->after = live_now_ns();
    if (!known || first == '\0' || second == '\0')
      return false;
    task->runs = first == 'R' || second == 'R';
    if (task->after - task->before <= CPU_CLOSE_NS)
      return true;
  }
  return false;
}

/* Verdicts are for half-planes of both figures, so that the corners have all of them. */
static bool look_is_clear(const struct cpu_look* look) {
  const uint64_t used[] = {look->used.low, look->used.high};
  const uint64_t delay[] = {look->delay.low, look->delay.high};
  struct cpu_share first = {.used = used[0], .delay = delay[0]};
  enum cpu_verdict verdict = cpu_verdict(&first, look->length);
  for (size_t i = 1; i < 4; i++) {
    struct cpu_share other = {.used = used[i % 2], .delay = delay[i / 2]};
    if (cpu_verdict(&other, look->length) != verdict)
      return false;
  }
  return true;
}

/* A control group's limit stops a thread without a trace in its sums. */
static bool cpu_may_be_known(const struct live_ring* ring,
                             const struct board_loop* live) {
  return ring->alive && live->cpu_limited == 0 &&
         ring->board->pid_namespace == ring_pid_namespace();
}

static void look_take(struct live_stretch* stretch, const struct board_loop* live,
                      const struct task_sums* task, uint64_t looked) {
  uint64_t length = stretch->length_ns;
  uint64_t took = task->after - task->before;
  struct cpu_look look = {looked, length, {0, length}, {0, length}};
  look_narrow(&look, &live->cpu_marked, &task->sums);
  look_narrow(&look, &live->cpu_held, &task->sums);
  look.delay.low = without(look.delay.low, took);
  stretch->cpu.used = look.used.high;
  stretch->cpu.delay = look.delay.low;
  /* The thread may have been running at the earlier look, or be so now. */
  look.used.low = without(look.used.low, CPU_TICK_NS);
  if (task->runs) {
    look.used.high = u64_min(look.used.high + CPU_TICK_NS, length);
    look.delay.high = length; /* its current wait isn't in the sum yet */
  }
  stretch->cpu.known = look_is_clear(&look);
}

struct live_stretch live_stretch_now(const struct live_ring* ring, size_t place,
                                     uint64_t looked_ns) {
  struct live_stretch stretch = {0};
  struct task_sums task = {0};
  const struct board_loop* live = live_place(ring, place);
  if (live == NULL)
    return stretch;
  bool known = cpu_may_be_known(ring, live) && task_sums_read(ring, live->thread, &task);
  uint64_t now = known ? task.before : live_now_ns();
  stretch.length_ns = without(now, looked_ns);
  if (known)
    look_take(&stretch, live, &task, looked_ns);
  if (__atomic_load_n(&live->collected_looked_ns, __ATOMIC_ACQUIRE) == looked_ns)
    stretch.collected_ns = __atomic_load_n(&live->collected_ns, __ATOMIC_RELAXED);
  stretch.found = __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE) == looked_ns;
  return stretch;
}

/* --- afterwards ----------------------------------------------------------------------
 */

static void over_find(struct live_stretch* over, const struct trace* trace, size_t loop,
                      uint64_t at_ns) {
  struct facts* facts = facts_make(trace, loop);
  if (facts == NULL)
    out_of_memory();
  for (size_t i = 0; i < facts->held_count && !over->found; i++) {
    const struct stretch* held = &facts->held[i];
    uint64_t start = trace->loops[loop].start_ns;
    if (at_ns < start + held->start || at_ns >= start + held->end)
      continue;
    *over = (struct live_stretch){
        true, stretch_length(held), held->cpu,
        collected_between(&trace->loops[loop], held->start, held->end)};
  }
  facts_free(facts);
}

/* Only the loop's last chunks are read: a full ring takes long to read. */
struct live_stretch live_stretch_over(const struct live_ring* ring, uint32_t number,
                                      uint64_t looked_ns, uint64_t at_ns) {
  struct live_stretch over = {0};
  struct trace trace = {0};
  size_t size;
  char* bytes = live_ring_copy_loop(ring, number, looked_ns, &size);
  if (bytes == NULL)
    return over;
  if (trace_read_bytes(&trace, bytes, size) == NULL) {
    trace_sort(&trace);
    for (size_t i = 0; i < trace.count && !over.found; i++) {
      if (trace.loops[i].number == number)
        over_find(&over, &trace, i, at_ns);
    }
  }
  free(bytes);
  trace_free(&trace);
  return over;
}
