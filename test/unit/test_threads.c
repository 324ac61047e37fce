/* test: threads */
/* Threads: making, waiting, telling apart, and what can be set on them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sanitizers.h"
#include "uv.h"

static void store_argument(void* argument) {
  *(int*) argument = 42;
}

static void a_thread_runs_its_entry_with_its_argument(void** state) {
  (void) state;
  uv_thread_t thread;
  int value = 0;
  assert_int_equal(uv_thread_create(&thread, store_argument, &value), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  assert_int_equal(value, 42);
}

static void store_self(void* argument) {
  *(uv_thread_t*) argument = uv_thread_self();
}

static void threads_can_be_told_apart(void** state) {
  (void) state;
  uv_thread_t self = uv_thread_self();
  uv_thread_t threads[2];
  uv_thread_t seen[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(uv_thread_create(&threads[i], store_self, &seen[i]), 0);
  }
  assert_false(uv_thread_equal(&threads[0], &threads[1]));
  for (int i = 0; i < 2; i++) {
    assert_int_equal(uv_thread_join(&threads[i]), 0);
    assert_true(uv_thread_equal(&threads[i], &seen[i]));
    assert_false(uv_thread_equal(&threads[i], &self));
  }
  assert_true(uv_thread_equal(&self, &self));
}

static void joining_oneself_is_an_error(void** state) {
  (void) state;
  uv_thread_t self = uv_thread_self();
  if (UNDER_THREAD_SANITIZER) {
    skip(); /* it stops the program itself */
  }
  assert_int_equal(uv_thread_join(&self), -EDEADLK);
}

static void post(void* argument) {
  uv_sem_post(argument);
}

static void a_detached_thread_needs_no_join(void** state) {
  (void) state;
  /* Not on the stack: the thread may still be inside uv_sem_post() when this
   * function has returned. */
  static uv_sem_t done;
  uv_thread_t thread;
  assert_int_equal(uv_sem_init(&done, 0), 0);
  assert_int_equal(uv_thread_create(&thread, post, &done), 0);
  assert_int_equal(uv_thread_detach(&thread), 0);
  uv_sem_wait(&done);
}

static void store_stack_size(void* argument) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }
  *(size_t*) argument = size;
}

static size_t stack_size_with(uv_thread_options_t options) {
  uv_thread_t thread;
  size_t size = 0;
  assert_int_equal(uv_thread_create_ex(&thread, &options, store_stack_size, &size), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  return size;
}

static void stacks_follow_the_limit_by_default(void** state) {
  (void) state;
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_STACK, &limit), 0);
  if (limit.rlim_cur == RLIM_INFINITY) {
    limit.rlim_cur = 2 << 20;
  }
  uv_thread_options_t options = {.flags = UV_THREAD_NO_FLAGS, .stack_size = 1 << 16};
  assert_true(stack_size_with(options) >= limit.rlim_cur);
  options.flags = UV_THREAD_HAS_STACK_SIZE;
  options.stack_size = 0;
  assert_true(stack_size_with(options) >= limit.rlim_cur);
}

static void stacks_are_as_large_as_asked_for(void** state) {
  (void) state;
  const size_t page = (size_t) sysconf(_SC_PAGESIZE);
  const size_t sizes[] = {1 << 20, 8 << 20, 1234567, (1 << 20) + 1};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE,
                                   .stack_size = sizes[i]};
    size_t size = stack_size_with(options);
    assert_true(size >= sizes[i]);
    assert_int_equal(size % page, 0);
  }
}

static void too_small_a_stack_becomes_the_smallest(void** state) {
  (void) state;
  if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER) {
    skip(); /* a sanitizer's own frames don't fit the smallest stack */
  }
  const size_t sizes[] = {42, (size_t) PTHREAD_STACK_MIN - 42,
                          (size_t) PTHREAD_STACK_MIN / 2 - 42};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE,
                                   .stack_size = sizes[i]};
    assert_true(stack_size_with(options) >= (size_t) PTHREAD_STACK_MIN);
  }
}

static void an_impossible_stack_is_an_error(void** state) {
  (void) state;
  uv_thread_t thread;
  size_t size = 0;
  uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE,
                                 .stack_size = SIZE_MAX / 2};
  assert_true(uv_thread_create_ex(&thread, &options, store_stack_size, &size) < 0);
  options.stack_size = SIZE_MAX;
  assert_true(uv_thread_create_ex(&thread, &options, store_stack_size, &size) < 0);
}

