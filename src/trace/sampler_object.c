/* Of libuv.so.1: loads librondo-sampler.so and calls what is in it. Without the object a
 * recording has no stacks. */
#include "trace/sampler_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct sampler_needs needs = {
#define SAMPLER_NEED(name) .name = name,
    SAMPLER_NEEDS(SAMPLER_NEED)};

static const struct sampler_gives* object; /* NULL: not loaded */
static pthread_once_t object_once = PTHREAD_ONCE_INIT;

/* Beside this library; where that isn't known, wherever the loader looks. */
static void* object_open(void) {
  static const char name[] = "librondo-sampler.so";
  char path[PATH_MAX + sizeof(name)];
  Dl_info own;
  const char* slash = dladdr(&needs, &own) == 0 ? NULL : strrchr(own.dli_fname, '/');
  int folder = slash == NULL ? 0 : (int) (slash + 1 - own.dli_fname);
  if (folder >= PATH_MAX)
    return NULL;
  snprintf(path, sizeof(path), "%.*s%s", folder, slash == NULL ? "" : own.dli_fname,
           name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void object_load(void) {
  void* handle = object_open();
  const char* problem = handle == NULL ? dlerror() : "it is of another build";
  sampler_open_function begin = NULL;
  void* found = handle == NULL ? NULL : dlsym(handle, SAMPLER_OPEN);
  memcpy(&begin, &found, sizeof(begin));
  if (begin != NULL)
    object = begin(&needs, SAMPLER_LAYOUT, BOARD_SIZE);
  if (object == NULL)
    fprintf(stderr, "rondo: recorded without stacks: %s\n", problem);
}

void sampler_join(struct sampled_loop* loop, uint64_t now) {
  loop->joined_ns = now;
  pthread_once(&object_once, object_load);
  if (object != NULL)
    object->sampler_join(loop, now);
}

void sampler_leave(struct sampled_loop* loop) {
  if (object != NULL)
    object->sampler_leave(loop);
}

void sampler_abandon(struct sampled_loop* loop) {
  if (object != NULL)
    object->sampler_abandon(loop);
}

void sampler_moved(struct sampled_loop* loop) {
  if (object != NULL)
    object->sampler_moved(loop);
}

const struct sample* sampler_take(struct sampled_loop* loop) {
  return object == NULL ? NULL : object->sampler_take(loop);
}

void sampler_take_over(struct sampled_loop* loop) {
  object->sampler_take_over(loop); /* a watched loop has joined */
}

void sampler_woken(struct sampled_loop* loop) {
  if (object != NULL)
    object->sampler_woken(loop);
}

void watched_list_files(struct sampled_loop* loop) {
  object->watched_list_files(loop);
}
