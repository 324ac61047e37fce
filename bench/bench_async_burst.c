// Bursts of sends to a loop that is awake: a thread sends to each of a thousand
// handles while an idle handle keeps their loop turning, waits until the loop has
// called all of them back, and does it again. The time of a send is measured
// on the sender's thread. Each handle is sent to once a burst, so that no send is
// coalesced with the one before it.
#include <sched.h>
#include <stdatomic.h>
#include <uv.h>
#include "bench.h"

enum { HANDLES = 1000 };

static uv_async_t handles[HANDLES];
static uv_idle_t idle;
static uv_async_t finished;
static long bursts;
static double sending;
static atomic_long seen;
static atomic_int turning;

static void on_async(uv_async_t* async) {
  (void) async;
  atomic_fetch_add(&seen, 1);
}

static void on_idle(uv_idle_t* handle) {
  (void) handle;
  atomic_store(&turning, 1);
}

static void on_finished(uv_async_t* async) {
  for (int i = 0; i < HANDLES; i++) {
    uv_close((uv_handle_t*) &handles[i], NULL);
  }
  uv_close((uv_handle_t*) &idle, NULL);
  uv_close((uv_handle_t*) async, NULL);
}

static void send_bursts(void* argument) {
  (void) argument;
  while (!atomic_load(&turning)) {
    sched_yield();
  }
  for (long burst = 1; burst <= bursts; burst++) {
    double began = bench_seconds();
    for (int i = 0; i < HANDLES; i++) {
      bench_uv(uv_async_send(&handles[i]), "send");
    }
    sending += bench_seconds() - began;
    while (atomic_load(&seen) < burst * HANDLES) {
      bench_check(bench_seconds() < began + 10, "every send is seen within ten seconds");
      sched_yield();
    }
  }
  bench_uv(uv_async_send(&finished), "send");
}

int main(int argc, char** argv) {
  bursts = bench_argument(argc, argv, 300);
  uv_loop_t loop;
  uv_thread_t thread;
  bench_uv(uv_loop_init(&loop), "loop");
  bench_uv(uv_idle_init(&loop, &idle), "idle");
  bench_uv(uv_idle_start(&idle, on_idle), "start");
  bench_uv(uv_async_init(&loop, &finished, on_finished), "async");
  for (int i = 0; i < HANDLES; i++) {
    bench_uv(uv_async_init(&loop, &handles[i], on_async), "async");
  }
  bench_uv(uv_thread_create(&thread, send_bursts, NULL), "thread");
  uv_run(&loop, UV_RUN_DEFAULT);
  bench_uv(uv_thread_join(&thread), "join");

  bench_check(atomic_load(&seen) == bursts * HANDLES, "every send was called back once");
  bench_loop_close(&loop);
  bench_report("async_burst", sending / (double) (bursts * HANDLES) * 1e9, "ns/op");
  return 0;
}
