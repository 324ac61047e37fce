/* Joining the world, before the program's own code runs; again after a fork. A process
 * that was started begins when the one that started it waits, so that they don't run side
 * by side. */
#include "preload_timers.h"

#include <stdlib.h>
#include <sys/auxv.h>

struct world* preload_world;

static void preload_forked(void) {
  if (preload_world == NULL)
    return;
  preload_timers_forked();
  world_forked(preload_world);
}

__attribute__((constructor(101))) static void preload_start(void) {
  const char* folder = getenv("RONDO_SIM");
  if (folder == NULL || folder[0] != '/' || getauxval(AT_SECURE) != 0)
    return;
  preload_world = world_join(folder);
  if (preload_world == NULL)
    return;
  pthread_atfork(NULL, NULL, preload_forked);
  preload_alarm_resume();
  world_yield(preload_world);
}
