/* A simulated loop's life, and its backend: between the poll phase and the real backend
 * stands a backend that never sleeps in real time. This backend carries out what is
 * planned for now, lets the real backend look without waiting, holds back what is not to
 * be noticed yet, and otherwise waits in the world until the first of all deadlines. */
#include "sim/sim_step_state.h"

#include "backend/interest.h"
#include "base/alloc.h"
#include "base/base.h"
#include "backend/wait_mask.h"
#include "loop/timer_heap.h"
#include "system/system.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* Turns in a row that don't wait before time goes on by itself: a program that polls
   * until a time has come would do so for ever. */
  TURNS_STILL = 256,
  TURNS_YIELD = 32,
  TURN_STEP_NS = 20 * 1000,
  TURN_STEPS_DOUBLED = 8, /* up to 5 ms */
  TURNS_OF_ENGINE = 100000,
};

/* The process's world: the one that RONDO_SIM names, or that of rondo_sim_… loops. */
static struct {
  pthread_mutex_t lock;
  struct world* world;
  struct sim_chooser* chooser;
  unsigned int loops; /* made so far */
  unsigned int users; /* loops of a world of our own */
  bool is_own;
  bool looked;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct world* process_world(void) {
  return __atomic_load_n(&process.world, __ATOMIC_ACQUIRE);
}

/* --- joining ------------------------------------------------------------------------ */

static void process_forked(void) {
  if (process.world == NULL)
    return;
  process.lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
  world_forked(process.world);
  chooser_forked(process.chooser);
}

static int process_enter(struct world* world) {
  if (world == NULL)
    return UV_ENOMEM;
  process.chooser = chooser_make(world);
  if (process.chooser == NULL)
    return UV_ENOMEM;
  system_at_fork(NULL, NULL, process_forked);
  system_pretend_one_processor(true);
  sim_step_is_on = (world->flags & WORLD_STEPS) != 0;
  __atomic_store_n(&process.world, world, __ATOMIC_RELEASE);
  return 0;
}

bool sim_join_world(void) {
  pthread_mutex_lock(&process.lock);
  if (!process.looked && process.world == NULL) {
    const char* folder = system_setting("RONDO_SIM");
    process.looked = true;
    if (folder != NULL && folder[0] == '/')
      (void) process_enter(world_join(folder));
  }
  bool wanted = process.world != NULL && !process.is_own;
  pthread_mutex_unlock(&process.lock);
  return wanted;
}

/* --- time --------------------------------------------------------------------------- */

/* A program may turn a loop without handles, or call uv_update_time, until a time comes:
 * many looks at a clock that stands still move it. */
uint64_t sim_now_ns(const uv_loop_t* loop) {
  (void) world_look(sim_of(loop)->world);
  return world_now(sim_of(loop)->world);
}

void sim_file_times(struct statx* answer) {
  struct world* world = process_world();
  if (world != NULL)
    world_times_show_statx(world, answer);
}

/* The clock functions of uv.h, for a program with a world of its own. */
static uint64_t own_now_ns(void) {
  return world_look(process_world());
}

static uint64_t own_wall_ns(void) {
  const struct world* world = process_world();
  return own_now_ns() - world->start + world->wall_start;
}

static void own_sleep(uint64_t ns) {
  struct world* world = process_world();
  struct pollfd none[1];
  uint64_t deadline = world_now(world) + ns;
  while (world_now(world) < deadline)
    (void) world_wait(world, none, 0, deadline, NULL);
}

static const struct system_time own_time = {
    .now_ns = own_now_ns, .wall_ns = own_wall_ns, .sleep = own_sleep};

/* --- the backend -------------------------------------------------------------------- */

void sim_events_run(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  while (sim->heap.count > 0 && sim->heap.events[0].at <= world_now(sim->world)) {
    struct sim_event event = sim_heap_pop(&sim->heap);
    if (event.kind == SIM_EVENT_EXECUTE)
      sim_work_execute(loop, event.work);
    else if (event.kind == SIM_EVENT_COMPLETE)
      sim_work_complete(loop, event.work);
    else if (event.kind == SIM_EVENT_RELEASE)
      sim_ready_release(loop, &event);
    else if (event.kind == SIM_EVENT_KILL)
      sim_child_kill(event.fd);
    else if (event.kind == SIM_EVENT_SEND)
      sim_datagram_due(event.datagram);
    else
      loop_wake(loop, (unsigned int) event.fd);
  }
}

/* How often the thread's loops have turned since the time `at`. Of all its loops: a
 * thread may make one after the other, each for a turn. */
static _Thread_local struct {
  const struct world* world;
  uint64_t at;
  unsigned int count;
  unsigned int of_engine;
} turns;

/* An engine that collects garbage wakes its loop again and again until its helpers are
 * done, as often as they take real time for it: such turns are left out, for the number
 * of turns decides when other threads go on. */
static bool turn_is_engines(struct sim_state* sim) {
  bool is_engines = sim->woken_by_engine && turns.of_engine < TURNS_OF_ENGINE;
  sim->woken_by_engine = false;
  if (!is_engines)
    return false;
  turns.of_engine++;
  sched_yield();
  return true;
}

/* A loop that turns and turns without waiting may do so until a time has come: after
 * every TURNS_STILL turns the clock moves, by steps that grow. */
static void turns_count(struct sim_state* sim) {
  struct world* world = sim->world;
  uint64_t now = world_now(world);
  if (now != turns.at || world != turns.world) {
    turns.world = world;
    turns.at = now;
    turns.count = 0;
    turns.of_engine = 0;
  }
  if (turn_is_engines(sim))
    return;
  if (++turns.count % TURNS_YIELD == 0)
    world_yield(world); /* it may wait for what another thread is about to do */
  if (turns.count % TURNS_STILL != 0)
    return;
  uint64_t doubled = u64_min(turns.count / TURNS_STILL - 1, TURN_STEPS_DOUBLED);
  struct pollfd none[1];
  (void) world_wait(world, none, 0, now + ((uint64_t) TURN_STEP_NS << doubled), NULL);
  turns.at = world_now(world);
}

/* A thread that begins to run loops beside others of the process waits for its turn. */
static struct world_thread* loop_thread(struct world* world) {
  struct world_thread* self = world_self(world);
  if (self == NULL || self->is_loop || self->tid == self->pid)
    return self;
  bool others = false;
  world_lock(world);
  for (uint32_t i = 0; i < world->thread_high; i++)
    others |= world->threads[i].pid == self->pid && world->threads[i].is_loop;
  world_unlock(world);
  if (others)
    world_yield(world);
  return self;
}

/* Of an engine's own loops, that of its inspector. */
static bool has_socket(const uv_loop_t* loop) {
  struct queue* handles = queue_of(((uv_loop_t*) (uintptr_t) loop)->handle_queue);
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    if (rondo_container_of(link, uv_handle_t, handle_queue)->type == UV_TCP)
      return true;
  }
  return false;
}

