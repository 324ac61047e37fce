/* Readiness in virtual time: a descriptor that is ready may go unnoticed for a while, as
 * if the network or another process had been slower. Meanwhile it is taken out of the
 * interest set, for the set would report it in every turn; a descriptor whose time has
 * come goes back, and what the set says of it then is delivered. */
#include "sim/sim_state.h"

#include "backend/interest.h"
#include "base/alloc.h"
#include "base/base.h"
#include "loop/watcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_source* source_at(struct sim_state* sim, int fd, uint32_t generation) {
  if ((size_t) fd >= sim->source_count) {
    size_t count = sim->source_count == 0 ? 64 : sim->source_count;
    while (count <= (size_t) fd)
      count *= 2;
    struct sim_source* sources = mem_realloc_array(sim->sources, count, sizeof(*sources));
    if (sources == NULL)
      return NULL;
    memset(sources + sim->source_count, 0,
           (count - sim->source_count) * sizeof(*sources));
    sim->sources = sources;
    sim->source_count = count;
  }
  struct sim_source* source = &sim->sources[fd];
  if (!source->known || source->generation != generation)
    *source = (struct sim_source){
        .known = true, .generation = generation, .number = ++sim->source_number};
  return source;
}

const struct sim_source* sim_ready_source(const uv_loop_t* loop, int fd) {
  if (fd < 0 || (unsigned int) fd >= loop->nslots)
    return NULL;
  return source_at(sim_of(loop), fd, loop->slots[fd].generation);
}

int sim_read_fault(const uv_loop_t* loop, int fd) {
  const struct sim_state* sim = sim_of(loop);
  if (fd < 0 || (size_t) fd >= sim->source_count || !sim->sources[fd].is_reset ||
      sim->sources[fd].generation != loop->slots[fd].generation)
    return 0;
  sim->sources[fd].is_reset = false;
  return UV_ECONNRESET;
}

/* --- holding ------------------------------------------------------------------------ */

/* How long the event is held back; 0: it is delivered now. */
static uint64_t event_delay(uv_loop_t* loop, const uv__io_t* w, unsigned int events,
                            struct sim_source* source) {
  struct sim_state* sim = sim_of(loop);
  struct sim_question question = {.kind = w->flags & WATCHER_LAST ? SIM_CHILD : SIM_READY,
                                  .loop = sim->number,
                                  .source = source->number,
                                  .nth = source->nth++};
  uint64_t number;
  if (!chooser_decides(sim->chooser, &question, &number))
    return 0;
  char words[360];
  uint64_t delay = sim_delay(loop, &question, number);
  if (delay == 0)
    return 0;
  sim_source_words(loop, w, events, source, words, sizeof(words));
  chooser_log(sim->chooser, &question, delay, words);
  return delay;
}

/* Whether the watcher is that of a connection that is being read. */
static bool is_connection(const uv_loop_t* loop, const uv__io_t* w) {
  if (!(sim_of(loop)->world->flags & WORLD_FAULTS) || !watcher_wants(w, WATCH_IN))
    return false;
  const uv_handle_t* handle = sim_handle_of(loop, w);
  return handle != NULL && handle->type == UV_TCP && !sim_is_listening(w->fd);
}

/* The event's callback computes. Its name is that of a late event, without the last
 * words.
 */
static void event_computes(uv_loop_t* loop, const struct epoll_event* event) {
  static const char* const ends[] = {" is noticed late", " is reported late",
                                     " is accepted late"};
  struct sim_state* sim = sim_of(loop);
  int fd = event_fd(event);
  char words[256];
  if (fd == loop->wake_fd || (size_t) fd >= sim->source_count ||
      !sim->sources[fd].known || !slot_started(&loop->slots[fd]))
    return;
  const struct sim_source* source = &sim->sources[fd];
  snprintf(words, sizeof(words), "the callback of descriptor source %llu",
           (unsigned long long) source->number);
  struct sim_computing* computing = sim_compute_begins(loop, words);
  if (computing == NULL)
    return;
  sim_source_words(loop, loop->slots[fd].watcher, event->events, source, words,
                   sizeof(words));
  for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
    char* end = strstr(words, ends[i]);
    if (end != NULL)
      *end = '\0';
  }
  snprintf(computing->name, sizeof(computing->name), "the callback of %s", words);
}

/* True if the event is delivered now. */
static bool event_passes(uv_loop_t* loop, const struct epoll_event* event) {
  struct sim_state* sim = sim_of(loop);
  int fd = event_fd(event);
  if (fd == loop->wake_fd || (unsigned int) fd >= loop->nslots ||
      sim_is_engines_loop(loop) ||
      (sim_is_systematic(sim) && sim_next_is_engines(loop, fd)))
    return true; /* a debugger's connection, for one, is no part of the program */
  const struct rondo_slot* slot = &loop->slots[fd];
  if (slot->generation != event_generation(event) || !slot_started(slot))
    return true; /* no watcher: the poll phase handles it */
  struct sim_source* source = source_at(sim, fd, slot->generation);
  if (source == NULL)
    return true;
  if (source->passes) {
    source->passes = false;
    return true;
  }
  if (!source->held && sim_is_systematic(sim)) {
    source->held = true;
    sim_next_mark(loop, &source->mark);
    world_link_held(sim->world, fd);
  } else if (!source->held) {
    int64_t fault =
        is_connection(loop, slot->watcher) ? sim_connection_fault(loop, source) : 0;
    source->is_reset = fault < 0;
    uint64_t delay = fault > 0 ? (uint64_t) fault
                               : event_delay(loop, slot->watcher, event->events, source);
    struct sim_event release = {.at = world_now(sim->world) + delay,
                                .kind = SIM_EVENT_RELEASE,
                                .fd = fd,
                                .generation = slot->generation};
    if (delay == 0 || !sim_heap_push(&sim->heap, release))
      return true;
    source->held = true;
    world_link_held(sim->world, fd);
  }
  interest_disarm(loop, fd);
  return false;
}

int sim_ready_filter(uv_loop_t* loop, const struct epoll_event* events, int count,
                     struct epoll_event* out) {
  int passed = 0;
  for (int i = 0; i < count; i++) {
    if (!event_passes(loop, &events[i]))
      continue;
    event_computes(loop, &events[i]);
    out[passed++] = events[i];
  }
  return passed;
}

void sim_ready_release(uv_loop_t* loop, const struct sim_event* event) {
  struct sim_state* sim = sim_of(loop);
  if ((size_t) event->fd >= sim->source_count)
    return;
  struct sim_source* source = &sim->sources[event->fd];
  if (source->generation != event->generation || !source->held)
    return;
  source->held = false;
  source->passes = true;
  if (slot_started(&loop->slots[event->fd]))
    interest_note(loop, loop->slots[event->fd].watcher);
}

bool sim_ready_is_held(const uv_loop_t* loop, int fd) {
  const struct sim_state* sim = sim_of(loop);
  if ((size_t) fd >= sim->source_count || (unsigned int) fd >= loop->nslots)
    return false;
  const struct sim_source* source = &sim->sources[fd];
  const struct rondo_slot* slot = &loop->slots[fd];
  return source->known && source->held && slot_started(slot) &&
         source->generation == slot->generation;
}

void sim_ready_serve(uv_loop_t* loop, int fd) {
  struct sim_source* source = &sim_of(loop)->sources[fd];
  source->held = false;
  source->passes = true;
  interest_note(loop, loop->slots[fd].watcher);
}

void sim_ready_close(struct sim_state* sim) {
  mem_free(sim->sources);
}
