/* Whose turn it is, and what time.
 *
 * Threads that wait run one after the other: a wait ends when everybody sleeps and it is
 * the thread's turn. Of several whose wait could end, a hash of the seed, of the thread's
 * name and of the time decides; not the number of turns, for an engine's housekeeping
 * takes more or fewer of them. The clock moves when nobody's wait can end.
 *
 * A thread that sleeps where nobody sees it (a lock, a plain read) has no turn that it
 * could give up; world_is_idle takes it for idle after a while. A thread that runs for
 * long while another's wait could end, perhaps because it spins until that other has done
 * something, isn't waited for any longer after TURN_PATIENCE_NS. */
#include "sim/world.h"

#include "base/base.h"
#include "base/table.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t TURN_PATIENCE_NS = WORLD_SECOND;
static const uint64_t TURN_PATIENCE_REAL_NS = 20 * WORLD_SECOND;

/* --- turns -------------------------------------------------------------------------- */

/* Without decisions: in turn. */
static uint64_t turn_rank(const struct world* world, const struct world_thread* thread) {
  if (world->flags & (WORLD_TIME_ONLY | WORLD_CHOICES))
    return thread->last_turn;
  return hash_number(hash_number(world->seed + thread->name) ^ world->now);
}

static bool turn_could_come(const struct world* world,
                            const struct world_thread* thread) {
  return thread->tid != 0 &&
         __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_WAITS &&
         (thread->deadline <= __atomic_load_n(&world->now, __ATOMIC_ACQUIRE) ||
          __atomic_load_n(&thread->is_ready, __ATOMIC_ACQUIRE) != 0);
}

/* Engines' helpers go on when they like. */
static bool turn_is_choice(const struct world* world, const struct world_thread* thread) {
  return turn_could_come(world, thread) && !thread->is_helper &&
         (thread->is_loop || thread->tid == thread->pid);
}

static void turn_words(struct world* world, const struct world_thread* thread,
                       char* words, size_t size) {
  const struct world_process* process = world_find_process(world, thread->pid);
  unsigned int number = 1; /* of those of its process, in the table's order */
  assert(thread >= world->threads &&
         thread < world->threads + ARRAY_LENGTH(world->threads));
  for (uint32_t i = 0; &world->threads[i] != thread; i++)
    number += world->threads[i].pid == thread->pid;
  snprintf(words, size, "a turn of process %s, thread %u",
           process == NULL ? "?" : process->path, number);
}

/* A systematic search asks whose turn it is, of those whose wait can end, in the order of
 * their last turns. `first` is the one without a choice. */
static struct world_thread* turn_choose(struct world* world, struct world_thread* first) {
  enum { TURNS_MOST = 8 };
  struct world_thread* list[TURNS_MOST];
  char text[TURNS_MOST][120];
  const char* words[TURNS_MOST];
  unsigned int count = 0;
  if (!turn_is_choice(world, first))
    return first;
  list[count++] = first;
  for (uint32_t i = 0; i < world->thread_high && count < TURNS_MOST; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread != first && turn_is_choice(world, thread))
      list[count++] = thread;
  }
  for (unsigned int i = 0; i < count; i++) {
    turn_words(world, list[i], text[i], sizeof(text[i]));
    words[i] = text[i];
  }
  return count < 2 ? first : list[world_choose(world, "turn", "", words, count)];
}

static struct world_thread* turn_first(struct world* world) {
  struct world_thread* next = NULL;
  uint64_t least = 0;
  for (uint32_t i = 0; i < world->thread_high; i++) {
    struct world_thread* thread = &world->threads[i];
    if (!turn_could_come(world, thread))
      continue;
    uint64_t rank = turn_rank(world, thread);
    if (next == NULL || rank < least || (rank == least && thread->name < next->name)) {
      next = thread;
      least = rank;
    }
  }
  return next;
}

/* The thread whose turn comes next; NULL if nobody's wait can end. The turn of one that
 * is gone would never end. */
static struct world_thread* turn_next(struct world* world,
                                      const struct world_thread* self) {
  struct world_thread* next;
  do
    next = turn_first(world);
  while (next != NULL && next != self && world_forget_gone(next));
  bool asks = next != NULL && (world->flags & WORLD_CHOICES) != 0;
  return asks ? turn_choose(world, next) : next;
}

/* Somebody works, and has for long while the caller's wait could end. Processor time
 * counts, for on a busy machine a short task takes long. */
