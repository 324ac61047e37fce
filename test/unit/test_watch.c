/* Readiness: contract I2 to I6, by poll handles on socket pairs. */
#include "loop_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "loop/loop.h"
#include "loop/watcher.h"

static uv_poll_t polls[4];
static int pairs[4][2];

static void open_pairs(uv_loop_t* loop) {
  for (int i = 0; i < 4; i++) {
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pairs[i]), 0);
    assert_int_equal(uv_poll_init(loop, &polls[i], pairs[i][0]), 0);
  }
}

static void close_pairs(uv_loop_t* loop) {
  close_all(loop);
  for (int i = 0; i < 4; i++) {
    close(pairs[i][0]);
    close(pairs[i][1]);
  }
}

static void tell(int i) {
  assert_int_equal(write(pairs[i][1], "x", 1), 1);
}

static void log_events(uv_poll_t* handle, int status, int events) {
  char word[64];
  snprintf(word, sizeof(word), "%td%s%s%s%s%s", handle - polls, status < 0 ? "!" : "",
           events & UV_READABLE ? "r" : "", events & UV_WRITABLE ? "w" : "",
           events & UV_DISCONNECT ? "d" : "", events & UV_PRIORITIZED ? "p" : "");
  log_word(word);
}

/* What the kernel's set holds for a descriptor: the mask, or 0. */
static unsigned int kernel_mask(const uv_loop_t* loop, int fd) {
  char path[64];
  char line[256];
  unsigned int mask = 0;
  snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", uv_backend_fd(loop));
  FILE* file = fopen(path, "r");
  while (fgets(line, sizeof(line), file) != NULL) {
    int entry;
    unsigned int events;
    if (sscanf(line, "tfd: %d events: %x", &entry, &events) == 2 && entry == fd)
      mask = events & (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI);
  }
  fclose(file);
  return mask;
}