static void thread_note_loop(const uv_loop_t* loop) {
  struct world_thread* self = loop_thread(sim_of(loop)->world);
  if (self == NULL)
    return;
  bool is_actor = self->is_actor || self->tid == self->pid || !sim_is_engines_loop(loop);
  bool is_door = !is_actor && has_socket(loop);
  if (self->is_loop && self->is_actor == is_actor && self->is_door == is_door)
    return;
  world_lock(sim_of(loop)->world); /* others read these while they hold it */
  self->is_loop = 1;
  self->is_actor = is_actor;
  self->is_helper = !is_actor;
  self->is_door = is_door;
  world_unlock(sim_of(loop)->world);
}

static uint64_t first_event(const struct sim_state* sim) {
  return sim->heap.count == 0 ? WORLD_NEVER : sim->heap.events[0].at;
}

static int sim_wait_once(uv_loop_t* loop, int64_t timeout_ns,
                         const struct epoll_event** events, int max) {
  struct sim_state* sim = sim_of(loop);
  uint64_t deadline = WORLD_NEVER;
  bool is_late = false;
  if (timeout_ns >= 0)
    deadline = u64_add_clamped(world_now(sim->world), (uint64_t) timeout_ns);
  thread_note_loop(loop);
  *events = sim->events;
  if (timeout_ns == 0)
    turns_count(sim);
  if (timeout_ns == 0 && !queue_empty(queue_of(loop->idle_handles)))
    (void) sim_compute_begins(loop, "an immediate");
  for (;;) {
    if (sim->left_alone > 0)
      sim_work_collect(loop);
    sim_work_fill_slots(loop);
    sim_events_run(loop);
    if (world_has_strangers(sim->world))
      world_yield(sim->world);
    const struct epoll_event* found;
    loop->flags |= LOOP_MUST_LOOK; /* the world's wait looks at the set too */
    int count = sim->inner->wait(loop, 0, &found, max);
    count = sim_ready_filter(loop, found, count, sim->events);
    if (count > 0 || timeout_ns == 0 || wake_has_news(loop) ||
        !queue_empty(queue_of(loop->completed_queue)))
      return count;
    uint64_t first = first_event(sim);
    if (world_now(sim->world) >= deadline) {
      uint64_t late = is_late ? 0 : sim_timers_late(loop);
      if (late == 0)
        return count;
      deadline = world_now(sim->world) + late;
      is_late = true;
    }
    /* A descriptor that the set doesn't take is asked about now and then. */
    int64_t most = sim->inner->flush(loop, -1);
    uint64_t until = u64_min(deadline, first);
    if (most >= 0)
      until = u64_min(until, u64_add_clamped(world_now(sim->world), (uint64_t) most));
    struct pollfd fds[2] = {{.fd = loop->backend_fd, .events = POLLIN}};
    sigset_t storage;
    if (world_wait(sim->world, fds, 1, until, wait_mask_of(loop, &storage)) < 0)
      return 0; /* a signal: its handler may have left a notification */
  }
}

