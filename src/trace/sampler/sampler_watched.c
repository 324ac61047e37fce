/* Samples that the watcher of `rondo exec` asks for, in a program without threads.
 *
 * A sampling thread would make it a program with threads, in which the C library and the
 * kernel do more for many calls. So the watcher compares the board with the clock instead
 * and sends the signal; the handler walks the stack, which takes no lock and allocates
 * nothing there, and leaves the places on the board. Whoever reads them finds the names
 * by the list of files that is on the board too; the recorder writes them down, as it
 * does all samples, when the stretch is over. As soon as the program has a second thread
 * of its own, the sampling thread takes over. */
#include "trace/sampler.h"

#include "base/base.h"
#include "trace/alarm.h"
#include "trace/code.h"
#include "trace/recording.h"
#include "trace/sequence.h"
#include "trace/unwind.h"

#include <dlfcn.h>
#include <string.h>

/* For the handler, by their places on the board. */
static struct sampled_loop* watched_loops[BOARD_LOOPS];

static uint32_t place_of(const struct sampled_loop* loop) {
  return (uint32_t) (loop->live - loop->board->loops);
}

/* --- life ------------------------------------------------------------------------------
 */

bool watched_may_begin(struct sampled_loop* loop) {
  if (loop->live == NULL || !alarm_has_watcher() || !unwind_may_in_handler())
    return false;
  loop->is_single_threaded = dlsym(RTLD_DEFAULT, "__libc_single_threaded");
  return loop->is_single_threaded != NULL && *loop->is_single_threaded;
}

static bool object_list(void* data, uintptr_t start, uintptr_t end, uintptr_t base,
                        const char* path) {
  const struct sampled_loop* loop = data;
  struct board* board = loop->board;
  struct board_object* object = &board->objects[board->object_count];
  if (*path == '\0')
    path = recording_program(loop->stream);
  size_t length = strnlen(path, sizeof(object->path));
  if (length == sizeof(object->path))
    return true; /* cut, it would be another file */
  object->start = start;
  object->end = end;
  object->base = base;
  memcpy(object->path, path, length + 1);
  return ++board->object_count < BOARD_OBJECTS;
}

void watched_list_files(struct sampled_loop* loop) {
  loop->board->object_count = 0;
  code_files_visit(object_list, loop);
}

/* The watcher may have looked at the board before there was a loop and a threshold on it,
 * and be asleep for a second. */
void watched_begin(struct sampled_loop* loop) {
  watched_list_files(loop);
  loop->is_watched = true;
  loop->seen = __atomic_load_n(&loop->board->sampled, __ATOMIC_ACQUIRE);
  loop->live->thread = (uint32_t) loop->thread;
  watched_loops[place_of(loop)] = loop;
  __atomic_store_n(&loop->live->is_watched, 1, __ATOMIC_RELEASE);
  watched_wake(loop);
}

void watched_end(struct sampled_loop* loop) {
  loop->is_watched = false;
  watched_loops[place_of(loop)] = NULL;
  __atomic_store_n(&loop->live->is_watched, 0, __ATOMIC_RELEASE);
}

void watched_forget_all(void) {
  memset(watched_loops, 0, sizeof(watched_loops));
}

void watched_wake(struct sampled_loop* loop) {
  __atomic_store_n(&loop->board->watcher_idle, 0, __ATOMIC_RELAXED);
  alarm_send(ALARM_AWAKE);
}

/* --- samples ---------------------------------------------------------------------------
 */

struct sampled_loop* watched_loop(unsigned int question) {
  return watched_loops[question % BOARD_LOOPS];
}

void watched_answer(struct sampled_loop* loop, unsigned int question,
                    const struct unwind_stack* stack, uint64_t now) {
  struct board* board = loop->board;
  struct board_sample* sample = &board->samples[board->sampled % BOARD_SAMPLES];
  struct unwind_state state = stack->state;
  uint64_t looked = __atomic_load_n(&loop->live->looked_ns, __ATOMIC_RELAXED);
  if ((looked & BOARD_ASLEEP) != 0)
    return; /* the signal came too late */
  sequence_write_begin(&sample->sequence);
  sample->loop = place_of(loop);
  sample->number = question / BOARD_LOOPS;
  sample->when_ns = now;
  sample->stretch_ns = looked;
  sample->is_bare = 1;
  sample->count = 0;
  do
    sample->places[sample->count++] = unwind_place(&state);
  while (sample->count < BOARD_PLACES && unwind_step_in_handler(stack, &state));
  sequence_write_end(&sample->sequence);
  __atomic_store_n(&board->sampled, board->sampled + 1, __ATOMIC_RELEASE);
}

const struct sample* watched_take(struct sampled_loop* loop) {
  const struct board* board = loop->board;
  struct sample* taken = loop->samples;
  uint32_t sampled = __atomic_load_n(&board->sampled, __ATOMIC_ACQUIRE);
  if (sampled - loop->seen > BOARD_SAMPLES)
    loop->seen = sampled - BOARD_SAMPLES;
  while (loop->seen != sampled) {
    const struct board_sample* sample = &board->samples[loop->seen++ % BOARD_SAMPLES];
    if (sample->loop != place_of(loop) || !sample->is_bare)
      continue;
    taken->when_ns = sample->when_ns;
    taken->count = sample->count;
    for (uint32_t i = 0; i < sample->count && i < BOARD_PLACES; i++)
      taken->frames[i] = (uintptr_t) sample->places[i];
    return taken;
  }
  return NULL;
}
