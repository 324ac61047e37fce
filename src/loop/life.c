/* A loop's life: made, configured, forked, closed (contract L). */
#include "backend/backend.h"
#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "loop/watcher.h"
#include "rondo.h"
#include "sim/sim.h"
#include "system/system.h"
#include "system/tune.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(uv_loop_t) == 808 + sizeof(uv_mutex_t),
               "programs were compiled with this size");
_Static_assert(offsetof(uv_loop_t, backend_fd) == 64, "programs read it there");

static uv_loop_t default_loop_memory;
static uv_loop_t* default_loop;

unsigned int loop_forks;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

static void forks_count(void) {
  loop_forks++;
}

/* Without the fork handler a forked child can't recognise its parent's loops, which
 * matters only to a child that closes one. So a failure is ignored. */
static void forks_watch(void) {
  system_at_fork(NULL, NULL, forks_count);
}

static void queues_init(uv_loop_t* loop) {
  queue_init(queue_of(loop->handle_queue));
  queue_init(queue_of(loop->changed_queue));
  queue_init(queue_of(loop->pending_queue));
  queue_init(queue_of(loop->completed_queue));
  queue_init(queue_of(loop->idle_handles));
  queue_init(queue_of(loop->prepare_handles));
  queue_init(queue_of(loop->check_handles));
}

static int loop_init(uv_loop_t* loop, bool is_simulated) {
  void* data = loop->data; /* survives, as the manual says */
  memset(loop, 0, sizeof(*loop));
  loop->data = data;
  loop->backend_fd = -1;
  loop->wake_fd = -1;
  loop->emfile_fd = -1;
  pthread_once(&forks_once, forks_watch);
  tune_read();
  loop->forks = loop_forks;
  queues_init(loop);
  async_loop_init(loop);
  clock_update(loop);
  int err = is_simulated ? backend_take_epoll(loop) : backend_choose(loop);
  if (err == 0 && is_simulated && (err = sim_loop_init(loop)) != 0)
    loop->backend->close(loop);
  if (err != 0)
    return err;
  err = wake_open(loop);
  if (err != 0) {
    loop->backend->close(loop);
    return err;
  }
  trace_loop_init(loop);
  if (debug_wants("loops"))
    debug_report("a loop on %s begins", rondo_backend_name(loop));
  return 0;
}

int uv_loop_init(uv_loop_t* loop) {
  return loop_init(loop, sim_join_world());
}

int loop_init_simulated(uv_loop_t* loop) {
  return loop_init(loop, true);
}

/* The state of other rooms that belongs to the loop. */
static struct loop_part** loop_part_at(uv_loop_t* loop, size_t i) {
  void** all[] = {&loop->signal_state, &loop->process_state, &loop->inotify_state,
                  &loop->work_state, &loop->file_state};
  return i < ARRAY_LENGTH(all) ? (struct loop_part**) all[i] : NULL;
}

static bool has_open_handles(const uv_loop_t* loop) {
  const struct queue* handles = queue_of(((uv_loop_t*) (uintptr_t) loop)->handle_queue);
  for (const struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    if (!(rondo_container_of(link, uv_handle_t, handle_queue)->flags & HANDLE_INTERNAL))
      return true;
  }
  return false;
}

int uv_loop_close(uv_loop_t* loop) {
  if (loop->active_reqs.count > 0 || has_open_handles(loop))
    return UV_EBUSY;
  trace_loop_close(loop);
  rondo_loop_report(loop);
  watchers_leave(loop);
  for (size_t i = 0; loop_part_at(loop, i) != NULL; i++) {
    struct loop_part* part = *loop_part_at(loop, i);
    if (part != NULL)
      part->close(loop, part);
    *loop_part_at(loop, i) = NULL;
  }
  async_loop_close(loop);
  wake_close(loop);
  loop->backend->close(loop);
  timers_free(loop);
  if (loop->emfile_fd >= 0)
    close(loop->emfile_fd);
  if (loop == default_loop)
    default_loop = NULL;
  void* data = loop->data;
  memset(loop, -1, sizeof(*loop)); /* makes a use after the close visible */
  loop->data = data;
  return 0;
}

