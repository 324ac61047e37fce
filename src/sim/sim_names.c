/* Names of descriptors in decisions: a descriptor's handle, and the address or the child
 * that it is about. */
#include "sim/sim_state.h"

#include "base/address.h"
#include "base/base.h"
#include "loop/watcher.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const uv_handle_t* sim_handle_of(const uv_loop_t* loop, const uv__io_t* w) {
  struct queue* handles = queue_of(((uv_loop_t*) (uintptr_t) loop)->handle_queue);
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    const uv__io_t* own = NULL;
    if (handle->type == UV_TCP || handle->type == UV_NAMED_PIPE || handle->type == UV_TTY)
      own = &((const uv_stream_t*) handle)->io_watcher;
    else if (handle->type == UV_UDP)
      own = &((const uv_udp_t*) handle)->io_watcher;
    else if (handle->type == UV_POLL)
      own = &((const uv_poll_t*) handle)->io_watcher;
    if (own == w)
      return handle;
  }
  return NULL;
}

bool sim_is_listening(int fd) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

/* " at 127.0.0.1:80", of a socket or of its other end; "" if there is none. */
static void address_words(int fd, bool is_peer, const char* preposition, char* words,
                          size_t size) {
  struct sockaddr_storage address = {0};
  struct sockaddr* any = (struct sockaddr*) &address;
  socklen_t length = sizeof(address);
  char text[ADDRESS_TEXT_SIZE];
  words[0] = '\0';
  if ((is_peer ? getpeername(fd, any, &length) : getsockname(fd, any, &length)) != 0)
    return;
  address_text(text, sizeof(text), &address, length);
  const char* quote = any->sa_family == AF_UNIX ? "'" : "";
  if (text[0] != '\0')
    snprintf(words, size, " %s %s%s%s", preposition, quote, text, quote);
}

/* A descriptor of a process names its number, and the kernel keeps the program's name
 * until the parent has waited for it. */
static void child_words(int pidfd, char* words, size_t size) {
  char path[64];
  char text[1024];
  snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
  const char* line =
      system_read_file(path, text, sizeof(text)) > 0 ? strstr(text, "\nPid:") : NULL;
  long pid = line == NULL ? 0 : strtol(line + 5, NULL, 10);
  snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
  if (pid <= 0 || system_read_file(path, text, sizeof(text)) <= 0) {
    snprintf(words, size, "the end of a child");
    return;
  }
  text[strcspn(text, "\n")] = '\0';
  snprintf(words, size, "the end of child '%.60s'", text);
}

void sim_source_words(const uv_loop_t* loop, const uv__io_t* w, unsigned int events,
                      const struct sim_source* source, char* words, size_t size) {
  const uv_handle_t* handle = sim_handle_of(loop, w);
  unsigned long long number = source->number;
  char where[160], name[220], text[280];
  if (handle == NULL) {
    char child[100] = "a change of a file";
    if (w->flags & WATCHER_LAST)
      child_words(w->fd, child, sizeof(child));
    snprintf(words, size, "%s is noticed late", child);
    return;
  }
  const char* what = handle->type == UV_TCP    ? "TCP connection"
                     : handle->type == UV_TTY  ? "terminal"
                     : handle->type == UV_UDP  ? "datagram socket"
                     : handle->type == UV_POLL ? "watched descriptor"
                                               : "pipe";
  bool is_stream = handle->type == UV_TCP || handle->type == UV_NAMED_PIPE;
  if (is_stream && sim_is_listening(w->fd)) {
    address_words(w->fd, false, "at", where, sizeof(where));
    snprintf(name, sizeof(name), "server %llu%s", number, where);
    sim_described_words(loop, handle, name, text, sizeof(text));
    snprintf(words, size, "a client of %s is accepted late", text);
  } else if (is_stream && ((const uv_stream_t*) handle)->connect_req != NULL) {
    address_words(w->fd, true, "to", where, sizeof(where));
    snprintf(name, sizeof(name), "%s %llu%s", what, number, where);
    sim_described_words(loop, handle, name, text, sizeof(text));
    snprintf(words, size, "the connect of %s is reported late", text);
  } else {
    where[0] = '\0';
    if (handle->type == UV_UDP)
      address_words(w->fd, false, "at", where, sizeof(where));
    else if (handle->type == UV_NAMED_PIPE)
      address_words(w->fd, true, "to", where, sizeof(where));
    snprintf(name, sizeof(name), "%s %llu%s (descriptor %d)", what, number, where, w->fd);
    sim_described_words(loop, handle, name, text, sizeof(text));
    snprintf(words, size, "%s on %s is noticed late",
             events & EPOLLIN ? "what has arrived" : "room to write", text);
  }
}
