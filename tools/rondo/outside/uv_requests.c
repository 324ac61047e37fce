/* Requests in flight: those that wait in the queues of streams, and those of the pool,
 * which are in its queue, on the stacks of its threads, or done and not yet called back.
 */
#include "target_stack.h"
#include "trace_model.h"
#include "uv_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { REQUESTS_MOST = 1 << 16, STACK_SEARCHED = 1 << 20 };

enum { REQ_FS = 6, REQ_WORK = 7, REQ_ADDRINFO = 8, REQ_NAMEINFO = 9, REQ_RANDOM = 10 };

void seen_request_add(struct seen* seen, const struct seen_request* request) {
  if (seen->request_count >= REQUESTS_MOST)
    return;
  if (seen->request_count % 64 == 0) {
    void* list =
        realloc(seen->requests, (seen->request_count + 64) * sizeof(*seen->requests));
    if (list == NULL)
      out_of_memory();
    seen->requests = list;
  }
  seen->requests[seen->request_count++] = *request;
}

/* --- streams --------------------------------------------------------------------------
 */

static void stream_request(struct seen* seen, const struct seen_loop* loop,
                           const struct seen_handle* handle, const char* kind,
                           uint64_t address) {
  struct seen_request request = {
      .address = address, .loop = loop->address, .place = REQUEST_OF_STREAM};
  const char* prefix = uv_kind_name(handle->type);
  snprintf(request.kind, sizeof(request.kind), "%s", kind);
  int used = snprintf(request.about, sizeof(request.about), "on %s", prefix);
  if (handle->fd >= 0)
    used += snprintf(request.about + used, sizeof(request.about) - (size_t) used,
                     " fd %d", handle->fd);
  snprintf(request.about + used, sizeof(request.about) - (size_t) used, "%s%.200s",
           *handle->about == '\0' ? "" : " ", handle->about);
  (void) target_word(seen->target, address + UV_REQ_DATA, &request.data);
  seen_request_add(seen, &request);
}

static void stream_requests(struct seen* seen, const struct seen_loop* loop,
                            const struct seen_handle* handle) {
  enum { WRITES_MOST = 1000 };
  const struct target* target = seen->target;
  uint64_t word, head = handle->address + UV_STREAM_WRITE_QUEUE;
  if (target_word(target, handle->address + UV_STREAM_CONNECT_REQ, &word) && word != 0)
    stream_request(seen, loop, handle, "connect", word);
  if (target_word(target, handle->address + UV_STREAM_SHUTDOWN_REQ, &word) && word != 0)
    stream_request(seen, loop, handle, "shutdown", word);
  if (!target_word(target, head, &word))
    return;
  for (int i = 0; word != head && i < WRITES_MOST; i++) {
    stream_request(seen, loop, handle, "write", word - UV_WRITE_QUEUE);
    if (!target_word(target, word, &word))
      return;
  }
}

static void udp_requests(struct seen* seen, const struct seen_loop* loop,
                         const struct seen_handle* handle) {
  uint64_t count;
  if (!target_word(seen->target, handle->address + UV_UDP_QUEUE_COUNT, &count))
    return;
  for (uint64_t i = 0; i < count && i < 1000; i++)
    stream_request(seen, loop, handle, "udp_send", 0);
}

/* --- work -----------------------------------------------------------------------------
 */

static bool request_is(const struct target* target, uint64_t base, uint32_t type,
                       size_t loop_offset, uint64_t loop) {
  uint32_t found;
  uint64_t of;
  return target_number(target, base + UV_REQ_TYPE, &found) && found == type &&
         target_word(target, base + loop_offset, &of) && of == loop;
}

static void fs_about(const struct target* target, uint64_t base,
                     struct seen_request* request) {
  uint64_t path;
  uint32_t kind, file;
  const char* name = NULL;
  if (target_number(target, base + UV_FS_KIND, &kind))
    name = uv_fs_name(kind);
  snprintf(request->kind, sizeof(request->kind), "fs_%s", name == NULL ? "?" : name);
  if (target_word(target, base + UV_FS_PATH, &path) && path != 0 &&
      target_text(target, path, request->about, sizeof(request->about)))
    return;
  *request->about = '\0';
  if (target_number(target, base + UV_FS_FILE, &file) && (int) file >= 0)
    snprintf(request->about, sizeof(request->about), "fd %u", file);
}

