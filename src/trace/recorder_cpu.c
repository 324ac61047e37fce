/* How long the loop's thread was on a processor: a callback that took 200 ms because
 * other threads were running is not to blame.
 *
 * The thread's own clock is a system call, so it is not read for every callback: at most
 * once in a millisecond awake, with a record for which the clock was read anyway. Sleeps
 * don't count towards that millisecond, so a loop that mostly sleeps reads it rarely. The
 * time spent waiting for a processor (schedstat), and whether a control group's limit
 * caused it, are read only when the thread was on a processor for less than the time that
 * passed. Both are sums that only grow; they are also read now and then without such a
 * reason, so that a wait isn't attributed to a much later stretch. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"
#include "system/cgroup.h"
#include "system/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const uint64_t THROTTLED_STALE_NS = 100000000;

static uint64_t used_now(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
    return 0;
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

/* No descriptor is kept open, because programs close descriptors that they don't know. */
bool thread_sums_read(pid_t thread, uint64_t* used, uint64_t* delay) {
  char path[64], text[96];
  snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int) thread);
  return system_read_file(path, text, sizeof(text)) > 0 &&
         schedstat_parse(text, used, delay);
}

static uint64_t delay_now(void) {
  uint64_t used, delay;
  return thread_sums_read(gettid(), &used, &delay) ? delay : 0;
}

static void cpu_mark_write(struct recorder* recorder, uint64_t now, uint64_t used) {
  struct recorder_cpu* cpu = &recorder->cpu;
  cpu->mark_ns = now;
  cpu->next_ns = now + recorder->kind->cpu_every_ns * recorder->slowness;
  cpu->used_ns = used;
}

/* For readers of the board while the loop is held up. */
static void cpu_show(const struct recorder* recorder, uint64_t now) {
  const struct recorder_cpu* cpu = &recorder->cpu;
  board_cpu_write(&recorder->live->cpu_marked, now, cpu->used_ns, cpu->delay_read_ns,
                  cpu->delay_ns);
  recorder->live->cpu_limited = cpu->limited;
}

static void cpu_begin_anew(struct recorder* recorder, uint64_t now) {
  recorder->cpu.delay_ns = delay_now();
  recorder->cpu.delay_read_ns = now;
  cpu_mark_write(recorder, now, used_now());
  cpu_show(recorder, now);
}

void cpu_write_moved(struct recorder* recorder, uint64_t now) {
  cpu_begin_anew(recorder, now);
  record(recorder, TRACE_CPU, now, 0, 0, 0);
}

void cpu_start(struct recorder* recorder, uint64_t now) {
  struct recorder_cpu* cpu = &recorder->cpu;
  cpu->limited = group_processors("") > 0;
  cpu->throttled_us = cpu->limited ? group_throttled_us("") : 0;
  cpu->throttled_read_ns = now;
  cpu_begin_anew(recorder, now);
}

/* How much a sum has grown since it was last read. */
static uint64_t cpu_sum_added(uint64_t* sum, uint64_t now_is) {
  uint64_t more = now_is > *sum ? now_is - *sum : 0;
  *sum = now_is > *sum ? now_is : *sum;
  return more;
}

static uint64_t delay_added(struct recorder* recorder, uint64_t now, bool missed) {
  struct recorder_cpu* cpu = &recorder->cpu;
  if (!missed && now - cpu->delay_read_ns < recorder->kind->cpu_delay_stale_ns)
    return 0;
  cpu->delay_read_ns = now;
  uint64_t delay = cpu_sum_added(&cpu->delay_ns, delay_now());
  return missed ? delay : 0;
}

static uint64_t throttled_added(struct recorder_cpu* cpu, uint64_t now, bool missed) {
  if (!cpu->limited || (!missed && now - cpu->throttled_read_ns < THROTTLED_STALE_NS))
    return 0;
  cpu->throttled_read_ns = now;
  uint64_t throttled = cpu_sum_added(&cpu->throttled_us, group_throttled_us(""));
  return missed ? throttled : 0;
}

void cpu_write(struct recorder* recorder, uint64_t now) {
  struct recorder_cpu* cpu = &recorder->cpu;
  int saved = errno;
  uint64_t used_before = cpu->used_ns;
  uint64_t awake = now > cpu->mark_ns ? now - cpu->mark_ns : 0;
  cpu_mark_write(recorder, now, used_now());
  uint64_t used = cpu->used_ns > used_before ? cpu->used_ns - used_before : 0;
  const uint64_t missed_ns = recorder->kind->cpu_missed_ns;
  bool missed = awake > used && awake - used > missed_ns;
  uint64_t delay = delay_added(recorder, now, missed);
  uint64_t throttled = throttled_added(cpu, now, missed && delay > missed_ns);
  uint64_t used_us = u64_min(used / 1000, UINT32_MAX);
  cpu_show(recorder, now);
  record(recorder, TRACE_CPU, now, used_us << 32 | u64_min(throttled, UINT32_MAX),
         (uint32_t) u64_min(delay / 1000, UINT32_MAX), detail_of((int64_t) awake / 1000));
  arrivals_look(recorder, now);
  recorder_write_samples(recorder, now);
  errno = saved;
}
