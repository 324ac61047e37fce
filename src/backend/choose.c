/* Chooses a loop's backend, once, when the loop is made: the one the user asked for
 * (RONDO_BACKEND, or libuv's UV_USE_IO_URING), otherwise io_uring, and epoll where
 * io_uring isn't available. With RONDO_DEBUG set, the reason is reported once. */
#include "backend/backend.h"
#include "system/system.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void explain(const char* message, int err) {
  static _Atomic bool reported;
  if (!debug_wants("") || atomic_exchange_explicit(&reported, true, memory_order_relaxed))
    return;
  const char* cure = "";
  if (err == UV_EPERM || err == UV_EACCES)
    cure = "; it is forbidden here: see sysctl kernel.io_uring_disabled, or the "
           "container's seccomp profile";
  else if (err == UV_ENOSYS || err == UV_EINVAL || err == UV_ENOTSUP)
    cure = "; this kernel is too old, Linux 6.1 or newer is needed";
  else if (err == UV_ENOMEM)
    cure = "; no memory for a ring: see ulimit -l and the memory limits";
  debug_report("%s%s%s%s, running on epoll", message, err == 0 ? "" : ": ",
               err == 0 ? "" : uv_strerror(err), cure);
}

static bool uring_wanted(void) {
  const char* name = system_setting("RONDO_BACKEND");
  if (name != NULL && strcmp(name, "epoll") == 0)
    return false;
  if (name != NULL && strcmp(name, "uring") == 0)
    return true;
  if (name != NULL && *name != '\0')
    explain("RONDO_BACKEND must be uring or epoll; taking the default", 0);
  const char* use = getenv("UV_USE_IO_URING");
  return use == NULL || strcmp(use, "0") != 0;
}

int backend_choose(uv_loop_t* loop) {
  if (uring_wanted()) {
    loop->backend = &backend_uring;
    int err = loop->backend->open(loop);
    if (err == 0)
      return 0;
    /* Running out of descriptors says nothing about io_uring, and epoll needs one too. */
    if (err == UV_EMFILE || err == UV_ENFILE)
      return err;
    explain("io_uring can't be used", err);
  }
  return backend_take_epoll(loop);
}

int backend_take_epoll(uv_loop_t* loop) {
  loop->backend = &backend_epoll;
  return loop->backend->open(loop);
}
