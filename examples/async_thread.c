// A thread that works and notifies the loop. uv_async_send is the one call that any
// thread may make. Sends may be coalesced into one callback, so the number of steps
// done is in a counter, under a lock.
#include <stdio.h>
#include <uv.h>

enum { STEPS = 5 };

struct progress {
  uv_mutex_t lock;
  int done; // under the lock: steps the worker has finished
  int seen; // the loop's thread only: steps that were printed
  uv_async_t async;
};

static void worker(void* argument) {
  struct progress* progress = argument;
  for (int step = 0; step < STEPS; step++) {
    uv_sleep(10);
    uv_mutex_lock(&progress->lock);
    progress->done++;
    uv_mutex_unlock(&progress->lock);
    uv_async_send(&progress->async);
  }
}

static void on_async(uv_async_t* async) {
  struct progress* progress = async->data;
  uv_mutex_lock(&progress->lock);
  int done = progress->done;
  uv_mutex_unlock(&progress->lock);
  while (progress->seen < done) {
    printf("the thread has finished step %d\n", ++progress->seen);
  }
  if (done == STEPS) {
    uv_close((uv_handle_t*) async, NULL);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  struct progress progress = {0};
  uv_thread_t thread;
  uv_mutex_init(&progress.lock);
  uv_async_init(loop, &progress.async, on_async);
  progress.async.data = &progress;
  if (uv_thread_create(&thread, worker, &progress) != 0) {
    fprintf(stderr, "no thread could be made\n");
    return 1;
  }

  uv_run(loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  uv_mutex_destroy(&progress.lock);
  printf("all steps seen, the loop ends\n");
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