static void affinity_can_be_read_and_set(void** state) {
  (void) state;
  const size_t size = (size_t) uv_cpumask_size();
  uv_thread_t self = uv_thread_self();
  char* original = calloc(1, size + 1);
  char* one = calloc(1, size);
  char* old = calloc(1, size);
  assert_true(size >= (size_t) sysconf(_SC_NPROCESSORS_ONLN));

  original[size] = 7; /* what is beyond the processors is cleared */
  assert_int_equal(uv_thread_getaffinity(&self, original, size + 1), 0);
  assert_int_equal(original[size], 0);
  char* first = memchr(original, 1, size);
  assert_non_null(first);

  one[first - original] = 1;
  assert_int_equal(uv_thread_setaffinity(&self, one, old, size), 0);
  assert_memory_equal(old, original, size);
  assert_int_equal(uv_thread_getaffinity(&self, old, size), 0);
  assert_memory_equal(old, one, size);
  assert_int_equal(uv_thread_getcpu(), first - original);

  assert_int_equal(uv_thread_setaffinity(&self, original, NULL, size), 0);
  free(original);
  free(one);
  free(old);
}

static void bad_affinity_changes_nothing(void** state) {
  (void) state;
  const size_t size = (size_t) uv_cpumask_size();
  uv_thread_t self = uv_thread_self();
  char* before = calloc(1, size);
  char* mask = calloc(1, size);
  assert_int_equal(uv_thread_getaffinity(&self, before, size), 0);
  assert_int_equal(uv_thread_getaffinity(&self, mask, size - 1), UV_EINVAL);
  assert_int_equal(uv_thread_setaffinity(&self, before, NULL, size - 1), UV_EINVAL);
  memset(mask, 0, size);
  assert_int_equal(uv_thread_setaffinity(&self, mask, NULL, size), UV_EINVAL);
  assert_int_equal(uv_thread_getaffinity(&self, mask, size), 0);
  assert_memory_equal(mask, before, size);
  free(before);
  free(mask);
}

static void names_are_cut_to_what_fits(void** state) {
  (void) state;
  uv_thread_t self = uv_thread_self();
  char name[32];
  assert_int_equal(uv_thread_setname("worker"), 0);
  assert_int_equal(uv_thread_getname(&self, name, sizeof(name)), 0);
  assert_string_equal(name, "worker");
  assert_int_equal(uv_thread_getname(&self, name, 4), 0);
  assert_string_equal(name, "wor");

  assert_int_equal(uv_thread_setname("a-name-far-beyond-sixteen-bytes"), 0);
  assert_int_equal(uv_thread_getname(&self, name, sizeof(name)), 0);
  assert_string_equal(name, "a-name-far-beyo");

  assert_int_equal(uv_thread_setname(NULL), UV_EINVAL);
  assert_int_equal(uv_thread_getname(&self, NULL, 4), UV_EINVAL);
  assert_int_equal(uv_thread_getname(&self, name, 0), UV_EINVAL);
}

struct named_thread {
  uv_sem_t ready, stop;
};

static void take_a_name(void* argument) {
  struct named_thread* self = argument;
  if (uv_thread_setname("other") != 0) {
    abort();
  }
  uv_sem_post(&self->ready);
  uv_sem_wait(&self->stop);
}

static void names_belong_to_one_thread(void** state) {
  (void) state;
  struct named_thread other;
  uv_thread_t self = uv_thread_self();
  uv_thread_t thread;
  char name[16];
  assert_int_equal(uv_thread_setname("self"), 0);
  assert_int_equal(uv_sem_init(&other.ready, 0), 0);
  assert_int_equal(uv_sem_init(&other.stop, 0), 0);
  assert_int_equal(uv_thread_create(&thread, take_a_name, &other), 0);
  uv_sem_wait(&other.ready);
  assert_int_equal(uv_thread_getname(&thread, name, sizeof(name)), 0);
  assert_string_equal(name, "other");
  assert_int_equal(uv_thread_getname(&self, name, sizeof(name)), 0);
  assert_string_equal(name, "self");
  uv_sem_post(&other.stop);
  assert_int_equal(uv_thread_join(&thread), 0);
  uv_sem_destroy(&other.ready);
  uv_sem_destroy(&other.stop);
}

struct waiting_thread {
  uv_sem_t ready, go, seen, stop;
  pid_t number;
  int priority; /* what it knows of itself */
};

