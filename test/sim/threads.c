/* A hundred threads that sleep three times a second each, and end: in virtual time, so it
 * is the simulator's own work that takes time here. `threads N` makes so many. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 100, THREADS_MOST = 2000, SLEEPS = 3 };

static void* sleeper(void* number) {
  struct timespec time = {.tv_sec = 1, .tv_nsec = (long) (size_t) number * 1000};
  for (int i = 0; i < SLEEPS; i++)
    nanosleep(&time, NULL);
  return NULL;
}

int main(int argc, char** argv) {
  static pthread_t threads[THREADS_MOST];
  int count = argc > 1 ? atoi(argv[1]) : THREADS;
  if (count < 1 || count > THREADS_MOST)
    return 2;
  for (int i = 0; i < count; i++) {
    if (pthread_create(&threads[i], NULL, sleeper, (void*) (size_t) i) != 0)
      return 1;
  }
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
