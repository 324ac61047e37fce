/* Chooses a loop's backend, once, when the loop is made: the one the user asked for
 * (RONDO_BACKEND, or libuv's UV_USE_IO_URING), otherwise io_uring, and epoll where
 * io_uring isn't available. With RONDO_DEBUG set, the reason is reported once; a name
 * that isn't a backend's always is. */
#include "backend/backend.h"
#include "base/words.h"
#include "system/system.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void explain_epoll(int err) {
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
  debug_report("io_uring can't be used: %s%s, running on epoll", uv_strerror(err), cure);
}

/* A name that means nothing is reported whatever RONDO_DEBUG is: whoever sets it believes
 * that it has an effect. */
static void report_name(const char* name, const char* instead) {
  static const char* const names[] = {"uring", "epoll", NULL};
  static _Atomic bool reported;
  if (atomic_exchange_explicit(&reported, true, memory_order_relaxed))
    return;
  const char* meant = nearest_word(name, names);
  debug_report("RONDO_BACKEND=%.40s is refused: there is uring and epoll%s%s%s; running "
               "on %s",
               name, meant == NULL ? "" : " (did you mean ", meant == NULL ? "" : meant,
               meant == NULL ? "" : "?)", instead);
}

/* The setting, if it is one of the two names. Any other is stored in `refused`. */
static const char* backend_named(const char** refused) {
  const char* name = system_setting("RONDO_BACKEND");
  if (name == NULL || *name == '\0' || strcmp(name, "epoll") == 0 ||
      strcmp(name, "uring") == 0)
    return name;
  *refused = name;
  return NULL;
}

static bool uring_wanted(const char* name) {
  if (name != NULL && *name != '\0')
    return strcmp(name, "uring") == 0;
  const char* use = getenv("UV_USE_IO_URING");
  return use == NULL || strcmp(use, "0") != 0;
}

static int backend_open(uv_loop_t* loop, bool wants_uring) {
  if (wants_uring) {
    loop->backend = &backend_uring;
    int err = loop->backend->open(loop);
    if (err == 0)
      return 0;
    /* Running out of descriptors says nothing about io_uring, and epoll needs one too. */
    if (err == UV_EMFILE || err == UV_ENFILE)
      return err;
    explain_epoll(err);
  }
  return backend_take_epoll(loop);
}

int backend_choose(uv_loop_t* loop) {
  const char* refused = NULL;
  const char* name = backend_named(&refused);
  int err = backend_open(loop, uring_wanted(name));
  if (err == 0 && refused != NULL)
    report_name(refused, loop->backend->name);
  return err;
}

int backend_take_epoll(uv_loop_t* loop) {
  loop->backend = &backend_epoll;
  return loop->backend->open(loop);
}