/* Covers I2. */
static void interest_reaches_the_kernel_in_the_poll(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  uv_poll_start(&polls[0], UV_READABLE, log_events);
  assert_int_equal(kernel_mask(loop, pairs[0][0]), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(kernel_mask(loop, pairs[0][0]), EPOLLIN);
  uv_poll_start(&polls[0], UV_READABLE | UV_WRITABLE, log_events);
  assert_int_equal(kernel_mask(loop, pairs[0][0]), EPOLLIN);
  close_pairs(loop);
}

static void watcher_events(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  (void) w;
  loop->callbacks_run++;
  log_word(events & WATCH_IN ? "in" : "out");
}

/* Covers I2 and I3: a watcher that stops and starts again leaves the kernel alone; one
 * that stays stopped is taken out when an event comes for nobody. */
static void stopping_is_lazy(void** state) {
  uv_loop_t* loop = *state;
  uv__io_t w;
  open_pairs(loop);
  watcher_init(&w, watcher_events);
  assert_int_equal(watcher_open(loop, &w, pairs[0][0]), 0);
  uv_timer_t keep_alive;
  uv_timer_init(loop, &keep_alive);
  uv_timer_start(&keep_alive, (uv_timer_cb) (void (*)(void)) abort, 100000, 0);
  watcher_start(loop, &w, WATCH_IN);
  uv_run(loop, UV_RUN_NOWAIT);
  watcher_stop(loop, &w, WATCH_IN);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(kernel_mask(loop, pairs[0][0]), EPOLLIN); /* still there */
  watcher_start(loop, &w, WATCH_IN);
  tell(0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("in");
  watcher_stop(loop, &w, WATCH_IN);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("");
  assert_int_equal(kernel_mask(loop, pairs[0][0]), 0); /* it came, nobody wanted it */
  watcher_start(loop, &w, WATCH_IN);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("in"); /* level-triggered: what was left is told again */
  watcher_close(loop, &w);
  close_pairs(loop);
}

static void one_descriptor_has_one_started_watcher(void** state) {
  uv_loop_t* loop = *state;
  uv__io_t first;
  uv__io_t second;
  open_pairs(loop);
  watcher_init(&first, watcher_events);
  watcher_init(&second, watcher_events);
  assert_int_equal(watcher_open(loop, &first, pairs[0][0]), 0);
  watcher_start(loop, &first, WATCH_IN);
  assert_int_equal(watcher_open(loop, &second, pairs[0][0]), UV_EEXIST);
  assert_int_equal(uv_poll_start(&polls[0], UV_READABLE, log_events), UV_EEXIST);
  assert_int_equal(watcher_open(loop, &second, -1), UV_EBADF);
  watcher_stop(loop, &first, WATCH_IN);
  assert_int_equal(watcher_open(loop, &second, pairs[0][0]), 0);
  watcher_close(loop, &first);
  watcher_close(loop, &second);
  close_pairs(loop);
}

static void stop_the_others(uv_poll_t* handle, int status, int events) {
  log_events(handle, status, events);
  for (int i = 0; i < 4; i++) {
    if (&polls[i] == handle)
      continue;
    if (i % 2 == 0)
      uv_poll_stop(&polls[i]);
    else
      uv_close((uv_handle_t*) &polls[i], NULL);
  }
  uv_poll_stop(handle);
}

/* Covers I3: four events in one batch, the first callback silences the rest. */
static void fetched_events_of_stopped_handles_are_dropped(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  for (int i = 0; i < 4; i++) {
    tell(i);
    uv_poll_start(&polls[i], UV_READABLE, stop_the_others);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(strlen(log_text), 2); /* exactly one of them */
  log_text[0] = '\0';
  close_pairs(loop);
}

static uv_poll_t reused;
static uv_loop_t* reuse_loop;
static int reused_fd = -1;

/* Closes the neighbour's descriptor and watches a new one that gets its number. */
static void close_neighbour_and_reuse(uv_poll_t* handle, int status, int events) {
  (void) status, (void) events;
  int other = handle == &polls[0] ? 1 : 0;
  log_word("first");
  uv_poll_stop(handle);
  if (reused_fd >= 0)
    return;
  uv_close((uv_handle_t*) &polls[other], NULL);
  int number = pairs[other][0];
  close(number);
  int fresh[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fresh), 0);
  assert_int_equal(fresh[0], number);
  reused_fd = fresh[1];
  assert_int_equal(uv_poll_init(reuse_loop, &reused, fresh[0]), 0);
  uv_poll_start(&reused, UV_READABLE, (uv_poll_cb) (void (*)(void)) abort);
}

/* Covers I3 and C2: the number was reused within the batch. */
static void a_reused_number_gets_no_event_of_the_old_one(void** state) {
  uv_loop_t* loop = *state;
  reuse_loop = loop;
  reused_fd = -1;
  open_pairs(loop);
  for (int i = 0; i < 2; i++) {
    tell(i);
    uv_poll_start(&polls[i], UV_READABLE, close_neighbour_and_reuse);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("first");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("");
  close(reused_fd);
  reused.poll_cb = log_events; /* the peer is gone: readable now */
  uv_poll_stop(&reused);
  close_pairs(loop);
}

/* Covers I4. */
static void only_asked_for_events_are_told(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  tell(0);
  uv_poll_start(&polls[0], UV_WRITABLE, log_events);
  uv_poll_start(&polls[1], UV_READABLE, log_events);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0w");
  uv_poll_start(&polls[0], UV_READABLE | UV_WRITABLE, log_events);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0rw");
  uv_poll_start(&polls[0], UV_READABLE, log_events);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0r");
  uv_poll_start(&polls[0], 0, log_events); /* no events: as stop */
  assert_false(uv_is_active((uv_handle_t*) &polls[0]));
  close_pairs(loop);
}

/* Covers I4: a hang-up comes as what was asked for. */
static void a_hang_up_comes_as_readiness(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  close(pairs[0][1]);
  uv_poll_start(&polls[0], UV_READABLE, log_events);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("0r");
  uv_poll_start(&polls[0], UV_DISCONNECT, log_events);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("0d");
  pairs[0][1] = dup(pairs[0][0]);
  close_pairs(loop);
}

/* Level-triggered: told in every turn until it is read. */
static void readiness_is_told_again(void** state) {
  uv_loop_t* loop = *state;
  char byte;
  open_pairs(loop);
  uv_poll_start(&polls[0], UV_READABLE, log_events);
  tell(0);
  for (int i = 0; i < 3; i++)
    uv_run(loop, UV_RUN_ONCE);
  assert_log("0r 0r 0r");
  assert_int_equal(read(pairs[0][0], &byte, 1), 1);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("");
  close_pairs(loop);
}

static uv_idle_t spinner;
static int spins;

static void spin(uv_idle_t* handle) {
  if (++spins == 1000)
    tell(0);
  if (spins == 5000) {
    log_word("late");
    uv_idle_stop(handle);
  }
}

static void ready_stops_the_spinner(uv_poll_t* handle, int status, int events) {
  log_events(handle, status, events);
  uv_poll_stop(handle);
  uv_idle_stop(&spinner);
}

/* A loop kept busy by an idle handle asks the kernel little, and misses nothing. */
static void a_busy_loop_sees_readiness(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  spins = 0;
  uv_idle_init(loop, &spinner);
  uv_idle_start(&spinner, spin);
  uv_poll_start(&polls[0], UV_READABLE, ready_stops_the_spinner);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("0r");
  assert_true(spins >= 1000 && spins < 5000);
  close_pairs(loop);
}

static void last_events(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  (void) events;
  log_word("last");
  watcher_stop(loop, w, WATCH_IN);
}

/* Covers I5. */
static void watchers_marked_last_come_last(void** state) {
  uv_loop_t* loop = *state;
  uv__io_t last;
  open_pairs(loop);
  watcher_init(&last, last_events);
  last.flags |= WATCHER_LAST;
  assert_int_equal(watcher_open(loop, &last, pairs[0][0]), 0);
  watcher_start(loop, &last, WATCH_IN);
  for (int i = 0; i < 3; i++)
    tell(i);
  uv_poll_start(&polls[1], UV_READABLE, log_events);
  uv_poll_start(&polls[2], UV_READABLE, log_events);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_string_equal(strrchr(log_text, ' '), " last");
  log_text[0] = '\0';
  watcher_close(loop, &last);
  close_pairs(loop);
}

static void ignore_signal(int number) {
  (void) number;
}

static pthread_t loop_thread;

static void shower(void* argument) {
  (void) argument;
  for (int i = 0; i < 20; i++) {
    pthread_kill(loop_thread, SIGUSR1);
    uv_sleep(3);
  }
}

static void log_timer(uv_timer_t* handle) {
  (void) handle;
  log_word("timer");
}

/* Covers I6: signals don't end the wait, neither early nor late. */
static void interrupted_waits_resume(void** state) {
  uv_loop_t* loop = *state;
  struct sigaction action = {.sa_handler = ignore_signal};
  sigaction(SIGUSR1, &action, NULL);
  loop_thread = pthread_self();
  uv_timer_t timer;
  uv_thread_t thread;
  uv_timer_init(loop, &timer);
  uv_update_time(loop);
  uint64_t started = uv_hrtime();
  uv_timer_start(&timer, log_timer, 40, 0);
  uv_thread_create(&thread, shower, NULL);
  uv_run(loop, UV_RUN_ONCE);
  uint64_t took = uv_hrtime() - started;
  assert_log("timer");
  assert_true(took >= 40000000 && took < 4000000000);
  uv_thread_join(&thread);
  close_all(loop);
}

/* Regular files and directories are always "ready" to the kernel and never to us. */
static void what_cannot_be_watched_is_refused(void** state) {
  uv_loop_t* loop = *state;
  uv_poll_t handle;
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  assert_int_equal(uv_poll_init(loop, &handle, file), UV_EPERM);
  close(file);
  assert_int_equal(uv_poll_init(loop, &handle, file), UV_EBADF);
  assert_int_equal(uv_poll_init(loop, &handle, -1), UV_EBADF);
}

/* The handle has the descriptor only while it is started. */
static void a_stopped_handle_leaves_the_number_to_others(void** state) {
  uv_loop_t* loop = *state;
  uv_poll_t second;
  open_pairs(loop);
  uv_poll_start(&polls[0], UV_READABLE, log_events);
  assert_int_equal(uv_poll_init(loop, &second, pairs[0][0]), UV_EEXIST);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_poll_stop(&polls[0]);
  assert_int_equal(kernel_mask(loop, pairs[0][0]), 0);
  assert_int_equal(uv_poll_init(loop, &second, pairs[0][0]), 0);
  assert_int_equal(uv_poll_start(&second, UV_WRITABLE, log_events), 0);
  assert_int_equal(uv_poll_start(&polls[0], UV_READABLE, log_events), UV_EEXIST);
  close_pairs(loop);
}

static int error_told;
static void note_error(uv_poll_t* handle, int status, int events) {
  assert_int_equal(uv_is_active((uv_handle_t*) handle), 0);
  assert_int_equal(events, 0);
  error_told = status;
  log_events(handle, status, events);
}

/* An error would be reported for ever: it is told once, and ends the watching. */
static void a_broken_descriptor_stops_its_handle(void** state) {
  uv_loop_t* loop = *state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  close(ends[0]); /* nobody will read */
  assert_int_equal(uv_poll_init(loop, &polls[0], ends[1]), 0);
  assert_int_equal(uv_poll_start(&polls[0], UV_WRITABLE, note_error), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(error_told, UV_EBADF);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0!");
  close_all(loop);
  close(ends[1]);
}

static void bad_arguments(void** state) {
  uv_loop_t* loop = *state;
  open_pairs(loop);
  assert_int_equal(uv_poll_start(&polls[0], UV_READABLE, NULL), UV_EINVAL);
  uv_close((uv_handle_t*) &polls[0], NULL);
  assert_int_equal(uv_poll_start(&polls[0], UV_READABLE, log_events), UV_EINVAL);
  close_pairs(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(interest_reaches_the_kernel_in_the_poll),
      loop_test(stopping_is_lazy),
      loop_test(one_descriptor_has_one_started_watcher),
      loop_test(fetched_events_of_stopped_handles_are_dropped),
      loop_test(a_reused_number_gets_no_event_of_the_old_one),
      loop_test(only_asked_for_events_are_told),
      loop_test(a_hang_up_comes_as_readiness),
      loop_test(readiness_is_told_again),
      loop_test(a_busy_loop_sees_readiness),
      loop_test(watchers_marked_last_come_last),
      loop_test(interrupted_waits_resume),
      loop_test(what_cannot_be_watched_is_refused),
      loop_test(a_stopped_handle_leaves_the_number_to_others),
      loop_test(a_broken_descriptor_stops_its_handle),
      loop_test(bad_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
