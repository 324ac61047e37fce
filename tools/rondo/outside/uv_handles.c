/* The handles of a loop: the ring that libuv links them in is read, and checked against
 * the loop's own count. */
#include "trace_model.h"
#include "uv_look.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES_MOST = 1 << 20, TRIES = 20 };

enum {
  KIND_ASYNC = 1,
  KIND_CHECK,
  KIND_FS_EVENT,
  KIND_FS_POLL,
  KIND_HANDLE,
  KIND_IDLE,
  KIND_PIPE,
  KIND_POLL,
  KIND_PREPARE,
  KIND_PROCESS,
  KIND_STREAM,
  KIND_TCP,
  KIND_TIMER,
  KIND_TTY,
  KIND_UDP,
  KIND_SIGNAL,
};

static uint64_t field(const unsigned char* bytes, size_t offset) {
  uint64_t value;
  memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

static uint32_t half(const unsigned char* bytes, size_t offset) {
  uint32_t value;
  memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

/* --- about a handle --------------------------------------------------------------------
 */

static void file_describe(const struct seen* seen, struct seen_handle* handle, int fd) {
  handle->fd = fd;
  struct target_file* file = file_of(&seen->files, fd);
  if (file == NULL)
    return; /* opened after the list was made */
  file->is_owned = true;
  snprintf(handle->about, sizeof(handle->about), "%s", file->text);
}

static void stream_describe(const struct seen* seen, struct seen_handle* handle,
                            const unsigned char* bytes) {
  file_describe(seen, handle, (int) half(bytes, UV_STREAM_IO + UV_IO_FD));
  uint64_t connection = field(bytes, UV_STREAM_CONNECTION_CB);
  handle->callback = connection != 0 ? connection : field(bytes, UV_STREAM_READ_CB);
  size_t used = strlen(handle->about);
  size_t room = sizeof(handle->about) - used;
  uint64_t queued = field(bytes, UV_STREAM_WRITE_QUEUE_SIZE);
  char name[200];
  if (connection != 0)
    snprintf(handle->about + used, room, "%slistening", used > 0 ? ", " : "");
  else if (handle->type == KIND_PIPE && handle->fd < 0 &&
           field(bytes, UV_PIPE_FNAME) != 0 &&
           target_text(seen->target, field(bytes, UV_PIPE_FNAME), name, sizeof(name)))
    snprintf(handle->about + used, room, "%s", name);
  used = strlen(handle->about);
  if (queued > 0 && queued < (uint64_t) 1 << 48)
    snprintf(handle->about + used, sizeof(handle->about) - used,
             "%s%llu bytes not yet written", used > 0 ? ", " : "",
             (unsigned long long) queued);
}

static void timer_describe(struct seen_handle* handle, const unsigned char* bytes) {
  handle->due_ms = field(bytes, UV_TIMER_TIMEOUT);
  handle->repeat_ms = field(bytes, UV_TIMER_REPEAT);
  handle->callback = field(bytes, UV_HANDLE_CALLBACK);
}

/* Due times are on the loop's clock, and are compared with the time of this look. */
static void timer_text(const struct seen_loop* loop, struct seen_handle* handle) {
  uint64_t now = loop->seen_ms != 0 ? loop->seen_ms : loop->time_ms;
  int64_t in_ms = (int64_t) (handle->due_ms - now);
  int used = in_ms >= 0 ? snprintf(handle->about, sizeof(handle->about), "due in %lld ms",
                                   (long long) in_ms)
                        : snprintf(handle->about, sizeof(handle->about),
                                   "due %lld ms ago", (long long) -in_ms);
  if (handle->repeat_ms > 0)
    snprintf(handle->about + used, sizeof(handle->about) - (size_t) used,
             ", every %llu ms", (unsigned long long) handle->repeat_ms);
}

static void path_describe(const struct seen* seen, struct seen_handle* handle,
                          uint64_t address) {
  if (address == 0 ||
      !target_text(seen->target, address, handle->about, sizeof(handle->about)))
    *handle->about = '\0';
}

void handle_describe(const struct seen* seen, struct seen_handle* handle,
                     const unsigned char* bytes) {
  uint32_t number;
  switch (handle->type) {
  case KIND_TCP:
  case KIND_PIPE:
  case KIND_TTY:
    stream_describe(seen, handle, bytes);
    break;
  case KIND_UDP:
    file_describe(seen, handle, (int) half(bytes, UV_UDP_IO + UV_IO_FD));
    handle->callback = field(bytes, UV_UDP_RECV_CB);
    break;
  case KIND_POLL:
    file_describe(seen, handle, (int) half(bytes, UV_POLL_IO + UV_IO_FD));
    handle->callback = field(bytes, UV_HANDLE_CALLBACK);
    break;
  case KIND_TIMER:
    timer_describe(handle, bytes);
    break;
  case KIND_PROCESS:
    handle->callback = field(bytes, UV_HANDLE_CALLBACK);
    snprintf(handle->about, sizeof(handle->about), "process %d",
             (int) half(bytes, UV_PROCESS_PID));
    break;
  case KIND_SIGNAL:
    number = half(bytes, UV_SIGNAL_SIGNUM);
    handle->callback = field(bytes, UV_HANDLE_CALLBACK);
    if (number > 0 && number < 65)
      snprintf(handle->about, sizeof(handle->about), "signal %u, %s", number,
               strsignal((int) number));
    break;
  case KIND_FS_EVENT:
    handle->callback = field(bytes, UV_FS_EVENT_CB);
    path_describe(seen, handle, field(bytes, UV_FS_EVENT_PATH));
    break;
  case KIND_FS_POLL:
    break;
  default:
    handle->callback = field(bytes, UV_HANDLE_CALLBACK);
  }
}

/* --- the ring --------------------------------------------------------------------------
 */

/* A handle's own size isn't known before its kind is: what lies behind it may be missing.
 */
static bool handle_bytes_read(const struct target* target, uint64_t address,
                              unsigned char* bytes) {
  memset(bytes, 0, UV_HANDLE_MOST);
  if (target_read(target, address, bytes, UV_HANDLE_MOST))
    return true;
  for (size_t size = UV_HANDLE_MOST - 8; size >= UV_HANDLE_BYTES; size -= 8) {
    if (target_read(target, address, bytes, size))
      return true;
  }
  return false;
}

static const char* handle_read(const struct seen* seen, struct seen_loop* loop,
                               uint64_t address, uint64_t previous, uint64_t* next) {
  unsigned char bytes[UV_HANDLE_MOST];
  if (address % 8 != 0 || !handle_bytes_read(seen->target, address, bytes))
    return "its ring of handles leads out of the memory";
  *next = field(bytes, UV_HANDLE_QUEUE);
  struct seen_handle handle = {.address = address,
                               .data = field(bytes, UV_HANDLE_DATA),
                               .type = half(bytes, UV_HANDLE_TYPE),
                               .flags = half(bytes, UV_HANDLE_FLAGS),
                               .fd = -1};
  if (field(bytes, UV_HANDLE_LOOP) != loop->address)
    return "a handle in its ring belongs to another loop";
  if (field(bytes, UV_HANDLE_QUEUE + 8) != previous)
    return "its ring of handles is broken";
  if (uv_kind_name(handle.type) == NULL)
    return "a handle in its ring is of no kind";
  size_t capacity = loop->handle_count;
  if (capacity == 0 || (capacity >= 16 && (capacity & (capacity - 1)) == 0)) {
    capacity = capacity == 0 ? 16 : capacity * 2;
    void* list = realloc(loop->handles, capacity * sizeof(*loop->handles));
    if (list == NULL)
      out_of_memory();
    loop->handles = list;
  }
  struct seen_handle* kept = &loop->handles[loop->handle_count++];
  *kept = handle;
  handle_describe(seen, kept, bytes);
  return NULL;
}

static const char* ring_read(const struct seen* seen, struct seen_loop* loop) {
  const uint64_t head = loop->address + UV_LOOP_HANDLE_QUEUE;
  uint64_t link, previous = head, next;
  loop->handle_count = 0;
  if (!target_word(seen->target, head, &link))
    return "its memory can't be read";
  while (link != head) {
    if (loop->handle_count == HANDLES_MOST)
      return "its ring of handles doesn't close";
    const char* problem =
        handle_read(seen, loop, link - UV_HANDLE_QUEUE, previous, &next);
    if (problem != NULL)
      return problem;
    previous = link;
    link = next;
  }
  return NULL;
}

/* The loop counts handles that are active and referenced: that shows which bits mean
 * that, and that the ring was read whole. */
static bool flags_agree(struct seen_loop* loop, const struct uv_flags* flags) {
  const uint32_t alive = flags->active | flags->referenced;
  size_t counted = 0;
  for (size_t i = 0; i < loop->handle_count; i++)
    counted += (loop->handles[i].flags & alive) == alive;
  if (counted != loop->active_handles)
    return false;
  loop->alive_count = counted;
  loop->closing_count = 0;
  for (size_t i = 0; i < loop->handle_count; i++) {
    struct seen_handle* handle = &loop->handles[i];
    handle->is_active = (handle->flags & flags->active) != 0;
    handle->is_referenced = (handle->flags & flags->referenced) != 0;
    handle->is_internal = (handle->flags & flags->internal) != 0;
    handle->is_closing = (handle->flags & (flags->closing | flags->closed)) != 0;
    if (handle->type == KIND_TIMER)
      timer_text(loop, handle);
    loop->closing_count += handle->is_closing;
  }
  return true;
}

/* libuv's own handles are referenced by nobody and carry the mark: a second proof of
 * which bits are which, where no handle is alive. */
static bool flags_have_own(const struct seen_loop* loop, const struct uv_flags* flags) {
  for (size_t i = 0; i < loop->handle_count; i++) {
    if (loop->handles[i].address == loop->address + UV_LOOP_WQ_ASYNC)
      return (loop->handles[i].flags & flags->internal) != 0;
  }
  return false;
}

void loop_handles_read(const struct seen* seen, struct seen_loop* loop) {
  for (int turn = 0; turn < TRIES; turn++) {
    struct seen_loop again;
    loop->problem = ring_read(seen, loop);
    /* The loop may be at work: its count is of the same moment, or the ring is read anew.
     */
    if (loop_prove(seen, loop->address, &again)) {
      loop->active_handles = again.active_handles;
      loop->active_requests = again.active_requests;
      loop->time_ms = again.time_ms;
      loop->seen_ms = seen->target->core == NULL ? seen_clock_ms() : 0;
    } else if (loop->problem == NULL) {
      loop->problem = "it has changed and proves itself no longer";
    }
    if (loop->problem != NULL)
      continue;
    for (size_t i = 0; i < UV_FLAGS_KNOWN; i++) {
      if (flags_have_own(loop, &uv_flags_known[i]) &&
          flags_agree(loop, &uv_flags_known[i]))
        return;
    }
    loop->problem = "its count of handles isn't that of its ring";
  }
  loop->handle_count = 0;
}
