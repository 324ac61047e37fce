/* An addon whose functions block the thread that calls them, each in another system call:
 * for check_hangs. Nobody ends a call early: if one ends, so does the process. Node-API
 * is declared here, so that no headers are needed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>

typedef struct napi_value__* napi_value;
typedef napi_value (*napi_callback)(void* env, void* info);
extern int napi_create_function(void* env, const char* name, size_t length,
                                napi_callback callback, void* data, napi_value* result);
extern int napi_set_named_property(void* env, napi_value object, const char* name,
                                   napi_value value);

static napi_value block_sleep(void* env, void* info) {
  struct timespec time = {.tv_sec = 1000};
  (void) env, (void) info;
  nanosleep(&time, NULL);
  abort();
}

static napi_value block_poll(void* env, void* info) {
  (void) env, (void) info;
  poll(NULL, 0, -1);
  abort();
}

static napi_value block_mutex(void* env, void* info) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  (void) env, (void) info;
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  abort();
}

static napi_value block_flock(void* env, void* info) {
  char path[] = "/tmp/rondo-flock-XXXXXX";
  int first = mkstemp(path), second = open(path, O_RDWR | O_CLOEXEC);
  (void) env, (void) info;
  remove(path);
  flock(first, LOCK_EX);
  flock(second, LOCK_EX);
  abort();
}

__attribute__((visibility("default"))) napi_value
napi_register_module_v1(void* env, napi_value exports);

napi_value napi_register_module_v1(void* env, napi_value exports) {
  static const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"sleep", block_sleep},
                   {"poll", block_poll},
                   {"mutex", block_mutex},
                   {"flock", block_flock}};
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, (size_t) -1, functions[i].function,
                             NULL, &function) == 0)
      napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
