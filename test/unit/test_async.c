/* test: threads */
/* Async: contract A1. */
#include "forked.h"
#include "loop_test.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

static uv_async_t async;
static int calls;

static void count(uv_async_t* handle) {
  (void) handle;
  calls++;
}

/* Covers A1. */
static void sends_are_coalesced(void** state) {
  uv_loop_t* loop = *state;
  calls = 0;
  uv_async_init(loop, &async, count);
  for (int i = 0; i < 100; i++)
    assert_int_equal(uv_async_send(&async), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(calls, 1);
}

static void send_again(uv_async_t* handle) {
  if (++calls < 5)
    uv_async_send(handle);
  else
    uv_close((uv_handle_t*) handle, NULL);
}

/* Covers A1 and P2: a send from the callback is a new one, for a later turn. */
static void a_send_from_the_callback_is_not_lost(void** state) {
  uv_loop_t* loop = *state;
  calls = 0;
  uv_async_init(loop, &async, send_again);
  uv_async_send(&async);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(calls, 1);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(calls, 5);
}

enum { SENDERS = 4, HANDLES = 16, SENDS = 20000 };
static uv_async_t many[HANDLES];
static int sent[HANDLES]; /* by the senders, atomically, before the send */
static int seen[HANDLES]; /* what the last callback saw */
static int senders_left;

static void note_seen(uv_async_t* handle) {
  seen[handle - many] = __atomic_load_n(&sent[handle - many], __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&senders_left, __ATOMIC_SEQ_CST) > 0)
    return;
  for (int i = 0; i < HANDLES; i++) {
    if (seen[i] != __atomic_load_n(&sent[i], __ATOMIC_SEQ_CST))
      return;
  }
  uv_stop(handle->loop);
}

static void sender(void* argument) {
  unsigned int seed = (unsigned int) (uintptr_t) argument;
  for (int i = 0; i < SENDS; i++) {
    seed = seed * 1103515245 + 12345;
    int target = (int) (seed >> 16) % HANDLES;
    __atomic_fetch_add(&sent[target], 1, __ATOMIC_SEQ_CST);
    uv_async_send(&many[target]);
  }
  if (__atomic_sub_fetch(&senders_left, 1, __ATOMIC_SEQ_CST) == 0) {
    for (int i = 0; i < HANDLES; i++)
      uv_async_send(&many[i]);
  }
}

/* Covers A1: of all that was sent before, nothing stays unseen. */
static void no_send_is_lost(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t threads[SENDERS];
  senders_left = SENDERS;
  for (int i = 0; i < HANDLES; i++)
    uv_async_init(loop, &many[i], note_seen);
  for (int i = 0; i < SENDERS; i++)
    uv_thread_create(&threads[i], sender, (void*) (uintptr_t) (i + 1));
  uv_run(loop, UV_RUN_DEFAULT); /* hangs if a wake-up is lost */
  for (int i = 0; i < SENDERS; i++)
    uv_thread_join(&threads[i]);
}

static uv_sem_t go;
static int stop_sending;

static void send_until_stopped(void* argument) {
  uv_async_t* handle = argument;
  uv_sem_wait(&go);
  while (!__atomic_load_n(&stop_sending, __ATOMIC_SEQ_CST))
    uv_async_send(handle);
}

static void close_self(uv_async_t* handle) {
  if (++calls == 200) {
    __atomic_store_n(&stop_sending, 1, __ATOMIC_SEQ_CST);
    uv_close((uv_handle_t*) handle, NULL);
  }
}

/* Closing while another thread sends. */
static void close_waits_for_sends_under_way(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  calls = 0;
  stop_sending = 0;
  uv_sem_init(&go, 0);
  uv_async_init(loop, &async, close_self);
  uv_thread_create(&thread, send_until_stopped, &async);
  uv_sem_post(&go);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  uv_sem_destroy(&go);
  assert_int_equal(calls, 200);
}

static void send_from_handler(int number) {
  (void) number;
  uv_async_send(&async);
}

static void count_to_ten(uv_async_t* handle) {
  if (++calls == 10)
    uv_stop(handle->loop);
}

/* Covers A1: from a signal handler. */
static void sends_from_a_signal_handler(void** state) {
  uv_loop_t* loop = *state;
  struct sigaction action = {.sa_handler = send_from_handler};
  struct itimerval every_ms = {{0, 1000}, {0, 1000}};
  struct itimerval off = {{0, 0}, {0, 0}};
  calls = 0;
  uv_async_init(loop, &async, count_to_ten);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every_ms, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  setitimer(ITIMER_REAL, &off, NULL);
  assert_int_equal(calls, 10);
}

static void close_others(uv_async_t* handle) {
  calls++;
  for (int i = 0; i < HANDLES; i++) {
    if (&many[i] != handle)
      uv_close((uv_handle_t*) &many[i], NULL);
  }
}

