/* A program that has run for a while before librondo-adopt.so comes, as one would whose
 * loader initialises it late: loads it by hand, after having made a loop, or started a
 * thread, or neither. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

static uv_sem_t hold;

static void wait_for_end(void* argument) {
  (void) argument;
  uv_sem_wait(&hold);
}

int main(int argc, char** argv) {
  static uv_loop_t loop;
  uv_thread_t thread;
  if (argc < 3)
    return 1;
  bool makes_loop = strcmp(argv[1], "loop") == 0;
  bool starts_thread = strcmp(argv[1], "thread") == 0;
  if (makes_loop)
    uv_loop_init(&loop);
  if (strcmp(argv[1], "default") == 0)
    uv_loop_close(uv_default_loop()), uv_default_loop();
  if (starts_thread) {
    uv_sem_init(&hold, 0);
    uv_thread_create(&thread, wait_for_end, NULL);
  }
  if (dlopen(argv[2], RTLD_NOW) == NULL)
    puts(dlerror());
  printf("libuv %s\n", uv_version_string());
  if (starts_thread) {
    uv_sem_post(&hold);
    uv_thread_join(&thread);
  }
  return 7;
}