static bool turn_is_overdue(const struct world* world, struct world_thread* self,
                            const struct world_busy* busy) {
  if (!turn_could_come(world, self) || busy->is_debugged)
    return false;
  uint64_t now = world_real_ns();
  if (self->over_since == 0)
    self->over_since = now;
  if (busy->tid != self->over_tid) {
    self->over_tid = busy->tid;
    self->over_cpu = busy->cpu_ns;
  }
  if (busy->cpu_ns - self->over_cpu < TURN_PATIENCE_NS &&
      now - self->over_since < TURN_PATIENCE_REAL_NS)
    return false;
  world_say(world, "thread %d of process %d goes on while %s still works", self->tid,
            self->pid, busy->who);
  return true;
}

/* --- the clock ---------------------------------------------------------------------- */

/* Engines have helpers that wait for work with a time-out, again and again or for ages:
 * that alone is nothing to live for. And the longest wait that fits into milliseconds, 24
 * days, is meant to be for ever. */
static bool is_for_nothing(const struct world* world, const struct world_thread* thread) {
  const uint64_t ages = 3600 * WORLD_SECOND;
  const uint64_t for_ever = 2000000 * WORLD_SECOND;
  const uint32_t often = 300;
  if (thread->deadline > world->now + for_ever)
    return true;
  return thread->kind == WAIT_CONDITION && !thread->is_loop &&
         thread->tid != thread->pid &&
         (thread->deadline - world->now > ages || world->helper_jumps > often);
}

/* First deadline first; of equal ones the first in the table. */
static struct world_thread* deadline_first(struct world* world) {
  struct world_thread* first = NULL;
  for (uint32_t i = 0; i < world->thread_high; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && thread->state == THREAD_WAITS &&
        thread->deadline != WORLD_NEVER && !is_for_nothing(world, thread) &&
        (first == NULL || thread->deadline < first->deadline))
      first = thread;
  }
  return first;
}

static struct world_thread* first_deadline(struct world* world,
                                           const struct world_thread* self) {
  struct world_thread* first;
  do
    first = deadline_first(world);
  while (first != NULL && first != self && world_forget_gone(first));
  return first;
}

uint64_t world_next_of_others(struct world* world) {
  const struct world_thread* self = world_self(world);
  uint64_t first = WORLD_NEVER;
  world_lock(world);
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* thread = &world->threads[i];
    bool is_of_engine = thread->is_helper ||
                        (thread->kind == WAIT_CONDITION && thread->tid != thread->pid);
    if (thread->tid != 0 && thread != self && thread->state == THREAD_WAITS &&
        !is_of_engine && thread->deadline > world->now && thread->deadline < first)
      first = thread->deadline;
  }
  world_unlock(world);
  return first;
}

static void clock_move(struct world* world, uint64_t to) {
  if (to <= world->now)
    return;
  __atomic_store_n(&world->now, to, __ATOMIC_RELEASE);
  world_times_moved(world);
}

void world_step(struct world* world, uint64_t step) {
  world_lock(world);
  clock_move(world, world->now + step);
  if (world->now > world->limit)
    world_set_end(world, WORLD_TIMED_OUT);
  world_unlock(world);
}

/* Whether something may come from outside that nobody can know of. */
static bool clock_may_be_needed(const struct world* world) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && thread->state == THREAD_WAITS && thread->awaits_input)
      return true;
  }
  return world_may_hear(world);
}

/* Moves the clock to the first deadline; false if there is none, it comes too late, or an
 * answer from outside is waited for. */
static bool clock_jump(struct world* world, const struct world_thread* self,
                       enum world_advance* result) {
  struct world_thread* first = first_deadline(world, self);
  *result = ADVANCE_BUSY;
  if (world_awaits_answer(world))
    return false;
  if (first == NULL) {
    *result = clock_may_be_needed(world) ? ADVANCE_BUSY : ADVANCE_NEVER;
    return false;
  }
  if (first->deadline > world->limit) {
    world_say(world,
              "the time-out comes before what thread %d of process %d waits for, "
              "%s in %llu s",
              first->tid, first->pid,
              first->kind == WAIT_CONDITION ? "a condition"
              : first->is_loop              ? "its loop"
                                            : "a descriptor or time",
              (unsigned long long) ((first->deadline - world->now) / WORLD_SECOND));
    world_set_end(world, WORLD_TIMED_OUT);
    return false;
  }
  clock_move(world, first->deadline);
  world->jumps++;
  world->helper_jumps = first->kind == WAIT_CONDITION ? world->helper_jumps + 1 : 0;
  return true;
}