static void a_callback_may_close_its_neighbours(void** state) {
  uv_loop_t* loop = *state;
  calls = 0;
  for (int i = 0; i < HANDLES; i++) {
    uv_async_init(loop, &many[i], close_others);
    uv_async_send(&many[i]);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(calls, 1);
}

static int called[HANDLES];

static void note_order(uv_async_t* handle) {
  called[calls++] = (int) (handle - many);
}

/* As libuv has it, and as messages to several of Node's ports come. */
static void callbacks_come_in_the_order_of_making(void** state) {
  uv_loop_t* loop = *state;
  for (int i = 0; i < HANDLES; i++)
    uv_async_init(loop, &many[i], note_order);
  for (int step = 1; step < HANDLES; step += 2) { /* odd: each handle comes up once */
    calls = 0;
    for (int i = 0; i < HANDLES - 1; i++)
      uv_async_send(&many[(i * step + step) % HANDLES]);
    uv_run(loop, UV_RUN_NOWAIT);
    assert_int_equal(calls, HANDLES - 1);
    for (int i = 1; i < calls; i++)
      assert_true(called[i - 1] < called[i]);
  }
}

static void a_handle_made_anew_comes_last(void** state) {
  uv_loop_t* loop = *state;
  loop->async_number = UINT_MAX - 1; /* the count starts again in between */
  for (int i = 0; i < 4; i++)
    uv_async_init(loop, &many[i], note_order);
  uv_close((uv_handle_t*) &many[1], NULL);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_async_init(loop, &many[1], note_order);
  calls = 0;
  for (int i = 0; i < 4; i++)
    uv_async_send(&many[i]);
  uv_run(loop, UV_RUN_NOWAIT);
  const int expected[] = {0, 2, 3, 1};
  assert_memory_equal(called, expected, sizeof(expected));
}

static void an_async_handle_is_active_from_init_to_close(void** state) {
  uv_loop_t* loop = *state;
  uv_async_init(loop, &async, NULL);
  assert_true(uv_is_active((uv_handle_t*) &async));
  uv_async_send(&async); /* no callback: only wakes */
  uv_run(loop, UV_RUN_NOWAIT);
  uv_close((uv_handle_t*) &async, NULL);
  assert_false(uv_is_active((uv_handle_t*) &async));
}

/* --- what a sender may rely on ---------------------------------------------------- */

static int written; /* plain memory on purpose: ThreadSanitizer checks the order */
static int is_written;

static void write_and_send(void* argument) {
  written = 42;
  uv_async_send(argument);
  __atomic_store_n(&is_written, 1, __ATOMIC_RELAXED);
}

static void look_at_it(uv_async_t* handle) {
  (void) handle;
  calls = written;
}

/* Covers A1: a send that is coalesced with an earlier one still publishes what was
 * written before it. */
static void a_coalesced_send_publishes_what_was_written(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  calls = written = is_written = 0;
  uv_async_init(loop, &async, look_at_it);
  uv_async_send(&async);
  uv_thread_create(&thread, write_and_send, &async);
  while (!__atomic_load_n(&is_written, __ATOMIC_RELAXED))
    continue;
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(calls, 42);
  uv_thread_join(&thread);
}

/* As many rounds as fit into the time, on a machine that has other things to do. */
enum { ROUNDS = 3000, ROUNDS_MS = 4000 };
static uv_async_t* target; /* to be sent to once; NULL when that is done */
static uv_sem_t target_set;
static uv_sem_t target_sent;

static void send_to_targets(void* argument) {
  (void) argument;
  for (;;) {
    uv_sem_wait(&target_set);
    if (target == NULL)
      return;
    uv_async_send(target);
    uv_sem_post(&target_sent);
  }
}

static void close_at_once(uv_async_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
}

/* The send may be all the program waited for: its callback closes the handle, the loop
 * ends and its memory goes, all while the sender is on its way out of uv_async_send. */
static void a_loop_may_go_right_after_the_last_send(void** state) {
  (void) state;
  uv_thread_t thread;
  uint64_t end = uv_hrtime() + ROUNDS_MS * (uint64_t) 1000000;
  assert_int_equal(uv_sem_init(&target_set, 0), 0);
  assert_int_equal(uv_sem_init(&target_sent, 0), 0);
  uv_thread_create(&thread, send_to_targets, NULL);
  for (int i = 0; i < ROUNDS && uv_hrtime() < end; i++) {
    uv_loop_t* loop = malloc(sizeof(*loop));
    assert_int_equal(uv_loop_init(loop), 0);
    uv_async_init(loop, &async, close_at_once);
    target = &async;
    uv_sem_post(&target_set);
    while (uv_run(loop, i % 2 == 0 ? UV_RUN_NOWAIT : UV_RUN_ONCE) != 0)
      sched_yield();
    assert_int_equal(uv_loop_close(loop), 0);
    free(loop);
    uv_sem_wait(&target_sent);
  }
  target = NULL;
  uv_sem_post(&target_set);
  uv_thread_join(&thread);
  uv_sem_destroy(&target_set);
  uv_sem_destroy(&target_sent);
}

/* --- Waiting awake ------------------------------------------------------------------ */

enum { EXCHANGES = 2000, RARE_SENDS = 100 };

static uv_async_t here, there, end;
static int exchanges;

static void answer(uv_async_t* handle) {
  (void) handle;
  uv_async_send(&here);
}

static uv_barrier_t both_there;
static int other_ends;

static void end_other(uv_async_t* handle) {
  other_ends = 1;
  uv_close((uv_handle_t*) handle, NULL);
}

static void run_other(void* argument) {
  uv_loop_t loop;
  (void) argument;
  assert_int_equal(uv_loop_init(&loop), 0);
  uv_async_init(&loop, &there, answer);
  uv_async_init(&loop, &end, end_other);
  uv_barrier_wait(&both_there);
  while (!other_ends)
    uv_run(&loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &there, NULL);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(uv_loop_close(&loop), 0);
}

static void count_exchange(uv_async_t* handle) {
  if (++exchanges < EXCHANGES) {
    uv_async_send(&there);
    return;
  }
  uv_async_send(&end);
  uv_close((uv_handle_t*) handle, NULL);
}

/* Two loops that answer each other look out for the answer instead of sleeping: none is
 * lost by it. Covers A1. */
static void two_loops_answer_each_other(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  exchanges = other_ends = 0;
  uv_barrier_init(&both_there, 2);
  uv_async_init(loop, &here, count_exchange);
  uv_thread_create(&thread, run_other, NULL);
  uv_barrier_wait(&both_there);
  uv_async_send(&there);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  uv_barrier_destroy(&both_there);
  assert_int_equal(exchanges, EXCHANGES);
}

static void send_rarely(void* argument) {
  (void) argument;
  for (int i = 0; i < RARE_SENDS; i++) {
    uv_sleep(2);
    uv_async_send(&async);
  }
  uv_async_send(&end);
}

static void close_both(uv_async_t* handle) {
  uv_close((uv_handle_t*) &async, NULL);
  uv_close((uv_handle_t*) handle, NULL);
}

/* What comes now and then is slept for: an idle loop burns nothing. */
static void rare_sends_are_slept_for(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  struct timespec before, after;
  uv_async_init(loop, &async, count);
  uv_async_init(loop, &end, close_both);
  uv_thread_create(&thread, send_rarely, NULL);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  uv_run(loop, UV_RUN_DEFAULT);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  uv_thread_join(&thread);
  double used = (double) (after.tv_sec - before.tv_sec) +
                (double) (after.tv_nsec - before.tv_nsec) / 1e9;
  assert_true(used < 0.1); /* of 0.2 seconds and more */
}

static uv_loop_t* inherited;

static int close_inherited(void) {
  return uv_loop_close(inherited) == 0 ? 0 : 1;
}

/* Covers A1 and L10: a forked child that closes the loop does not deafen its parent. */
static void a_childs_close_is_its_own(void** state) {
  inherited = *state;
  uv_async_init(inherited, &async, count);
  uv_run(inherited, UV_RUN_NOWAIT);
  close_all(inherited);
  /* As if a thread, which the child hasn't, were about to leave uv_async_send. */
  inherited->async_senders++;
  assert_in_child(close_inherited);
  inherited->async_senders--;

  struct pollfd set = {.fd = uv_backend_fd(inherited), .events = POLLIN};
  calls = 0;
  uv_async_init(inherited, &async, count);
  uv_async_send(&async);
  assert_int_equal(poll(&set, 1, 0), 1);
  uv_run(inherited, UV_RUN_NOWAIT);
  assert_int_equal(calls, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(sends_are_coalesced),
      loop_test(a_send_from_the_callback_is_not_lost),
      loop_test(no_send_is_lost),
      loop_test(close_waits_for_sends_under_way),
      loop_test(sends_from_a_signal_handler),
      loop_test(a_callback_may_close_its_neighbours),
      loop_test(callbacks_come_in_the_order_of_making),
      loop_test(a_handle_made_anew_comes_last),
      loop_test(an_async_handle_is_active_from_init_to_close),
      loop_test(a_coalesced_send_publishes_what_was_written),
      loop_test(a_loop_may_go_right_after_the_last_send),
      loop_test(two_loops_answer_each_other),
      loop_test(rare_sends_are_slept_for),
      loop_test(a_childs_close_is_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
