/* Backends: what the poll phase waits with.
 *
 * A backend does two kinds of work. Readiness: it waits on the loop's interest set
 * (interest.h) and returns the descriptors that are ready. Completion: it takes a file
 * operation with its buffers and reports when the operation is done; an operation that it
 * can't do is refused at once and goes to the pool. Nothing above src/loop knows which
 * backend a loop has. */
#ifndef RONDO_BACKEND_H
#define RONDO_BACKEND_H

#include "uv.h"

#include <stdint.h>
#include <sys/epoll.h>

/* The poll phase takes at most this many events at once. */
enum { BACKEND_BATCH = 1024 };

/* A file operation for the completion side. */
enum file_opcode { FILE_READV, FILE_WRITEV, FILE_FSYNC, FILE_FDATASYNC };

struct file_operation {
  enum file_opcode opcode;
  int fd;
  const void* address; /* iovecs, which stay in place until the completion */
  unsigned int count;  /* number of iovecs */
  int64_t offset;      /* -1: the file's own position */
};

struct rondo_backend {
  const char* name;
  int (*open)(uv_loop_t* loop);
  void (*close)(uv_loop_t* loop);
  /* In a forked child: closes what is shared with the parent without changing it, and
   * starts with a new set and ring. */
  int (*fork)(uv_loop_t* loop);
  /* Passes to the kernel what was only recorded so far: interest, file operations.
   * Returns how long the loop may sleep now: timeout_ns, or less if something must be
   * tried again. */
  int64_t (*flush)(uv_loop_t* loop, int64_t timeout_ns);
  /* Flushes, waits at most timeout_ns (0: not at all, -1: for ever), fetches up to max
   * events (BACKEND_BATCH at most) and sets the pointer to them, valid until the next
   * wait. Returns their number; 0 when the time is up, or earlier when the wait was
   * interrupted, which the caller finds out from the clock. */
  int (*wait)(uv_loop_t* loop, int64_t timeout_ns, const struct epoll_event** events,
              int max);
  /* Returns 0, UV_ENOSYS if this backend (or kernel) can't do the operation, or UV_EAGAIN
   * if there is no room now; after an error the request goes to the pool. On completion
   * w->done(w, result) is called from the poll phase, with the negative error or the
   * non-negative result. UV_ECANCELED also comes without uv_cancel, when the thread that
   * submitted the operation has ended before it began. */
  int (*submit)(uv_loop_t* loop, const struct file_operation* op, struct uv__work* w);
  /* Returns 0 for an operation that the kernel hasn't got yet: it isn't carried out, and
   * w->done is called with a result that means nothing. UV_EBUSY for an operation under
   * way, as libuv answers for a request that a thread has begun. */
  int (*cancel)(uv_loop_t* loop, struct uv__work* w);
};

extern const struct rondo_backend backend_uring;
extern const struct rondo_backend backend_epoll;

/* Chooses by RONDO_BACKEND, UV_USE_IO_URING and what the kernel allows. */
int backend_choose(uv_loop_t* loop);
int backend_take_epoll(uv_loop_t* loop);

static inline int backend_submit(uv_loop_t* loop, const struct file_operation* op,
                                 struct uv__work* w) {
  return loop->backend->submit(loop, op, w);
}

static inline int backend_cancel(uv_loop_t* loop, struct uv__work* w) {
  return loop->backend->cancel(loop, w);
}

#endif
