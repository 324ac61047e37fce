/* Finds the loops of a target: by name where there is a table of symbols, and on the
 * stacks of threads. A place is a loop if its descriptor is an epoll set, its own handles
 * point back to it and its rings close. */
#include "target_stack.h"
#include "trace_model.h"
#include "uv_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static uint64_t word_at(const unsigned char* bytes, size_t offset) {
  uint64_t value;
  memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

static uint32_t number_at(const unsigned char* bytes, size_t offset) {
  uint32_t value;
  memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

/* --- proof ----------------------------------------------------------------------------
 */

/* A ring's neighbours point back. */
static bool ring_is_linked(const struct target* target, uint64_t ring) {
  uint64_t links[2], back;
  return ring % 8 == 0 && target_read(target, ring, links, sizeof(links)) &&
         target_word(target, links[0] + 8, &back) && back == ring &&
         target_word(target, links[1], &back) && back == ring;
}

static bool own_handle_is(const unsigned char* bytes, size_t offset, uint64_t loop,
                          uint32_t type) {
  return word_at(bytes, offset + UV_HANDLE_LOOP) == loop &&
         number_at(bytes, offset + UV_HANDLE_TYPE) == type;
}

/* libuv keeps two handles of its own inside the loop. */
static bool is_libuv_loop(const unsigned char* bytes, uint64_t address) {
  enum { TYPE_ASYNC = 1, TYPE_SIGNAL = 16 };
  return own_handle_is(bytes, UV_LOOP_WQ_ASYNC, address, TYPE_ASYNC) &&
         own_handle_is(bytes, UV_LOOP_CHILD_WATCHER, address, TYPE_SIGNAL) &&
         number_at(bytes, UV_LOOP_NFDS) <= 1 << 24 &&
         number_at(bytes, UV_LOOP_TIMER_COUNT) <= 1 << 28;
}

bool loop_prove(const struct seen* seen, uint64_t address, struct seen_loop* loop) {
  unsigned char bytes[UV_LOOP_SIZE];
  const struct target* target = seen->target;
  if (address % 8 != 0 || !target_read(target, address, bytes, sizeof(bytes)) ||
      !is_libuv_loop(bytes, address))
    return false;
  int fd = (int) number_at(bytes, UV_LOOP_BACKEND_FD);
  if (fd < 0 || (seen->files.known && !file_is_epoll(&seen->files, fd)) ||
      !ring_is_linked(target, address + UV_LOOP_HANDLE_QUEUE) ||
      !ring_is_linked(target, address + UV_LOOP_WQ))
    return false;
  *loop = (struct seen_loop){
      .address = address,
      .backend_fd = fd,
      .time_ms = word_at(bytes, UV_LOOP_TIME),
      .active_handles = number_at(bytes, UV_LOOP_ACTIVE_HANDLES),
      .active_requests = number_at(bytes, UV_LOOP_ACTIVE_REQS),
      .image = image_at(target, address),
  };
  return true;
}

/* --- finding --------------------------------------------------------------------------
 */

const struct seen_loop* seen_loop_at(const struct seen* seen, uint64_t address) {
  for (size_t i = 0; i < seen->loop_count; i++) {
    if (seen->loops[i].address == address)
      return &seen->loops[i];
  }
  return NULL;
}

static void loop_try(struct seen* seen, uint64_t address, bool is_default) {
  struct seen_loop loop;
  enum { LOOPS_MOST = 1024 };
  if (address == 0 || seen_loop_at(seen, address) != NULL ||
      seen->loop_count == LOOPS_MOST || !loop_prove(seen, address, &loop))
    return;
  size_t capacity = seen->loop_count; /* grows by one */
  if (capacity % 8 == 0) {
    capacity += 8;
    void* list = realloc(seen->loops, capacity * sizeof(*seen->loops));
    if (list == NULL)
      out_of_memory();
    seen->loops = list;
  }
  loop.is_default = is_default;
  seen->loops[seen->loop_count++] = loop;
}

/* "lea text(%rip), %rax" or "mov $text, %eax" at the begin of uv_version_string. */
static void version_read(struct seen* seen, uint64_t function) {
  unsigned char code[32];
  if (*seen->version != '\0' || function == 0 ||
      !target_read(seen->target, function, code, sizeof(code)))
    return;
  for (size_t i = 0; i + 7 < sizeof(code); i++) {
    int32_t value;
    uint64_t text = 0;
    if (code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x05) {
      memcpy(&value, code + i + 3, sizeof(value));
      text = function + i + 7 + (uint64_t) (int64_t) value;
    } else if (code[i] == 0xb8) {
      memcpy(&value, code + i + 1, sizeof(value));
      text = (uint32_t) value;
    }
    if (text == 0)
      continue;
    if (!target_text(seen->target, text, seen->version, sizeof(seen->version)) ||
        strspn(seen->version, "0123456789.") < 4)
      *seen->version = '\0';
    return;
  }
}

static void find_by_name(struct seen* seen) {
  static const char* const names[] = {"default_loop_struct", "uv_version_string"};
  uint64_t addresses[2];
  for (size_t i = 0; i < seen->target->image_count; i++) {
    const struct image* image = &seen->target->images[i];
    image_symbols(image, names, addresses, 2);
    version_read(seen, addresses[1]);
    loop_try(seen, addresses[0], true);
  }
}

static bool is_data(const struct target* target, uint64_t address) {
  const struct mapping* map = target_map(target, address);
  return map != NULL && map->writable && map->readable;
}

/* Every word of the stack that leads to memory is tried. */
static void find_on_stack(struct seen* seen, const struct target_thread* thread) {
  enum { STACK_MOST = 8 << 20, PIECE = 64 << 10 };
  static uint64_t words[PIECE / 8];
  const struct unwind_state* registers = &thread->registers;
  uint64_t last = 0;
  for (unsigned int i = 0; i < UNWIND_REGISTERS; i++) {
    if (unwind_knows(registers, i) && is_data(seen->target, registers->registers[i]))
      loop_try(seen, registers->registers[i], false);
  }
  if (!unwind_knows(registers, UNWIND_STACK))
    return;
  uint64_t at = registers->registers[UNWIND_STACK] & ~(uint64_t) 7;
  const struct mapping* map = target_map(seen->target, at);
  uint64_t end = map == NULL                  ? at
                 : map->end - at > STACK_MOST ? at + STACK_MOST
                                              : map->end;
  while (at < end) {
    size_t size = end - at < PIECE ? end - at : PIECE;
    if (!target_read(seen->target, at, words, size))
      return;
    for (size_t i = 0; i < size / 8; i++) {
      uint64_t word = words[i];
      if (word % 8 == 0 && word != last && word > 65536 && is_data(seen->target, word))
        loop_try(seen, word, false);
      last = word;
    }
    at += size;
  }
}

/* --- whose thread ---------------------------------------------------------------------
 */

/* Not every processor's kernel, and not every set of headers, has each of these calls. */
static bool waits_in_epoll(long call) {
#ifdef SYS_epoll_wait
  if (call == SYS_epoll_wait)
    return true;
#endif
#ifdef SYS_epoll_pwait2
  if (call == SYS_epoll_pwait2)
    return true;
#endif
  return call == SYS_epoll_pwait;
}

static bool waits_for(const struct target_thread* thread, int fd) {
  return thread->is_blocked && waits_in_epoll(thread->call) &&
         (int) thread->arguments[0] == fd;
}

/* The newest frame of uv_run on the thread's stack has the loop's address in it, or in
 * the frame below, which saves uv_run's registers. 0 if there is none, or more than one.
 */
static uint64_t loop_of_frames(const struct seen* seen, const struct target_frame* frames,
                               size_t run) {
  uint64_t found = 0, word;
  uint64_t at = frames[run == 0 ? run : run - 1].stack;
  for (; at < frames[run + 1].stack; at += 8) {
    if (!target_word(seen->target, at, &word) || seen_loop_at(seen, word) == NULL)
      continue;
    if (found != 0 && word != found)
      return 0;
    found = word;
  }
  return found;
}

/* A callback may run a loop of its own, as Node's execSync does: each frame of uv_run has
 * its loop. False if the stack is known neither to its end nor to a loop. */
static bool loops_of_thread(struct seen* seen, const struct target_thread* thread,
                            const uint64_t* runs) {
  static struct target_frame frames[TARGET_FRAMES];
  const struct target* target = seen->target;
  size_t runs_seen = 0;
  bool found = false;
  size_t count =
      target_walk(target, &thread->registers, thread->copy, frames, TARGET_FRAMES);
  for (size_t i = 0; i + 1 < count; i++) {
    uint64_t place = target_frame_place(&frames[i]);
    const struct image* image = image_at(target, place);
    if (image == NULL || runs[image - target->images] == 0 ||
        unwind_function_start(&image->rules, place) != runs[image - target->images])
      continue;
    uint64_t address = loop_of_frames(seen, frames, i);
    runs_seen++;
    for (size_t j = 0; j < seen->loop_count && address != 0; j++) {
      struct seen_loop* loop = &seen->loops[j];
      if (loop->address != address || (loop->tid != 0 && loop->tid != thread->tid))
        continue;
      loop->tid = thread->tid;
      loop->depth = runs_seen;
      found = true;
    }
  }
  return found || target_walk_is_whole(target, frames, count);
}

static void waiters_find(struct seen* seen) {
  const struct target* target = seen->target;
  for (size_t i = 0; i < seen->loop_count; i++) {
    struct seen_loop* loop = &seen->loops[i];
    for (size_t j = 0; j < target->thread_count && loop->tid == 0; j++) {
      const struct target_thread* thread = &target->threads[j];
      if (!waits_for(thread, loop->backend_fd))
        continue;
      loop->tid = thread->tid;
      loop->is_polling = true;
      loop->depth = 1;
      loop->timeout_ms = (int) thread->arguments[3];
    }
  }
}

/* The stack of a thread that runs is copied while the thread stands. By then it may be
 * blocked, and one that was blocked may run: each is looked at until one of both is
 * known. */
static void runner_copy(const struct target* target, struct target_thread* thread) {
  enum { TRIES = 5 };
  for (int turn = 0; turn < TRIES && !thread->is_blocked; turn++) {
    thread->copy = malloc(sizeof(*thread->copy));
    if (thread->copy == NULL)
      out_of_memory();
    if (target_stop_copy(target, thread->tid, &thread->registers, thread->copy))
      return;
    free(thread->copy);
    thread->copy = NULL;
    target_thread_read(target, thread);
  }
}

static void runners_copy(struct target* target) {
  for (size_t i = 0; i < target->thread_count && target->core == NULL; i++)
    runner_copy(target, &target->threads[i]);
}

/* One look may find a thread that runs in code without rules, such as a cipher's. */
static void runner_find(struct seen* seen, struct target* target,
                        struct target_thread* thread, const uint64_t* runs) {
  enum { LOOKS_MOST = 8, BETWEEN_NS = 3000000 };
  const struct timespec between = {0, BETWEEN_NS};
  for (int look = 0; !loops_of_thread(seen, thread, runs); look++) {
    if (look == LOOKS_MOST || thread->is_blocked || target->core != NULL ||
        target->tracer != 0)
      return;
    nanosleep(&between, NULL);
    free(thread->copy);
    thread->copy = NULL;
    target_thread_read(target, thread);
    runner_copy(target, thread);
  }
}

static void runners_find(struct seen* seen, struct target* target) {
  static const char* const names[] = {"uv_run"};
  uint64_t* runs = calloc(target->image_count + 1, sizeof(*runs));
  if (runs == NULL)
    out_of_memory();
  for (size_t i = 0; i < target->image_count; i++)
    image_symbols(&target->images[i], names, &runs[i], 1);
  for (size_t i = 0; i < target->thread_count; i++)
    runner_find(seen, target, &target->threads[i], runs);
  free(runs);
}

/* --- all of it ------------------------------------------------------------------------
 */

static int by_thread(const void* left, const void* right) {
  const struct seen_loop *a = left, *b = right;
  if (a->is_default != b->is_default)
    return a->is_default ? -1 : 1;
  if (a->tid != b->tid)
    return a->tid < b->tid ? -1 : 1;
  return a->address < b->address ? -1 : a->address > b->address;
}

/* Whether the thread has been on a processor since the threads were listed. */
static bool has_moved(const struct target* target, int tid) {
  const struct target_thread* thread = target_thread(target, tid);
  return thread != NULL && target->core == NULL &&
         thread_cpu_ns(target->pid, tid) != thread->cpu_ns;
}

uint64_t seen_clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

void seen_look(struct seen* seen, struct target* target) {
  *seen = (struct seen){.target = target};
  files_read(&seen->files, target);
  runners_copy(target);
  find_by_name(seen);
  for (size_t i = 0; i < target->thread_count; i++)
    find_on_stack(seen, &target->threads[i]);
  waiters_find(seen);
  runners_find(seen, target);
  for (size_t i = 0; i < seen->loop_count; i++) {
    loop_handles_read(seen, &seen->loops[i]);
    seen->loops[i].is_turning = has_moved(target, seen->loops[i].tid);
  }
  if (seen->loop_count > 1)
    qsort(seen->loops, seen->loop_count, sizeof(*seen->loops), by_thread);
  seen_requests_find(seen);
}

void seen_free(struct seen* seen) {
  for (size_t i = 0; i < seen->loop_count; i++)
    free(seen->loops[i].handles);
  free(seen->loops);
  free(seen->requests);
  files_free(&seen->files);
  *seen = (struct seen){0};
}