static void addrinfo_about(const struct target* target, uint64_t base,
                           struct seen_request* request) {
  uint64_t host;
  if (!target_word(target, base + UV_ADDRINFO_HOST, &host) || host == 0 ||
      !target_text(target, host, request->about, sizeof(request->about)))
    *request->about = '\0';
}

/* The request around a piece of work proves itself by its kind and its loop. */
static void work_describe(const struct target* target, uint64_t work,
                          struct seen_request* request) {
  static const struct {
    uint32_t type;
    size_t work, loop;
  } kinds[] = {{REQ_FS, UV_FS_WORK, UV_FS_LOOP},
               {REQ_ADDRINFO, UV_ADDRINFO_WORK, UV_ADDRINFO_LOOP},
               {REQ_NAMEINFO, UV_NAMEINFO_WORK, UV_ADDRINFO_LOOP},
               {REQ_WORK, UV_WORK_WORK, UV_WORK_LOOP},
               {REQ_RANDOM, UV_RANDOM_WORK, UV_WORK_LOOP}};
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    uint64_t base = work - kinds[i].work;
    if (!request_is(target, base, kinds[i].type, kinds[i].loop, request->loop))
      continue;
    request->address = base;
    snprintf(request->kind, sizeof(request->kind), "%s", uv_request_name(kinds[i].type));
    (void) target_word(target, base + UV_REQ_DATA, &request->data);
    if (kinds[i].type == REQ_FS)
      fs_about(target, base, request);
    else if (kinds[i].type == REQ_ADDRINFO)
      addrinfo_about(target, base, request);
    else if (kinds[i].type == REQ_WORK)
      (void) target_word(target, base + UV_WORK_CALLBACK, &request->function);
    return;
  }
  snprintf(request->kind, sizeof(request->kind), "work");
}

static bool is_code_of(const struct target* target, uint64_t address) {
  const struct mapping* map = target_map(target, address);
  return map != NULL && map->executable;
}

/* Reads struct uv__work; false if there is none that belongs to a known loop. */
static bool work_read(const struct seen* seen, uint64_t address, uint64_t* fields) {
  const struct mapping* map = target_map(seen->target, address);
  return address % 8 == 0 && map != NULL && map->writable &&
         target_read(seen->target, address, fields, WORK_BYTES) &&
         seen_loop_at(seen, fields[WORK_LOOP / 8]) != NULL &&
         is_code_of(seen->target, fields[WORK_DONE / 8]) &&
         (fields[WORK_FUNCTION / 8] == 0 ||
          is_code_of(seen->target, fields[WORK_FUNCTION / 8]));
}

static bool work_is_known(const struct seen* seen, uint64_t work) {
  for (size_t i = 0; i < seen->request_count; i++) {
    uint64_t distance = work - seen->requests[i].address;
    if (distance <= UV_FS_WORK && seen->requests[i].place != REQUEST_OF_STREAM)
      return true;
  }
  return false;
}

static void work_add(struct seen* seen, uint64_t work, const uint64_t* fields,
                     enum seen_place place, int tid) {
  struct seen_request request = {.address = work,
                                 .loop = fields[WORK_LOOP / 8],
                                 .function = fields[WORK_FUNCTION / 8],
                                 .place = place,
                                 .tid = tid};
  if (work_is_known(seen, work))
    return;
  work_describe(seen->target, work, &request);
  seen_request_add(seen, &request);
}

/* A piece of work that a thread has taken is in no ring: its link leads to itself. */
static bool work_is_taken(uint64_t work, const uint64_t* fields) {
  uint64_t link = work + WORK_QUEUE;
  return fields[WORK_FUNCTION / 8] != 0 && fields[WORK_QUEUE / 8] == link &&
         fields[WORK_QUEUE / 8 + 1] == link;
}

/* --- the pool -------------------------------------------------------------------------
 */

/* In a ring of waiting work there are also marks, which are no work. */
static void ring_of_work(struct seen* seen, uint64_t head, enum seen_place place) {
  uint64_t link, fields[WORK_BYTES / 8];
  if (head == 0 || !target_word(seen->target, head, &link))
    return;
  for (int i = 0; link != head && i < REQUESTS_MOST; i++) {
    if (work_read(seen, link - WORK_QUEUE, fields))
      work_add(seen, link - WORK_QUEUE, fields, place, 0);
    if (link % 8 != 0 || !target_word(seen->target, link, &link))
      return;
  }
}

/* Whether a frame of the thread is in the function that does the work: what lies on a
 * stack may also be left over. */
