/* Poll handles: readiness of a descriptor that belongs to the user.
 *
 * Level-triggered, as the manual promises. The handle uses the descriptor only while it
 * is started: once the handle is stopped the user may close the descriptor and watch its
 * number with another handle, so a stop is registered with the kernel at once. */
#include "handle/descriptor.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include "base/base.h"

static void poll_close(uv_handle_t* handle) {
  uv_poll_t* poll = (uv_poll_t*) handle;
  watcher_close(handle->loop, &poll->io_watcher);
  handle_stop(handle);
  handle_closed(handle);
}

static const struct handle_kind poll_kind = {.type = UV_POLL, .close = poll_close};

/* The kernel's bits and those of the interface. */
static const struct {
  unsigned int watch;
  int poll;
} bits[] = {
    {WATCH_IN, UV_READABLE},
    {WATCH_OUT, UV_WRITABLE},
    {WATCH_PRI, UV_PRIORITIZED},
    {WATCH_RDHUP, UV_DISCONNECT},
};

static unsigned int watch_bits(int events) {
  unsigned int watch = 0;
  for (size_t i = 0; i < ARRAY_LENGTH(bits); i++)
    watch |= events & bits[i].poll ? bits[i].watch : 0;
  return watch;
}

static int poll_bits(unsigned int watch) {
  int events = 0;
  for (size_t i = 0; i < ARRAY_LENGTH(bits); i++)
    events |= watch & bits[i].watch ? bits[i].poll : 0;
  return events;
}

/* The kernel reports an error also beside urgent data. Only an error without urgent data
 * stops the handle, because that error would be reported for ever. */
static void poll_ready(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  uv_poll_t* poll = rondo_container_of(w, uv_poll_t, io_watcher);
  bool broken = (events & WATCH_ERR) != 0 && (events & WATCH_PRI) == 0;
  if (broken) {
    watcher_close(loop, w);
    handle_stop((uv_handle_t*) poll);
    loop_call_back(loop, subject_handle(poll), UV_EBADF, poll->poll_cb, poll, UV_EBADF,
                   0);
    return;
  }
  loop_call_back(loop, subject_handle(poll), 0, poll->poll_cb, poll, 0,
                 poll_bits(events));
}

int uv_poll_init(uv_loop_t* loop, uv_poll_t* handle, int fd) {
  if (fd < 0)
    return UV_EBADF;
  if (watcher_exists(loop, fd))
    return UV_EEXIST;
  int err = watcher_check(loop, fd);
  if (err == 0)
    err = descriptor_nonblock(fd, true);
  if (err != 0)
    return err;
  watcher_init(&handle->io_watcher, poll_ready);
  handle->io_watcher.fd = fd;
  handle_init(loop, (uv_handle_t*) handle, &poll_kind);
  handle->poll_cb = NULL;
  return 0;
}

int uv_poll_init_socket(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t socket) {
  return uv_poll_init(loop, handle, socket);
}

int uv_poll_stop(uv_poll_t* handle) {
  if (handle_closing((uv_handle_t*) handle))
    return UV_EINVAL;
  watcher_close(handle->loop, &handle->io_watcher);
  handle_stop((uv_handle_t*) handle);
  return 0;
}

int uv_poll_start(uv_poll_t* handle, int events, uv_poll_cb cb) {
  if (handle_closing((uv_handle_t*) handle) || cb == NULL)
    return UV_EINVAL;
  unsigned int wanted = watch_bits(events);
  if (wanted == 0)
    return uv_poll_stop(handle);
  if (!handle_active((uv_handle_t*) handle)) {
    int err = watcher_open(handle->loop, &handle->io_watcher, handle->io_watcher.fd);
    if (err != 0)
      return err;
  }
  watcher_stop(handle->loop, &handle->io_watcher, ~wanted);
  watcher_start(handle->loop, &handle->io_watcher, wanted);
  handle->poll_cb = cb;
  handle_start((uv_handle_t*) handle);
  return 0;
}
