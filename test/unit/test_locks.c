/* test: threads */
/* Mutexes, read-write locks, semaphores, conditions, barriers, one-time
 * initialisation and thread-local keys. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizers.h"
#include "uv.h"

#define THREADS 4
#define ROUNDS  1000

static uv_mutex_t mutex;
static uv_rwlock_t rwlock;
static uv_cond_t cond;
static uv_sem_t sem;
static uv_barrier_t barrier;
static uv_key_t key;
static int counter;
static int serial_threads;
static int results[2];

static void run_threads(uv_thread_cb entry) {
  uv_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(uv_thread_create(&threads[i], entry, NULL), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(uv_thread_join(&threads[i]), 0);
  }
}

static void count_locked(void* argument) {
  (void) argument;
  for (int i = 0; i < ROUNDS; i++) {
    uv_mutex_lock(&mutex);
    counter++;
    uv_mutex_unlock(&mutex);
  }
}

static void a_mutex_excludes(void** state) {
  (void) state;
  counter = 0;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  run_threads(count_locked);
  assert_int_equal(counter, THREADS * ROUNDS);
  uv_mutex_destroy(&mutex);
}

static void try_mutex(void* argument) {
  (void) argument;
  results[0] = uv_mutex_trylock(&mutex);
}

static void trylock_says_busy(void** state) {
  (void) state;
  uv_thread_t thread;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  assert_int_equal(uv_mutex_trylock(&mutex), 0);
  assert_int_equal(uv_thread_create(&thread, try_mutex, NULL), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  assert_int_equal(results[0], UV_EBUSY);
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
}

static void a_recursive_mutex_nests(void** state) {
  (void) state;
  uv_thread_t thread;
  assert_int_equal(uv_mutex_init_recursive(&mutex), 0);
  uv_mutex_lock(&mutex);
  uv_mutex_lock(&mutex);
  assert_int_equal(uv_mutex_trylock(&mutex), 0);
  uv_mutex_unlock(&mutex);
  uv_mutex_unlock(&mutex);
  assert_int_equal(uv_thread_create(&thread, try_mutex, NULL), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  assert_int_equal(results[0], UV_EBUSY);
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
}

static void try_rwlock(void* argument) {
  (void) argument;
  results[0] = uv_rwlock_tryrdlock(&rwlock);
  if (results[0] == 0) {
    uv_rwlock_rdunlock(&rwlock);
  }
  results[1] = uv_rwlock_trywrlock(&rwlock);
  if (results[1] == 0) {
    uv_rwlock_wrunlock(&rwlock);
  }
}

static void expect_try_rwlock(int read, int write) {
  uv_thread_t thread;
  assert_int_equal(uv_thread_create(&thread, try_rwlock, NULL), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  assert_int_equal(results[0], read);
  assert_int_equal(results[1], write);
}

static void readers_share_and_writers_do_not(void** state) {
  (void) state;
  assert_int_equal(uv_rwlock_init(&rwlock), 0);
  expect_try_rwlock(0, 0);
  uv_rwlock_rdlock(&rwlock);
  expect_try_rwlock(0, UV_EBUSY);
  uv_rwlock_rdunlock(&rwlock);
  uv_rwlock_wrlock(&rwlock);
  expect_try_rwlock(UV_EBUSY, UV_EBUSY);
  uv_rwlock_wrunlock(&rwlock);
  uv_rwlock_destroy(&rwlock);
}

static void a_semaphore_counts(void** state) {
  (void) state;
  assert_int_equal(uv_sem_init(&sem, 3), 0);
  uv_sem_wait(&sem);
  uv_sem_wait(&sem);
  assert_int_equal(uv_sem_trywait(&sem), 0);
  assert_int_equal(uv_sem_trywait(&sem), UV_EAGAIN);
  uv_sem_post(&sem);
  assert_int_equal(uv_sem_trywait(&sem), 0);
  uv_sem_destroy(&sem);
  assert_int_equal(uv_sem_init(&sem, UINT32_MAX), UV_EINVAL);
}

static void on_signal(int signal_number) {
  (void) signal_number;
}

static void post_later(void* argument) {
  for (int i = 0; i < 5; i++) {
    uv_sleep(5);
    pthread_kill(*(uv_thread_t*) argument, SIGUSR1);
  }
  uv_sem_post(&sem);
}

static void signals_do_not_end_a_wait(void** state) {
  (void) state;
  struct sigaction action = {.sa_handler = on_signal};
  uv_thread_t self = uv_thread_self();
  uv_thread_t thread;
  assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
  assert_int_equal(uv_sem_init(&sem, 0), 0);
  assert_int_equal(uv_thread_create(&thread, post_later, &self), 0);
  uv_sem_wait(&sem);
  assert_int_equal(uv_sem_trywait(&sem), UV_EAGAIN);
  assert_int_equal(uv_thread_join(&thread), 0);
  uv_sem_destroy(&sem);
}

static void wait_for_counter(void* argument) {
  (void) argument;
  uv_mutex_lock(&mutex);
  results[0]++;
  while (counter == 0) {
    uv_cond_wait(&cond, &mutex);
  }
  counter--;
  uv_mutex_unlock(&mutex);
}

static void conditions_wake_one_or_all(void** state) {
  (void) state;
  uv_thread_t threads[THREADS];
  counter = 0;
  results[0] = 0;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  assert_int_equal(uv_cond_init(&cond), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(uv_thread_create(&threads[i], wait_for_counter, NULL), 0);
  }
  uv_mutex_lock(&mutex);
  counter = 1;
  uv_cond_signal(&cond);
  uv_mutex_unlock(&mutex);
  uv_mutex_lock(&mutex);
  counter += THREADS - 1;
  uv_cond_broadcast(&cond);
  uv_mutex_unlock(&mutex);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(uv_thread_join(&threads[i]), 0);
  }
  assert_int_equal(counter, 0);
  assert_int_equal(results[0], THREADS);
  uv_cond_destroy(&cond);
  uv_mutex_destroy(&mutex);
}

static void a_timed_wait_ends_in_time_and_not_before(void** state) {
  (void) state;
  const uint64_t timeout = 20 * 1000000;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  assert_int_equal(uv_cond_init(&cond), 0);
  uv_mutex_lock(&mutex);
  uint64_t before = uv_hrtime();
  int rc;
  do { /* a spurious wake-up is allowed */
    rc = uv_cond_timedwait(&cond, &mutex, timeout);
  } while (rc == 0);
  assert_int_equal(rc, UV_ETIMEDOUT);
  assert_true(uv_hrtime() - before >= timeout);
  assert_int_equal(uv_cond_timedwait(&cond, &mutex, 0), UV_ETIMEDOUT);
  uv_mutex_unlock(&mutex);
  uv_cond_destroy(&cond);
  uv_mutex_destroy(&mutex);
}

