/* Handles that the program, or its engine, describes: while a finding is being described,
 * an engine says from where each handle is and what passes over it. What passes over a
 * handle may become known only after the decision that is about the handle (which request
 * came over a connection), so a decision has the number of the description, and the
 * descriptions are a file of their own, `names.PATH` in the world's folder, in which the
 * last one counts. */
#include "sim/sim_step_state.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sim_described {
  const void* handle;
  uint64_t id;
};

static struct sim_described* described_find(const struct sim_state* sim,
                                            const void* handle, uint64_t id) {
  for (size_t i = 0; i < sim->described_count; i++) {
    if (handle != NULL ? sim->described[i].handle == handle : sim->described[i].id == id)
      return &sim->described[i];
  }
  return NULL;
}

/* The memory of a handle may be that of one which is gone. */
void sim_handle_made(uv_loop_t* loop, const uv_handle_t* handle) {
  struct sim_state* sim = sim_of(loop);
  struct sim_described* known = described_find(sim, handle, 0);
  if (sim_step_is_on)
    step_handle_made(sim, handle);
  if (known != NULL)
    *known = sim->described[--sim->described_count];
  if (sim->described_next == 0)
    return;
  struct sim_described* grown =
      mem_realloc_array(sim->described, sim->described_count + 1, sizeof(*grown));
  if (grown == NULL)
    return;
  sim->described = grown;
  grown[sim->described_count++] =
      (struct sim_described){.handle = handle, .id = sim->described_next};
  sim->described_next = 0;
}

void sim_described_words(const uv_loop_t* loop, const void* handle, const char* words,
                         char* text, size_t size) {
  const struct sim_state* sim = sim_of(loop);
  const struct sim_described* known =
      handle == NULL ? NULL : described_find(sim, handle, 0);
  if (known == NULL)
    snprintf(text, size, "%s", words);
  else
    snprintf(text, size, "\1%u.%" PRIu64 "\2%s\3", sim->number, known->id, words);
}

void rondo_sim_describe(uv_loop_t* loop, const uv_handle_t* handle, uint64_t id,
                        const char* words) {
  char path[WORLD_FOLDER + WORLD_PATH + 32];
  char place[WORLD_PATH];
  char line[400];
  if (!simulated(loop) || id == 0)
    return;
  struct sim_state* sim = sim_of(loop);
  if (described_find(sim, NULL, id) == NULL)
    sim->described_next = id;
  if (handle != NULL && sim->described_next == id)
    sim_handle_made(loop, handle);
  if (sim->world->folder[0] == '\0')
    return;
  int length =
      snprintf(line, sizeof(line), "%u.%" PRIu64 "\t%.340s\n", sim->number, id, words);
  world_own_path(sim->world, place);
  snprintf(path, sizeof(path), "%s/names.%s", sim->world->folder, place);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd >= 0 && length > 0 && write(fd, line, (size_t) length) < 0)
    world_say(sim->world, "a description can't be noted");
  if (fd >= 0)
    close(fd);
}

void rondo_sim_work(uv_loop_t* loop, const char* name) {
  if (simulated(loop))
    snprintf(sim_of(loop)->work, sizeof(sim_of(loop)->work), "%s", name);
}

void sim_described_close(struct sim_state* sim) {
  mem_free(sim->described);
}