static bool thread_is_in(const struct target* target, const struct target_thread* thread,
                         uint64_t function) {
  static struct target_frame frames[TARGET_FRAMES];
  size_t count =
      target_walk(target, &thread->registers, thread->copy, frames, TARGET_FRAMES);
  for (size_t i = 0; i < count; i++) {
    uint64_t place = target_frame_place(&frames[i]);
    const struct image* image = image_at(target, place);
    if (image != NULL && unwind_function_start(&image->rules, place) == function)
      return true;
  }
  return false;
}

static bool runs_a_loop(const struct seen* seen, int tid) {
  for (size_t i = 0; i < seen->loop_count; i++) {
    if (seen->loops[i].tid == tid)
      return true;
  }
  return false;
}

/* A thread keeps the address of the work, of its link in the ring, or of the request that
 * it is part of. */
static bool work_near(const struct seen* seen, uint64_t word, uint64_t* work,
                      uint64_t* fields) {
  static const int64_t distances[] = {
      0, -WORK_QUEUE, UV_FS_WORK, UV_WORK_WORK, UV_ADDRINFO_WORK, UV_RANDOM_WORK};
  const struct mapping* map = target_map(seen->target, word);
  if (word % 8 != 0 || word < 65536 || map == NULL || !map->writable)
    return false;
  for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
    *work = word + (uint64_t) distances[i];
    if (work_read(seen, *work, fields) && work_is_taken(*work, fields))
      return true;
  }
  return false;
}

/* `proven`: only work whose function is a frame of the stack. Otherwise any that lies on
 * the stack of a thread that doesn't wait for others, as a thread of the pool without
 * work does: the walk may have ended in code without rules. */
static void work_of_thread(struct seen* seen, const struct target_thread* thread,
                           bool proven) {
  static uint64_t words[STACK_SEARCHED / 8];
  const struct target* target = seen->target;
  uint64_t fields[WORK_BYTES / 8], work;
  if (!unwind_knows(&thread->registers, UNWIND_STACK) || runs_a_loop(seen, thread->tid) ||
      (!proven && thread->is_blocked && thread->call == SYS_futex))
    return;
  uint64_t at = thread->registers.registers[UNWIND_STACK] & ~(uint64_t) 7;
  const struct mapping* map = target_map(target, at);
  if (map == NULL)
    return;
  uint64_t size = map->end - at < STACK_SEARCHED ? map->end - at : STACK_SEARCHED;
  if (!target_read(target, at, words, size))
    return;
  for (size_t i = 0; i < size / 8; i++) {
    if (!work_near(seen, words[i], &work, fields) ||
        (proven && !thread_is_in(target, thread, fields[WORK_FUNCTION / 8])))
      continue;
    work_add(seen, work, fields, REQUEST_RUNS, thread->tid);
    return;
  }
}

static void pool_find(struct seen* seen) {
  static const char* const names[] = {"wq", "slow_io_pending_wq", "nthreads",
                                      "default_loop_struct"};
  uint64_t addresses[4];
  for (size_t i = 0; i < seen->target->image_count; i++) {
    image_symbols(&seen->target->images[i], names, addresses, 4);
    if (addresses[3] == 0 || addresses[0] == 0)
      continue;
    ring_of_work(seen, addresses[0], REQUEST_WAITS);
    ring_of_work(seen, addresses[1], REQUEST_WAITS);
    seen->pool_known = target_number(seen->target, addresses[2], &seen->pool_threads);
  }
}

void seen_requests_find(struct seen* seen) {
  for (size_t i = 0; i < seen->loop_count; i++) {
    const struct seen_loop* loop = &seen->loops[i];
    for (size_t j = 0; j < loop->handle_count; j++) {
      const char* kind = uv_kind_name(loop->handles[j].type);
      if (strcmp(kind, "tcp") == 0 || strcmp(kind, "pipe") == 0 ||
          strcmp(kind, "tty") == 0)
        stream_requests(seen, loop, &loop->handles[j]);
      else if (strcmp(kind, "udp") == 0)
        udp_requests(seen, loop, &loop->handles[j]);
    }
  }
  if (seen->loop_count == 0)
    return;
  pool_find(seen);
  for (size_t i = 0; i < 2 * seen->target->thread_count; i++)
    work_of_thread(seen, &seen->target->threads[i % seen->target->thread_count],
                   i < seen->target->thread_count);
  for (size_t i = 0; i < seen->loop_count; i++)
    ring_of_work(seen, seen->loops[i].address + UV_LOOP_WQ, REQUEST_IS_DONE);
}
