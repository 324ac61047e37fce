/* Children of a simulated loop belong to the world: they get the settings by which a
 * program joins it, also if the parent made an environment of its own for them. */
#include "sim/sim_state.h"

#include "base/alloc.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set by `rondo sim`; the dynamic loader reads the LD_ ones. */
static const char* const settings[] = {"RONDO_SIM=", "LD_PRELOAD=", "LD_LIBRARY_PATH=",
                                       "RONDO_ADOPT=", "JSC_useConcurrentGC="};

static char* child_setting(char** environment, const char* name) {
  for (; environment != NULL && *environment != NULL; environment++) {
    if (strncmp(*environment, name, strlen(name)) == 0)
      return *environment;
  }
  return NULL;
}

/* Without memory, or in a world of one process, the child stays outside. */
const uv_process_options_t* sim_child_options(const uv_loop_t* loop,
                                              const uv_process_options_t* options,
                                              uv_process_options_t* joining) {
  size_t count = 0;
  if (options->env == NULL || sim_of(loop)->world->folder[0] == '\0')
    return options;
  while (options->env[count] != NULL)
    count++;
  char** environment =
      mem_calloc(count + ARRAY_LENGTH(settings) + 1, sizeof(*environment));
  if (environment == NULL)
    return options;
  memcpy(environment, options->env, count * sizeof(*environment));
  for (size_t i = 0; i < ARRAY_LENGTH(settings); i++) {
    char* own = child_setting(environ, settings[i]);
    if (own != NULL && child_setting(options->env, settings[i]) == NULL)
      environment[count++] = own;
  }
  *joining = *options;
  joining->env = environment;
  return joining;
}

void sim_child_options_free(const uv_process_options_t* options,
                            uv_process_options_t* joining) {
  if (options == joining)
    mem_free(joining->env);
}

void sim_spawned(uv_loop_t* loop, int pid) {
  world_spawned(sim_of(loop)->world, pid);
  sim_child_fault(loop, pid);
}
