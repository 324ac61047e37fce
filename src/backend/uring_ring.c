/* The common part of both rings: see uring_ring.h. */
#include "backend/uring_ring.h"

#include "base/own_fd.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool ring_failure_lasts(int err) {
  return err != -EAGAIN && err != -EBUSY && err != -EINTR && err != -ENOMEM;
}

/* Kernels differ in the error for a descriptor that isn't a ring. */
bool ring_is_lost(int err) {
  return err == -EBADF || err == -EOPNOTSUPP;
}

void ring_disown(struct io_uring* ring) {
  ring->ring_fd = -1;
  ring->enter_ring_fd = -1;
}

int uring_start(struct io_uring* ring, unsigned int entries,
                struct io_uring_params* params) {
  /* its descriptor is moved above the standard ones */
  int err = io_uring_queue_init_params(entries, ring, params);
  if (err < 0 || ring->ring_fd >= OWN_FD_FIRST)
    return err;
  int fd = own_fd_raise(ring->ring_fd);
  if (fd < 0) {
    err = -errno;
    ring_disown(ring);
    io_uring_queue_exit(ring);
    return err;
  }
  ring->ring_fd = ring->enter_ring_fd = fd;
  return 0;
}

void ring_release(struct io_uring* ring) {
  /* Submits nothing and waits for nothing: the call only checks whether the descriptor is
   * a ring. */
  if (syscall(SYS_io_uring_enter, ring->ring_fd, 0, 0, 0, NULL, 0) < 0 &&
      ring_is_lost(-errno))
    ring_disown(ring);
  io_uring_queue_exit(ring);
}

void ring_report(const char* consequence, int err) {
  static _Atomic bool reported;
  if (!debug_wants("") || atomic_exchange_explicit(&reported, true, memory_order_relaxed))
    return;
  const char* cause = "";
  if (ring_is_lost(err))
    cause = "; the program has closed a descriptor that isn't its own";
  else if (err == -EPERM || err == -EACCES || err == -ENOSYS)
    cause = "; it has been forbidden since the loop was made";
  debug_report("io_uring has failed: %s%s; %s", uv_strerror(uv_translate_sys_error(-err)),
               cause, consequence);
}