static void signal_the_condition(void* argument) {
  (void) argument;
  uv_mutex_lock(&mutex);
  counter = 1;
  uv_cond_signal(&cond);
  uv_mutex_unlock(&mutex);
}

static void a_wait_without_end_can_be_signalled(void** state) {
  (void) state;
  uv_thread_t thread;
  counter = 0;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  assert_int_equal(uv_cond_init(&cond), 0);
  uv_mutex_lock(&mutex);
  assert_int_equal(uv_thread_create(&thread, signal_the_condition, NULL), 0);
  while (counter == 0) {
    assert_int_equal(uv_cond_timedwait(&cond, &mutex, UINT64_MAX), 0);
  }
  uv_mutex_unlock(&mutex);
  assert_int_equal(uv_thread_join(&thread), 0);
  uv_cond_destroy(&cond);
  uv_mutex_destroy(&mutex);
}

static void meet_at_the_barrier(void* argument) {
  (void) argument;
  for (int i = 0; i < 100; i++) {
    int rc = uv_barrier_wait(&barrier);
    if (rc != 0) {
      uv_mutex_lock(&mutex);
      serial_threads += rc > 0 ? 1 : ROUNDS;
      uv_mutex_unlock(&mutex);
    }
  }
}

static void a_barrier_chooses_one_thread(void** state) {
  (void) state;
  serial_threads = 0;
  assert_int_equal(uv_mutex_init(&mutex), 0);
  assert_int_equal(uv_barrier_init(&barrier, THREADS), 0);
  run_threads(meet_at_the_barrier);
  assert_int_equal(serial_threads, 100);
  uv_barrier_destroy(&barrier);
  uv_mutex_destroy(&mutex);

  assert_int_equal(uv_barrier_init(&barrier, 1), 0);
  assert_true(uv_barrier_wait(&barrier) > 0);
  uv_barrier_destroy(&barrier);
  assert_int_equal(uv_barrier_init(&barrier, 0), UV_EINVAL);
}