static void wait_and_look(void* argument) {
  struct waiting_thread* self = argument;
  self->number = (pid_t) syscall(SYS_gettid);
  uv_sem_post(&self->ready);
  uv_sem_wait(&self->go);
  if (uv_thread_getpriority(uv_thread_self(), &self->priority) != 0) {
    abort();
  }
  uv_sem_post(&self->seen);
  uv_sem_wait(&self->stop);
}

/* A thread learns its own nice value; of another one under the default policy it learns
 * that policy's only priority. */
static void priorities_belong_to_one_thread(void** state) {
  (void) state;
  struct waiting_thread other;
  uv_sem_t* semaphores[] = {&other.ready, &other.go, &other.seen, &other.stop};
  uv_thread_t thread;
  int before;
  int priority;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(uv_sem_init(semaphores[i], 0), 0);
  }
  assert_int_equal(uv_thread_create(&thread, wait_and_look, &other), 0);
  uv_sem_wait(&other.ready);
  assert_int_equal(uv_thread_getpriority(uv_thread_self(), &before), 0);
  assert_int_equal(before, getpriority(PRIO_PROCESS, 0));
  assert_int_equal(uv_thread_getpriority(thread, &priority), 0);
  assert_int_equal(priority, 0);

  /* Less urgent is always allowed. */
  int lowest = -2 * UV_THREAD_PRIORITY_LOWEST;
  if (before <= lowest) {
    assert_int_equal(uv_thread_setpriority(thread, UV_THREAD_PRIORITY_LOWEST), 0);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t) other.number), lowest);
    assert_int_equal(uv_thread_getpriority(thread, &priority), 0);
    assert_int_equal(priority, 0);
    assert_int_equal(uv_thread_getpriority(uv_thread_self(), &priority), 0);
    assert_int_equal(priority, before);
  }
  uv_sem_post(&other.go);
  uv_sem_wait(&other.seen);
  assert_int_equal(other.priority, before <= lowest ? lowest : before);
  uv_sem_post(&other.stop);
  assert_int_equal(uv_thread_join(&thread), 0);
  for (size_t i = 0; i < 4; i++) {
    uv_sem_destroy(semaphores[i]);
  }
}

static void priorities_outside_the_range_are_refused(void** state) {
  (void) state;
  uv_thread_t self = uv_thread_self();
  assert_int_equal(uv_thread_setpriority(self, UV_THREAD_PRIORITY_HIGHEST + 1),
                   UV_EINVAL);
  assert_int_equal(uv_thread_setpriority(self, UV_THREAD_PRIORITY_LOWEST - 1), UV_EINVAL);
  assert_int_equal(uv_thread_getpriority(self, NULL), UV_EINVAL);
}

static void realtime_threads_use_their_own_range(void** state) {
  (void) state;
  struct sched_param normal = {.sched_priority = 0};
  struct sched_param urgent = {.sched_priority = 10};
  int priority;
  if (pthread_setschedparam(pthread_self(), SCHED_RR, &urgent) != 0) {
    skip(); /* needs CAP_SYS_NICE */
  }
  assert_int_equal(uv_thread_getpriority(uv_thread_self(), &priority), 0);
  assert_int_equal(priority, 10);
  assert_int_equal(uv_thread_setpriority(uv_thread_self(), UV_THREAD_PRIORITY_LOWEST), 0);
  assert_int_equal(uv_thread_getpriority(uv_thread_self(), &priority), 0);
  assert_int_equal(priority, sched_get_priority_min(SCHED_RR));
  assert_int_equal(pthread_setschedparam(pthread_self(), SCHED_OTHER, &normal), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thread_runs_its_entry_with_its_argument),
      cmocka_unit_test(threads_can_be_told_apart),
      cmocka_unit_test(joining_oneself_is_an_error),
      cmocka_unit_test(a_detached_thread_needs_no_join),
      cmocka_unit_test(stacks_follow_the_limit_by_default),
      cmocka_unit_test(stacks_are_as_large_as_asked_for),
      cmocka_unit_test(too_small_a_stack_becomes_the_smallest),
      cmocka_unit_test(an_impossible_stack_is_an_error),
      cmocka_unit_test(affinity_can_be_read_and_set),
      cmocka_unit_test(bad_affinity_changes_nothing),
      cmocka_unit_test(names_are_cut_to_what_fits),
      cmocka_unit_test(names_belong_to_one_thread),
      cmocka_unit_test(priorities_belong_to_one_thread),
      cmocka_unit_test(priorities_outside_the_range_are_refused),
      cmocka_unit_test(realtime_threads_use_their_own_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
