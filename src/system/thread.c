/* Threads: creating them with a stack of the right size, joining and comparing them. */
#include "base/alloc.h"
#include "base/base.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

/* Used if `ulimit -s` is unlimited; the C library takes the same size then. */
#define STACK_SIZE_UNLIMITED ((size_t) 2 << 20)

struct thread_start {
  uv_thread_cb entry;
  void* argument;
};

static size_t round_up_to_page(size_t size) {
  size_t page = system_page_size();
  return size > SIZE_MAX - (page - 1) ? size / page * page
                                      : (size + page - 1) / page * page;
}

/* The smallest stack that a thread can have. The size depends on how much the processor
 * saves for a signal handler, so the system is asked for it; a header can't know. */
static size_t stack_size_min(void) {
  long size = sysconf(_SC_THREAD_STACK_MIN);
  return size_max(size > 0 ? (size_t) size : 0, (size_t) PTHREAD_STACK_MIN);
}

/* The main thread's stack follows `ulimit -s`; other threads get the same, so that code
 * which works in the main thread works in the others. */
static size_t stack_size_default(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return STACK_SIZE_UNLIMITED;
  return round_up_to_page((size_t) limit.rlim_cur);
}

static size_t stack_size_for(const uv_thread_options_t* options) {
  size_t size = 0;
  if ((options->flags & UV_THREAD_HAS_STACK_SIZE) != 0)
    size = round_up_to_page(options->stack_size);
  if (size == 0)
    size = stack_size_default();
  return size_max(size, round_up_to_page(stack_size_min()));
}

static void* thread_main(void* argument) {
  struct thread_start start = *(struct thread_start*) argument;
  mem_free(argument);
  start.entry(start.argument);
  return NULL;
}

int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg) {
  uv_thread_options_t options = {.flags = UV_THREAD_NO_FLAGS};
  return uv_thread_create_ex(tid, &options, entry, arg);
}

int uv_thread_create_ex(uv_thread_t* tid, const uv_thread_options_t* params,
                        uv_thread_cb entry, void* arg) {
  struct thread_start* start = mem_alloc(sizeof(*start));
  if (start == NULL)
    return UV_ENOMEM;
  *start = (struct thread_start){.entry = entry, .argument = arg};

  pthread_attr_t attributes;
  int err = pthread_attr_init(&attributes);
  if (err == 0) {
    err = pthread_attr_setstacksize(&attributes, stack_size_for(params));
    if (err == 0)
      err = pthread_create(tid, &attributes, thread_main, start);
    pthread_attr_destroy(&attributes);
  }
  if (err != 0)
    mem_free(start);
  return -err;
}

uv_thread_t uv_thread_self(void) {
  return pthread_self();
}

/* musl waits for ever for the thread itself; glibc says what POSIX recommends. */
int uv_thread_join(uv_thread_t* tid) {
  if (pthread_equal(*tid, pthread_self()))
    return -EDEADLK;
  return -pthread_join(*tid, NULL);
}

int uv_thread_detach(uv_thread_t* tid) {
  return -pthread_detach(*tid);
}

int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2) {
  return pthread_equal(*t1, *t2);
}
