/* See live_sampling.h. Whether a signal does harm is seen in /proc, as the sampling
 * thread does it. Where the kernel keeps a thread's system call from us (Yama, or a
 * program that isn't dumpable), only one that runs is sent a signal, and of one that is
 * blocked nothing is known. */
#include "live_sampling.h"
#include "live_task.h"

#include "trace/sampler.h"
#include "trace/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static const uint64_t ANSWER_NS =
    20000000; /* for an answer; one that comes later counts, too */
static const uint64_t IDLE_AFTER_NS = 1000000000;

void sampling_open(struct sampling* sampling, const struct live_ring* ring) {
  const size_t size = TRACE_HEADER_SIZE + BOARD_SIZE;
  *sampling = (struct sampling){.pid = ring->pid, .busy_ns = live_now_ns()};
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
  if (memory != MAP_FAILED)
    sampling->board = (struct board*) (void*) (memory + TRACE_HEADER_SIZE);
}

void sampling_close(struct sampling* sampling) {
  if (sampling->board != NULL)
    munmap((char*) sampling->board - TRACE_HEADER_SIZE, TRACE_HEADER_SIZE + BOARD_SIZE);
  sampling->board = NULL;
}

/* --- one sample -----------------------------------------------------------------------
 */

/* Yama writes each refusal into the kernel's log, so the first is the last. */
static bool task_read_call(struct sampling* sampling, uint32_t thread, char* text,
                           size_t size) {
  if (sampling->calls_hidden)
    return false;
  errno = 0;
  bool known = task_read(sampling->pid, thread, "syscall", text, size) > 0;
  sampling->calls_hidden = !known && (errno == EPERM || errno == EACCES);
  return known;
}

/* Returns whether the thread may be sent a signal. If that would do harm, *place is where
 * it is blocked, or 0. */
static bool task_examine(struct sampling* sampling, uint32_t thread, uint64_t* place) {
  char text[256];
  *place = 0;
  if (!task_read_call(sampling, thread, text, sizeof(text)))
    return task_state(sampling->pid, thread) == 'R';
  if (strncmp(text, "running", 7) == 0 || sample_resumes_call(strtol(text, NULL, 10)))
    return true;
  const char* last = strrchr(text, ' ');
  *place = last == NULL ? 0 : strtoull(last, NULL, 16);
  return false;
}

static void sample_ask(const struct sampling* sampling, uint32_t thread,
                       unsigned int question) {
  siginfo_t info = {.si_signo = SIGURG, .si_code = SI_QUEUE};
  struct timespec nap = {0, 100000};
  uint32_t before = __atomic_load_n(&sampling->board->sampled, __ATOMIC_ACQUIRE);
  uint64_t give_up = live_now_ns() + ANSWER_NS;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = (int) question;
  if (syscall(SYS_rt_tgsigqueueinfo, sampling->pid, (int) thread, SIGURG, &info) != 0)
    return;
  while (__atomic_load_n(&sampling->board->sampled, __ATOMIC_ACQUIRE) == before &&
         live_now_ns() < give_up) {
    nanosleep(&nap, NULL);
    nap.tv_nsec *= 2; /* a machine that is busy has no time for wake-ups */
  }
}

/* How many the board has of a stretch: on a busy machine answers come late. */
static unsigned int samples_of(const struct board* board, uint32_t place,
                               uint64_t looked) {
  unsigned int last = 0;
  for (size_t i = 0; i < BOARD_SAMPLES; i++) {
    const struct board_sample* sample = &board->samples[i];
    if (sample->loop == place && sample->stretch_ns == looked && sample->number > last)
      last = sample->number;
  }
  return last;
}

/* The thread is blocked, and so is the handler. */
static void sample_write(struct board* board, uint32_t place_of_loop, uint32_t number,
                         uint64_t looked, uint64_t place) {
  struct board_sample* sample = &board->samples[board->sampled % BOARD_SAMPLES];
  sequence_write_begin(&sample->sequence);
  sample->loop = place_of_loop;
  sample->number = number;
  sample->when_ns = live_now_ns();
  sample->stretch_ns = looked;
  sample->is_bare = 1;
  sample->count = 1;
  sample->places[0] = place;
  sequence_write_end(&sample->sequence);
  __atomic_store_n(&board->sampled, board->sampled + 1, __ATOMIC_RELEASE);
}

static void sample_take(struct sampling* sampling, uint32_t place, uint64_t looked,
                        unsigned int number) {
  struct board* board = sampling->board;
  uint32_t thread = board->loops[place].thread;
  uint64_t blocked;
  if (task_examine(sampling, thread, &blocked))
    sample_ask(sampling, thread, number * BOARD_LOOPS + place);
  else if (blocked != 0)
    sample_write(board, place, number, looked, blocked);
}

/* --- loops ----------------------------------------------------------------------------
 */

/* Places behind have no memory, and aren't touched: see live_ring.c. */
static uint32_t places_of(const struct board* board) {
  uint32_t places = __atomic_load_n(&board->places, __ATOMIC_ACQUIRE);
  return places < BOARD_LOOPS ? places : BOARD_LOOPS;
}

static uint64_t loop_looked(const struct board_loop* live) {
  return __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE);
}

static bool loop_is_watched(const struct board_loop* live) {
  return __atomic_load_n(&live->number, __ATOMIC_ACQUIRE) != 0 &&
         __atomic_load_n(&live->is_watched, __ATOMIC_ACQUIRE) != 0;
}

/* Whether the thread has come to another of its loops since: that is the one to watch,
 * unless a callback of this one runs it. */