/* A systematic search serves one thing at a time. */
static int sim_wait_systematic(uv_loop_t* loop, int64_t timeout_ns,
                               const struct epoll_event** events, int max) {
  struct sim_state* sim = sim_of(loop);
  uint64_t deadline = WORLD_NEVER;
  if (timeout_ns >= 0)
    deadline = u64_add_clamped(world_now(sim->world), (uint64_t) timeout_ns);
  thread_note_loop(loop);
  *events = sim->events;
  if (timeout_ns == 0)
    turns_count(sim);
  return sim_next_wait(loop, deadline, timeout_ns != 0, max);
}

static int sim_wait(uv_loop_t* loop, int64_t timeout_ns,
                    const struct epoll_event** events, int max) {
  int count = sim_is_systematic(sim_of(loop))
                  ? sim_wait_systematic(loop, timeout_ns, events, max)
                  : sim_wait_once(loop, timeout_ns, events, max);
  sim_note_due_timer(loop);
  return count;
}

static int64_t sim_flush(uv_loop_t* loop, int64_t timeout_ns) {
  struct sim_state* sim = sim_of(loop);
  sim_work_fill_slots(loop);
  timeout_ns = sim->inner->flush(loop, timeout_ns);
  uint64_t first = first_event(sim);
  if (first == WORLD_NEVER)
    return timeout_ns;
  uint64_t now = world_now(sim->world);
  int64_t left = first <= now ? 0 : (int64_t) (first - now);
  return timeout_ns < 0 || left < timeout_ns ? left : timeout_ns;
}

static int sim_submit(uv_loop_t* loop, const struct file_operation* op,
                      struct uv__work* w) {
  (void) loop, (void) op, (void) w;
  return UV_ENOSYS; /* to the pool, where its time can be chosen */
}

static int sim_cancel(uv_loop_t* loop, struct uv__work* w) {
  (void) loop, (void) w;
  return UV_EBUSY;
}

static void process_leave(void) {
  pthread_mutex_lock(&process.lock);
  if (process.is_own && --process.users == 0) {
    struct world* world = process.world;
    system_set_time(NULL);
    __atomic_store_n(&process.world, NULL, __ATOMIC_RELEASE);
    chooser_free(process.chooser);
    process.chooser = NULL;
    process.is_own = false;
    process.loops = 0;
    system_pretend_one_processor(false);
    world_destroy(world);
  }
  pthread_mutex_unlock(&process.lock);
}

