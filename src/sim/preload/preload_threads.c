/* Threads have names that are the same in each run: by who made them, and in which order.
 * Whose turn it is depends on it (src/sim/world_turn.c). */
#include "preload.h"

#include <errno.h>
#include <stdlib.h>

typedef int (*create_call)(pthread_t*, const pthread_attr_t*, void* (*) (void*), void*);

struct thread_start {
  void* (*run)(void*);
  void* argument;
  uint64_t name;
};

static create_call real_create;
static pthread_once_t threads_once = PTHREAD_ONCE_INIT;

static void threads_find(void) {
  preload_find("pthread_create", &real_create);
}

/* A thread that doesn't return from its function keeps its entry until the table is full.
 */
static void* thread_begin(void* argument) {
  struct thread_start start = *(struct thread_start*) argument;
  free(argument);
  world_name_self(preload_world, start.name);
  void* result = start.run(start.argument);
  world_leave_self(preload_world);
  return result;
}

static uint64_t thread_next_name(void) {
  static _Thread_local uint64_t made __attribute__((tls_model("initial-exec")));
  const struct world_thread* self = world_self(preload_world);
  uint64_t name = self == NULL ? 0 : self->name;
  return (name ^ ++made) * UINT64_C(0x9e3779b97f4a7c15);
}

int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes,
                   void* (*run)(void*), void* restrict argument) {
  pthread_once(&threads_once, threads_find);
  if (preload_world == NULL)
    return real_create(thread, attributes, run, argument);
  struct thread_start* start = malloc(sizeof(*start));
  if (start == NULL)
    return EAGAIN;
  *start = (struct thread_start){run, argument, thread_next_name()};
  int err = real_create(thread, attributes, thread_begin, start);
  if (err != 0)
    free(start);
  return err;
}