uv_loop_t* uv_default_loop(void) {
  if (default_loop == NULL && uv_loop_init(&default_loop_memory) == 0)
    default_loop = &default_loop_memory;
  return default_loop;
}

uv_loop_t* uv_loop_new(void) {
  uv_loop_t* loop = mem_calloc(1, sizeof(*loop));
  if (loop == NULL)
    return NULL;
  if (uv_loop_init(loop) == 0)
    return loop;
  mem_free(loop);
  return NULL;
}

void uv_loop_delete(uv_loop_t* loop) {
  bool allocated = loop != &default_loop_memory;
  int err = uv_loop_close(loop);
  assert(err == 0);
  (void) err;
  if (allocated)
    mem_free(loop);
}

/* The order matters: the set and the wake-up must be this process's own before a room
 * starts anything on them. */
int uv_loop_fork(uv_loop_t* loop) {
  int err = loop->backend->fork(loop);
  if (err != 0)
    return err;
  wake_close(loop);
  err = wake_open(loop);
  if (err != 0)
    return err;
  __atomic_store_n(&loop->wake_flags, 0, __ATOMIC_SEQ_CST);
  loop->wake_taken = 0;
  async_fork(loop);
  for (size_t i = 0; loop_part_at(loop, i) != NULL; i++) {
    struct loop_part* part = *loop_part_at(loop, i);
    if (part != NULL && part->fork != NULL && (err = part->fork(loop, part)) != 0)
      return err;
  }
  trace_loop_fork(loop);
  loop->forks = loop_forks;
  return 0;
}

int uv_loop_configure(uv_loop_t* loop, uv_loop_option option, ...) {
  va_list arguments;
  va_start(arguments, option);
  int err = 0;
  switch (option) {
  case UV_LOOP_BLOCK_SIGNAL:
    if (va_arg(arguments, int) == SIGPROF)
      loop->flags |= LOOP_BLOCK_SIGPROF;
    else
      err = UV_EINVAL;
    break;
  case UV_METRICS_IDLE_TIME:
    loop->flags |= LOOP_IDLE_TIME;
    break;
  case UV_LOOP_USE_IO_URING_SQPOLL:
    break; /* asks for speed only; no kernel thread is needed for ours */
  default:
    err = UV_ENOSYS;
  }
  va_end(arguments);
  return err;
}

int uv_loop_alive(const uv_loop_t* loop) {
  return loop_alive(loop);
}

int uv_backend_fd(const uv_loop_t* loop) {
  uv_loop_t* own = (uv_loop_t*) (uintptr_t) loop;
  __atomic_store_n(&own->has_outer, 1, __ATOMIC_RELAXED);
  return loop->backend_fd;
}

size_t uv_loop_size(void) {
  return sizeof(uv_loop_t);
}

void* uv_loop_get_data(const uv_loop_t* loop) {
  return loop->data;
}

void uv_loop_set_data(uv_loop_t* loop, void* data) {
  loop->data = data;
}

const char* rondo_backend_name(const uv_loop_t* loop) {
  return loop->backend->name;
}

int rondo_loop_limit(uv_loop_t* loop, enum rondo_phase phase, unsigned int n) {
  if ((int) phase < RONDO_PHASE_TIMERS || phase > RONDO_PHASE_CLOSING)
    return UV_EINVAL;
  loop->limits[phase] = n;
  return 0;
}

int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics) {
  if (loop == NULL || metrics == NULL)
    return UV_EINVAL;
  memset(metrics, 0, sizeof(*metrics));
  metrics->loop_count = loop->turns;
  metrics->events = loop->events;
  metrics->events_waiting = loop->events_waiting;
  return 0;
}