static bool loop_is_left(const struct board* board, const struct board_loop* live) {
  if (__atomic_load_n(&live->depth, __ATOMIC_RELAXED) > 0)
    return false;
  for (size_t i = 0; i < places_of(board); i++) {
    const struct board_loop* other = &board->loops[i];
    if (other != live && loop_is_watched(other) && other->thread == live->thread &&
        (loop_looked(other) & ~BOARD_ASLEEP) > (loop_looked(live) & ~BOARD_ASLEEP))
      return true;
  }
  return false;
}

/* Once in a stretch; not before the loop has run at all. */
static void loop_report(struct sampling* sampling, uint32_t place, sampling_stall stall,
                        void* data) {
  struct sampling_loop* loop = &sampling->loops[place];
  uint64_t held = loop->seen_ns - loop->stretch_ns;
  struct board* board = sampling->board;
  if (board->stall_ns == 0 || held < board->stall_ns || loop->stretch_ns == 0 ||
      loop->alarm_ns == loop->stretch_ns)
    return;
  loop->alarm_ns = loop->stretch_ns;
  __atomic_fetch_add(&board->stalls, 1, __ATOMIC_SEQ_CST);
  stall(data, place, loop->stretch_ns, held);
}

/* For the report, and for `rondo why`: what the thread has had of the processor so far.
 */
static void loop_show_held(const struct sampling* sampling, struct board_loop* live,
                           uint64_t now) {
  char text[96];
  uint64_t used, delay;
  if (task_read(sampling->pid, live->thread, "schedstat", text, sizeof(text)) > 0 &&
      schedstat_parse(text, &used, &delay))
    board_cpu_write(&live->cpu_held, now, used, now, delay);
}

static uint64_t loop_look(struct sampling* sampling, uint32_t place, sampling_stall stall,
                          void* data) {
  struct sampling_loop* loop = &sampling->loops[place];
  struct board* board = sampling->board;
  struct board_loop* live = &board->loops[place];
  uint64_t looked = loop_looked(live), now = live_now_ns();
  if (loop->samples > 0 && loop->stretch_ns != looked)
    loop_report(sampling, place, stall, data); /* it ended before its last sample */
  if ((looked & BOARD_ASLEEP) != 0 || loop_is_left(board, live))
    return UINT64_MAX;
  uint64_t since = looked == 0 ? live->since_ns : looked; /* 0: it has never run */
  if (now < since + board->threshold_ns)
    return since + board->threshold_ns - now;
  if (loop->stretch_ns != looked || loop->tries == 0) {
    *loop = (struct sampling_loop){
        .stretch_ns = looked, .next_ns = now, .alarm_ns = loop->alarm_ns};
    loop_show_held(sampling, live, now);
  }
  loop->seen_ns = now;
  if (now >= loop->next_ns) {
    sample_take(sampling, place, looked, samples_of(board, place, looked) + 1);
    loop->next_ns = live_now_ns() + sample_period(loop->tries++, true);
  }
  loop->samples = samples_of(board, place, looked);
  if (loop->samples >= SAMPLES_OF_STALL ||
      now - since >= board->stall_ns + SAMPLE_LATE_NS)
    loop_report(sampling, place, stall, data);
  return loop->next_ns > now ? loop->next_ns - now : 0;
}

/* The loops wake the watcher when they wake up. False if one has done so meanwhile. */
static bool sampling_rest(const struct sampling* sampling) {
  struct board* board = sampling->board;
  bool all_asleep = true;
  __atomic_store_n(&board->watcher_idle, 1, __ATOMIC_SEQ_CST);
  for (size_t i = 0; i < places_of(board); i++) {
    struct board_loop* live = &board->loops[i];
    if (!loop_is_watched(live))
      continue;
    __atomic_store_n(&live->unseen, 1, __ATOMIC_SEQ_CST);
    all_asleep = all_asleep && (loop_looked(live) & BOARD_ASLEEP) != 0;
  }
  if (!all_asleep)
    __atomic_store_n(&board->watcher_idle, 0, __ATOMIC_SEQ_CST);
  return all_asleep;
}

uint64_t sampling_look(struct sampling* sampling, sampling_stall stall, void* data) {
  uint64_t soonest = UINT64_MAX, now = live_now_ns();
  struct board* board = sampling->board;
  if (board == NULL || __atomic_load_n(&board->watcher_idle, __ATOMIC_SEQ_CST) != 0)
    return UINT64_MAX;
  for (uint32_t i = 0; i < places_of(board); i++) {
    uint64_t next = loop_is_watched(&board->loops[i])
                        ? loop_look(sampling, i, stall, data)
                        : UINT64_MAX;
    soonest = next < soonest ? next : soonest;
  }
  if (soonest != UINT64_MAX) {
    sampling->busy_ns = now;
    return soonest;
  }
  if (now - sampling->busy_ns >= IDLE_AFTER_NS && sampling_rest(sampling))
    return UINT64_MAX;
  return board->threshold_ns > 0 ? board->threshold_ns : IDLE_AFTER_NS;
}

void sampling_finish(struct sampling* sampling, sampling_stall stall, void* data) {
  const struct board* board = sampling->board;
  for (uint32_t i = 0; board != NULL && i < places_of(board); i++) {
    const struct board_loop* live = &board->loops[i];
    uint64_t looked = loop_looked(live);
    struct sampling_loop* loop = &sampling->loops[i];
    if (!loop_is_watched(live))
      continue;
    if (looked != 0 && (looked & BOARD_ASLEEP) == 0 && loop->stretch_ns == looked)
      loop->seen_ns = live_now_ns();
    loop_report(sampling, i, stall, data);
  }
}