static void sim_counts_free(struct sim_state* sim) {
  struct table_link* link;
  while ((link = table_any(&sim->counts)) != NULL) {
    table_remove(&sim->counts, link);
    mem_free(rondo_container_of(link, struct sim_count, link));
  }
  table_free(&sim->counts);
}

static void sim_close(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  sim_work_close(loop);
  sim_ready_close(sim);
  sim->inner->close(loop);
  sim_datagrams_free(sim);
  sim_described_close(sim);
  sim_step_close(sim);
  mem_free(sim->heap.events);
  sim_counts_free(sim);
  mem_free(sim->held);
  mem_free(sim);
  loop->sim_state = NULL;
  process_leave();
}

static int sim_fork(uv_loop_t* loop) {
  int err = sim_of(loop)->inner->fork(loop);
  sim_work_fork(loop);
  return err;
}

static const struct rondo_backend backend_sim = {
    .name = "epoll",
    .open = NULL,
    .close = sim_close,
    .fork = sim_fork,
    .flush = sim_flush,
    .wait = sim_wait,
    .submit = sim_submit,
    .cancel = sim_cancel,
};

/* --- life --------------------------------------------------------------------------- */

int sim_loop_init(uv_loop_t* loop) {
  struct sim_state* sim = mem_calloc(1, sizeof(*sim));
  if (sim == NULL)
    return UV_ENOMEM;
  sim->world = process.world;
  sim->chooser = process.chooser;
  sim->inner = loop->backend;
  (void) loop_thread(sim->world); /* loops are numbered in the order of turns */
  sim->number = __atomic_add_fetch(&process.loops, 1, __ATOMIC_RELAXED);
  sim_work_init(sim);
  queue_init(&sim->datagrams);
  loop->sim_state = sim;
  loop->backend = &backend_sim;
  clock_update(loop);
  return 0;
}

uint64_t sim_nth(struct sim_state* sim, uint64_t source) {
  uint64_t hash = hash_number(source);
  for (struct table_link* link = table_find(&sim->counts, hash); link != NULL;
       link = table_next(link)) {
    struct sim_count* known = rondo_container_of(link, struct sim_count, link);
    if (known->source == source)
      return known->count++;
  }
  struct sim_count* count = mem_calloc(1, sizeof(*count));
  if (count == NULL || table_reserve(&sim->counts) != 0) {
    mem_free(count);
    return 0;
  }
  count->source = source;
  count->count = 1;
  table_insert(&sim->counts, &count->link, hash);
  return 0;
}

/* --- for programs of their own (rondo.h) -------------------------------------------- */

int rondo_sim_loop_init(uv_loop_t* loop, uint64_t seed) {
  if (loop == NULL)
    return UV_EINVAL;
  if (!world_sees_threads())
    return UV_ENOSYS;
  pthread_mutex_lock(&process.lock);
  int err = 0;
  if (process.world == NULL) {
    struct world* world = world_create(seed);
    if (world != NULL && seed == 0)
      world->flags |= WORLD_TIME_ONLY;
    err = process_enter(world);
    if (err != 0 && world != NULL)
      world_destroy(world);
    process.is_own = err == 0;
    if (err == 0)
      system_set_time(&own_time);
  }
  if (err == 0 && process.is_own)
    process.users++;
  pthread_mutex_unlock(&process.lock);
  if (err != 0)
    return err;
  err = loop_init_simulated(loop);
  if (err != 0)
    process_leave();
  return err;
}

uint64_t rondo_sim_schedule(const uv_loop_t* loop) {
  return simulated(loop) ? chooser_schedule(sim_of(loop)->chooser) : 0;
}

void rondo_sim_origin(uv_loop_t* loop, const char* place) {
  if (!simulated(loop))
    return;
  struct sim_state* sim = sim_of(loop);
  size_t length = strnlen(place, sizeof(sim->origin) - 1);
  memcpy(sim->origin, place, length);
  sim->origin[length] = '\0';
}