/* --- both --------------------------------------------------------------------------- */

/* Whether a signal waits for the caller to sleep. The kernel says which are pending and
 * blocked. One that the program ignores is among them until the thread sleeps. */
static bool signal_has_come(const sigset_t* mask) {
  sigset_t pending;
  if (mask == NULL || sigpending(&pending) != 0)
    return false;
  for (int signal = 1; signal < _NSIG; signal++) {
    if (sigismember(&pending, signal) == 1 && sigismember(mask, signal) == 0)
      return true;
  }
  return false;
}

/* Asked without the lock, too: who looks, and until when, may be a moment old then.
 * A look at all threads takes time in proportion to their number, so one of those that
 * wait does it: the last that began to. Whoever begins to wait looks once, for it may
 * have been the last that was awake; and so does a thread whose wait could end. */
static bool look_is_anothers(const struct world* world, const struct world_thread* self) {
  int watcher = __atomic_load_n(&world->watch_tid, __ATOMIC_RELAXED);
  return self->has_looked && watcher != 0 && watcher != self->tid &&
         world_real_ns() < __atomic_load_n(&world->watch_until, __ATOMIC_RELAXED) &&
         !turn_could_come(world, self);
}

static bool look_is_left(const struct world* world, const struct world_thread* self) {
  return __atomic_load_n(&self->state, __ATOMIC_ACQUIRE) != THREAD_ITS_TURN &&
         look_is_anothers(world, self);
}

static void look_take_over(struct world* world, struct world_thread* self,
                           enum world_advance result) {
  const uint64_t believed = WORLD_SECOND / 10;
  bool goes_on = result == ADVANCE_BUSY || result == ADVANCE_OTHER;
  self->has_looked = 1;
  /* While nothing would ever come, each looks for itself what it waits for. */
  if (goes_on || world->watch_tid == self->tid)
    __atomic_store_n(&world->watch_tid, goes_on ? self->tid : 0, __ATOMIC_RELAXED);
  __atomic_store_n(&world->watch_until, world_real_ns() + believed, __ATOMIC_RELAXED);
}

/* Whoever was woken by a descriptor marks itself ready before it asks for the lock, so at
 * a moment when everybody sleeps the marks are complete but for the caller's own. */
static enum world_advance advance_locked(struct world* world, struct world_thread* self,
                                         struct pollfd* fds, nfds_t count,
                                         const sigset_t* mask) {
  struct timespec at_once = {0}; /* written to: what is left of it */
  struct world_busy busy = {.tid = 0};
  enum world_advance result;
  if (self->state == THREAD_ITS_TURN || (self->is_helper && turn_could_come(world, self)))
    return ADVANCE_TURN;
  if (__atomic_load_n(&world->step_held, __ATOMIC_ACQUIRE) != 0) {
    world->debugged_at = world_real_ns();
    return ADVANCE_BUSY;
  }
  bool is_idle = world_is_idle(world, &busy);
  if (busy.is_debugged)
    world->debugged_at = world->debugger_at = world_real_ns();
  if (!is_idle)
    return turn_is_overdue(world, self, &busy) ? ADVANCE_TURN : ADVANCE_BUSY;
  if (count > 0 && !self->is_ready &&
      syscall(SYS_ppoll, fds, count, &at_once, NULL, 0) != 0)
    __atomic_store_n(&self->is_ready, 1, __ATOMIC_RELEASE);
  if (!self->is_ready && signal_has_come(mask))
    return ADVANCE_BUSY;
  struct world_thread* next = turn_next(world, self);
  if (next == NULL && clock_jump(world, self, &result))
    next = turn_next(world, self);
  if (next == NULL)
    return result;
  next->last_turn = ++world->turns;
  if (next == self)
    return ADVANCE_TURN;
  world_wake(world, next);
  return ADVANCE_OTHER;
}

enum world_advance world_advance(struct world* world, struct world_thread* self,
                                 struct pollfd* fds, nfds_t count, const sigset_t* mask) {
  enum world_advance result = ADVANCE_LEFT;
  /* Whoever's turn has come is woken, and asks again. */
  if (look_is_left(world, self))
    return result;
  /* Somebody looks just now, or works. To wait for the lock would be work, too. */
  if (!world_lock_if_free(world))
    return ADVANCE_BUSY;
  if (self->state == THREAD_ITS_TURN || !look_is_anothers(world, self)) {
    result = advance_locked(world, self, fds, count, mask);
    look_take_over(world, self, result);
  }
  world_unlock(world);
  return result;
}