static void destroy_if_chosen(void* argument) {
  (void) argument;
  if (uv_barrier_wait(&barrier) > 0) {
    uv_barrier_destroy(&barrier);
  }
}

static void the_chosen_thread_may_destroy_the_barrier(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER) {
    skip(); /* it doesn't know that destroying waits for the others to leave */
  }
  assert_int_equal(uv_barrier_init(&barrier, THREADS), 0);
  run_threads(destroy_if_chosen);
}

static void count_once(void) {
  counter++;
}

static uv_once_t once_guard = UV_ONCE_INIT;

static void call_once(void* argument) {
  (void) argument;
  uv_once(&once_guard, count_once);
}

static void once_is_once(void** state) {
  (void) state;
  counter = 0;
  run_threads(call_once);
  assert_int_equal(counter, 1);
}

static void use_key(void* argument) {
  (void) argument;
  int mine = 0;
  if (uv_key_get(&key) != NULL) {
    abort();
  }
  uv_key_set(&key, &mine);
  if (uv_key_get(&key) != &mine) {
    abort();
  }
}

static void keys_hold_a_value_for_each_thread(void** state) {
  (void) state;
  int mine = 0;
  assert_int_equal(uv_key_create(&key), 0);
  assert_null(uv_key_get(&key));
  uv_key_set(&key, &mine);
  run_threads(use_key);
  assert_ptr_equal(uv_key_get(&key), &mine);
  uv_key_set(&key, NULL);
  assert_null(uv_key_get(&key));
  uv_key_delete(&key);
}

static void running_out_of_keys_is_an_error(void** state) {
  (void) state;
  static uv_key_t keys[4096];
  int count = 0;
  int rc = 0;
  while (count < 4096 && (rc = uv_key_create(&keys[count])) == 0) {
    count++;
  }
  assert_int_equal(rc, UV_EAGAIN);
  while (count > 0) {
    uv_key_delete(&keys[--count]);
  }
}

/* Misuse ends the process: seen from a child. */
static void using_a_deleted_key_aborts(void** state) {
  (void) state;
  assert_int_equal(uv_key_create(&key), 0);
  uv_key_delete(&key);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct rlimit no_core = {0, 0};
    signal(SIGABRT, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    uv_key_set(&key, &key);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mutex_excludes),
      cmocka_unit_test(trylock_says_busy),
      cmocka_unit_test(a_recursive_mutex_nests),
      cmocka_unit_test(readers_share_and_writers_do_not),
      cmocka_unit_test(a_semaphore_counts),
      cmocka_unit_test(signals_do_not_end_a_wait),
      cmocka_unit_test(conditions_wake_one_or_all),
      cmocka_unit_test(a_timed_wait_ends_in_time_and_not_before),
      cmocka_unit_test(a_wait_without_end_can_be_signalled),
      cmocka_unit_test(a_barrier_chooses_one_thread),
      cmocka_unit_test(the_chosen_thread_may_destroy_the_barrier),
      cmocka_unit_test(once_is_once),
      cmocka_unit_test(keys_hold_a_value_for_each_thread),
      cmocka_unit_test(running_out_of_keys_is_an_error),
      cmocka_unit_test(using_a_deleted_key_aborts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
