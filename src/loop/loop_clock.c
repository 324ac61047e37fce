/* The loop's clock: cached, so that all callbacks of a phase see one time (contract L7),
 * and kept in nanoseconds, so that no timer fires a fraction of a millisecond early. */
#include "loop/loop.h"
#include "sim/sim.h"

#include <time.h>

uint64_t clock_now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

void clock_update(uv_loop_t* loop) {
  loop->now_ns = simulated(loop) ? sim_now_ns(loop) : clock_now_ns();
}

void clock_look(uv_loop_t* loop) {
  loop->now_ns = simulated(loop) ? sim_look_ns(loop) : clock_now_ns();
  loop->callbacks_at_clock = loop->callbacks_run;
  loop->flags |= LOOP_CLOCK_FRESH;
}

void clock_look_again(uv_loop_t* loop) {
  if ((loop->flags & LOOP_CLOCK_FRESH) == 0 ||
      loop->callbacks_run != loop->callbacks_at_clock)
    clock_look(loop);
  else
    loop->flags &= ~(unsigned int) LOOP_CLOCK_FRESH;
}

void uv_update_time(uv_loop_t* loop) {
  clock_update(loop);
}

uint64_t uv_now(const uv_loop_t* loop) {
  return clock_ms(loop);
}
