// A test of code that waits for hours: an operation that fails is tried again, each time
// after twice as long, up to an hour, and must succeed in the end. The loop lives in
// virtual time (rondo_sim_loop_init), so the waiting takes none; under every seed the
// operation itself, work of the thread pool, takes as long as the schedule says.
#include <stdint.h>
#include <stdio.h>
#include <rondo.h>

enum { SECOND = 1000, HOUR = 3600 * SECOND, FAILURES = 20 };

static struct {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_work_t work;
  int attempts;
  uint64_t delay;
  int succeeded;
} retry;

static void attempt(uv_work_t* work) {
  (void) work; /* here the real thing would be asked for */
}

static void start(uv_timer_t* timer);

static void attempted(uv_work_t* work, int status) {
  (void) status;
  if (++retry.attempts > FAILURES) {
    retry.succeeded = 1;
    return;
  }
  uv_timer_start(&retry.timer, start, retry.delay, 0);
  retry.delay = retry.delay * 2 > HOUR ? HOUR : retry.delay * 2;
  (void) work;
}

static void start(uv_timer_t* timer) {
  uv_queue_work(timer->loop, &retry.work, attempt, attempted);
}

// The hours that it took, by the loop's own clock; -1 if it didn't succeed.
static int hours_under(uint64_t seed) {
  retry.attempts = 0;
  retry.succeeded = 0;
  retry.delay = SECOND;
  if (rondo_sim_loop_init(&retry.loop, seed) != 0)
    return -1;
  uv_timer_init(&retry.loop, &retry.timer);
  uint64_t began = uv_now(&retry.loop);
  start(&retry.timer);
  uv_run(&retry.loop, UV_RUN_DEFAULT);
  uint64_t took = uv_now(&retry.loop) - began;
  uv_close((uv_handle_t*) &retry.timer, NULL);
  uv_run(&retry.loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&retry.loop) != 0 || !retry.succeeded)
    return -1;
  return (int) (took / HOUR);
}

int main(void) {
  printf("in virtual time alone it took %d hours\n", hours_under(0));
  int good = 0;
  for (uint64_t seed = 1; seed <= 20; seed++)
    good += hours_under(seed) >= 9;
  printf("and it succeeded under %d of 20 schedules\n", good);
  return 0;
}
