/* Settings of a running thread: affinity, name, priority. */
#include "base/strings.h"
#include "uv.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* The kernel's limit on a thread's name, terminator included. */
#define THREAD_NAME_SIZE 16

/* One step of uv_thread_setpriority() in the kernel's units. */
#define NICE_STEP 2

int uv_cpumask_size(void) {
  return CPU_SETSIZE;
}

static void mask_from_set(char* mask, size_t size, const cpu_set_t* set) {
  memset(mask, 0, size);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    mask[cpu] = CPU_ISSET(cpu, set) != 0;
}

int uv_thread_getaffinity(uv_thread_t* tid, char* cpumask, size_t mask_size) {
  cpu_set_t set;

  if (mask_size < CPU_SETSIZE)
    return UV_EINVAL;
  CPU_ZERO(&set);
  int err = pthread_getaffinity_np(*tid, sizeof(set), &set);
  if (err != 0)
    return -err;
  mask_from_set(cpumask, mask_size, &set);
  return 0;
}

int uv_thread_setaffinity(uv_thread_t* tid, char* cpumask, char* oldmask,
                          size_t mask_size) {
  cpu_set_t set;

  if (mask_size < CPU_SETSIZE)
    return UV_EINVAL;
  if (oldmask != NULL) {
    int err = uv_thread_getaffinity(tid, oldmask, mask_size);
    if (err != 0)
      return err;
  }
  CPU_ZERO(&set);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (cpumask[cpu] != 0)
      CPU_SET(cpu, &set);
  return -pthread_setaffinity_np(*tid, sizeof(set), &set);
}

int uv_thread_getcpu(void) {
  int cpu = sched_getcpu();
  return cpu < 0 ? -errno : cpu;
}

int uv_thread_setname(const char* name) {
  char cut[THREAD_NAME_SIZE];

  if (name == NULL)
    return UV_EINVAL;
  string_copy(cut, name, sizeof(cut));
  return -pthread_setname_np(pthread_self(), cut);
}

int uv_thread_getname(uv_thread_t* tid, char* name, size_t size) {
  /* The C library refuses smaller buffers, whatever the name's length. */
  char whole[THREAD_NAME_SIZE];

  if (name == NULL || size == 0)
    return UV_EINVAL;
  int err = pthread_getname_np(*tid, whole, sizeof(whole));
  if (err != 0)
    return -err;
  string_copy(name, whole, size);
  return 0;
}

/* The kernel's id of a thread. Nice values are set by that id, and gettid() returns only
 * the caller's own. A thread's processor clock contains the id of any thread, as ~id << 3
 * and three bits of kind; that form is part of the kernel's interface. */
static int thread_number(pthread_t thread, id_t* number) {
  clockid_t clock;
  int err = pthread_getcpuclockid(thread, &clock);
  if (err != 0)
    return -err;
  *number = (id_t) ~(clock >> 3);
  return 0;
}

/* For another thread, the priority of its policy, which is 0 under the default policy;
 * for the calling thread under that policy, the nice value: as libuv's manual and tests
 * require. */
int uv_thread_getpriority(uv_thread_t tid, int* priority) {
  struct sched_param parameters;
  int policy;

  if (priority == NULL)
    return UV_EINVAL;
  int err = pthread_getschedparam(tid, &policy, &parameters);
  if (err != 0)
    return -err;
  if (policy == SCHED_FIFO || policy == SCHED_RR || !pthread_equal(tid, pthread_self())) {
    *priority = parameters.sched_priority;
    return 0;
  }
  /* -1 is a priority like any other: only errno distinguishes it from a failure. */
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, 0); /* of this thread only, on Linux */
  if (nice == -1 && errno != 0)
    return -errno;
  *priority = nice;
  return 0;
}

/* Real-time policies have a range of their own: lowest and highest are its ends, the
 * other priorities are evenly spaced between them. */
static int set_realtime_priority(pthread_t thread, int policy, int priority) {
  int lowest = sched_get_priority_min(policy);
  int highest = sched_get_priority_max(policy);
  if (lowest < 0 || highest < 0)
    return -errno;
  int steps = UV_THREAD_PRIORITY_HIGHEST - UV_THREAD_PRIORITY_LOWEST;
  int step = priority - UV_THREAD_PRIORITY_LOWEST;
  struct sched_param parameters = {.sched_priority =
                                       lowest + (highest - lowest) * step / steps};
  return -pthread_setschedparam(thread, policy, &parameters);
}

int uv_thread_setpriority(uv_thread_t tid, int priority) {
  struct sched_param parameters;
  int policy;
  id_t number = 0;

  if (priority < UV_THREAD_PRIORITY_LOWEST || priority > UV_THREAD_PRIORITY_HIGHEST)
    return UV_EINVAL;
  int err = pthread_getschedparam(tid, &policy, &parameters);
  if (err != 0)
    return -err;
  if (policy == SCHED_FIFO || policy == SCHED_RR)
    return set_realtime_priority(tid, policy, priority);

  err = thread_number(tid, &number);
  if (err != 0)
    return err;
  return setpriority(PRIO_PROCESS, number, -priority * NICE_STEP) == 0 ? 0 : -errno;
}
