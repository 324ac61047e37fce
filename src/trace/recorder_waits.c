/* Lists the handles that keep a loop alive, for a program that doesn't end or ends too
 * early, with what a person knows them by: descriptors, addresses, paths, signals,
 * processes. */
#include "trace/recorder.h"
#include "trace/sequence.h"

#include "base/address.h"
#include "base/base.h"
#include "base/queue.h"
#include "loop/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  WAITS_LOOKED_AT = 256, /* handles examined for one list, */
  ABOUT_SIZE = 256,
};

/* --- about a handle ---------------------------------------------------------------- */

void socket_text(char* text, size_t size, int fd) {
  struct sockaddr_storage address = {0};
  socklen_t length = sizeof(address);
  char peer[ADDRESS_TEXT_SIZE] = "";
  *text = '\0';
  if (getpeername(fd, (struct sockaddr*) &address, &length) == 0)
    address_text(peer, sizeof(peer), &address, length);
  address = (struct sockaddr_storage){0};
  length = sizeof(address);
  if (getsockname(fd, (struct sockaddr*) &address, &length) != 0)
    return;
  char own[ADDRESS_TEXT_SIZE];
  address_text(own, sizeof(own), &address, length);
  snprintf(text, size, "%s%s%s", own, *peer == '\0' || *own == '\0' ? "" : " - ", peer);
}

/* The kernel's name for a pipe or a terminal. */
static void link_text(char* text, size_t size, int fd) {
  char path[48];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  ssize_t length = readlink(path, text, size - 1);
  text[length < 0 ? 0 : length] = '\0';
}

static void watched_text(char* text, size_t size, const uv_handle_t* handle) {
  uv_handle_t* asked = (uv_handle_t*) (uintptr_t) handle; /* reading changes nothing */
  size_t length = size;
  int err = handle->type == UV_FS_EVENT
                ? uv_fs_event_getpath((uv_fs_event_t*) asked, text, &length)
                : uv_fs_poll_getpath((uv_fs_poll_t*) asked, text, &length);
  if (err != 0)
    *text = '\0';
}

static void timer_text(char* text, size_t size, const uv_timer_t* timer) {
  uint64_t repeat = uv_timer_get_repeat(timer);
  snprintf(text, size, "due in %llu ms", (unsigned long long) uv_timer_get_due_in(timer));
  size_t used = strlen(text);
  if (repeat > 0)
    snprintf(text + used, size - used, ", every %llu ms", (unsigned long long) repeat);
}

/* The name by which a person knows the handle; "" if there is nothing. */
static void handle_text(char* text, size_t size, const uv_handle_t* handle, int fd) {
  *text = '\0';
  switch (handle->type) {
  case UV_TCP:
  case UV_UDP:
  case UV_NAMED_PIPE:
  case UV_POLL:
    if (fd >= 0)
      socket_text(text, size, fd);
    if (fd >= 0 && *text == '\0')
      link_text(text, size, fd);
    break;
  case UV_TTY:
    if (fd >= 0)
      link_text(text, size, fd);
    break;
  case UV_FS_EVENT:
  case UV_FS_POLL:
    watched_text(text, size, handle);
    break;
  case UV_TIMER:
    timer_text(text, size, (const uv_timer_t*) handle);
    break;
  case UV_SIGNAL:
    snprintf(text, size, "signal %d, %s", ((const uv_signal_t*) handle)->signum,
             strsignal(((const uv_signal_t*) handle)->signum));
    break;
  case UV_PROCESS:
    snprintf(text, size, "process %d", uv_process_get_pid((const uv_process_t*) handle));
    break;
  default:
    break;
  }
}

/* The last list is on a ring's board, where it isn't overwritten. */
static void show_wait(struct board_loop* live, unsigned int place,
                      const uv_handle_t* handle, int fd, const char* text) {
  if (place >= BOARD_ALIVE)
    return;
  struct board_alive* alive = &live->alive[place];
  alive->subject = subject_handle(handle);
  alive->fd = fd;
  size_t length = strnlen(text, sizeof(alive->about) - 1);
  memcpy(alive->about, text, length);
  alive->about[length] = '\0';
}

static void write_wait(struct recorder* recorder, const uv_handle_t* handle, uint64_t now,
                       unsigned int place) {
  char text[ABOUT_SIZE];
  uv_os_fd_t fd;
  if (uv_fileno(handle, &fd) != 0)
    fd = -1;
  handle_text(text, sizeof(text), handle, fd);
  show_wait(recorder->live, place, handle, fd, text);
  if (place >= WAITS_LISTED)
    return;
  size_t length = strnlen(text, sizeof(text));
  size_t slots = (length + sizeof(struct trace_record) - 1) / sizeof(struct trace_record);
  struct trace_record* wait = stream_row(&recorder->stream, 1 + slots);
  if (wait == NULL)
    return;
  memcpy(wait + 1, text, length);
  wait->number = subject_handle(handle);
  wait->name = (uint32_t) (fd + 1);
  wait->detail = (int32_t) length;
  record_commit(wait, TRACE_WAITS,
                now > recorder->start_ns ? now - recorder->start_ns : 0);
}

/* --- the list ---------------------------------------------------------------------- */

/* The list is written when the number of handles has changed, or a second later, since
 * one handle may have replaced another; a loop that may sleep for long, and so for ever
 * with an old list, writes it sooner. To keep the lists from filling a busy loop's
 * recording, each handle examined costs a credit, and there is one credit a millisecond.
 */
static bool waits_wanted(const uv_loop_t* loop, struct recorder* recorder, uint64_t now) {
  uint64_t since = (now - recorder->waits_ns) / 1000000 / recorder->slowness;
  bool changed = loop->active_handles != recorder->waits_listed;
  uint64_t enough = recorder_rests(recorder) ? WAITS_RESTING_NS / 1000000 : 1000;
  if (now < recorder->waits_ns || (!changed && since < enough))
    return false;
  uint64_t credit = recorder->waits_credit + since;
  recorder->waits_credit = credit < WAITS_CREDIT ? credit : WAITS_CREDIT;
  return recorder->waits_credit >= WAITS_LOOKED_AT;
}

void recorder_write_waits(const uv_loop_t* loop, struct recorder* recorder,
                          uint64_t now) {
  uv_loop_t* own = (uv_loop_t*) (uintptr_t) loop; /* its queue is only read */
  const struct queue* handles = queue_of(own->handle_queue);
  unsigned int looked_at = 0, listed = 0;
  if (!waits_wanted(loop, recorder, now))
    return;
  int saved = errno;
  const unsigned int most = recorder->kind->waits_most;
  sequence_write_begin(&recorder->live->alive_sequence);
  for (const struct queue* link = queue_first(handles);
       link != NULL && looked_at < WAITS_LOOKED_AT && listed < most;
       link = queue_next(handles, link), looked_at++) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if (!handle_active(handle) || !uv_has_ref(handle))
      continue;
    write_wait(recorder, handle, now, listed++);
  }
  recorder->live->alive_count = listed;
  recorder->live->alive_ns = now;
  sequence_write_end(&recorder->live->alive_sequence);
  recorder->waits_credit -= looked_at;
  recorder->waits_listed = loop->active_handles;
  recorder->waits_ns = now;
  errno = saved;
}
