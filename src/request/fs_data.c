/* Operations on open files: read, write, truncate, sync, and sendfile.
 *
 * A write continues until everything is written or an error stops it; after an error it
 * reports the bytes written before, if any. */
#include "request/fs.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/buffer.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

/* A single buffer is read without a vector: with read(2) the kernel checks the descriptor
 * even if the length is 0. */
static ssize_t fs_read_some(const uv_fs_t* req) {
  if (req->nbufs == 1)
    return req->off < 0 ? read(req->file, req->bufs[0].base, req->bufs[0].len)
                        : pread(req->file, req->bufs[0].base, req->bufs[0].len, req->off);
  int count = (int) req->nbufs;
  return req->off < 0 ? readv(req->file, fs_vectors(req), count)
                      : preadv(req->file, fs_vectors(req), count, req->off);
}

/* One system call: a short read is a valid answer. EINTR is reported, because a program
 * that reads its terminal may be waiting for just that signal. */
ssize_t fs_do_read(uv_fs_t* req) {
  ssize_t n = fs_read_some(req);
  if (n < 0)
    return req->result > 0 ? req->result : -errno;
  return req->result + n;
}

static ssize_t fs_write_vectors(const uv_fs_t* req) {
  if (req->nbufs == 1)
    return req->off < 0
               ? write(req->file, req->bufs[0].base, req->bufs[0].len)
               : pwrite(req->file, req->bufs[0].base, req->bufs[0].len, req->off);
  int count = (int) size_min(req->nbufs, IOV_MAX);
  return req->off < 0 ? writev(req->file, fs_vectors(req), count)
                      : pwritev(req->file, fs_vectors(req), count, req->off);
}

static ssize_t fs_write_some(const uv_fs_t* req) {
  ssize_t n;
  do {
    n = fs_write_vectors(req);
  } while (n < 0 && errno == EINTR);
  return fs_result(n);
}

ssize_t fs_do_write(uv_fs_t* req) {
  ssize_t total = req->result;
  while (req->nbufs > 0) {
    ssize_t n = fs_write_some(req);
    if (n < 0 && total == 0)
      return n;
    if (n <= 0)
      break;
    total += n;
    fs_advance(req, (size_t) n);
  }
  return total;
}

/* A buffered write goes to the pool, where a thread writes into the page cache at once.
 * io_uring would first try a non-blocking write, which most file systems refuse, and then
 * wake a worker of its own: ten times the cost. */
enum fs_way fs_write_start(uv_fs_t* req) {
  return fs_ask_direct(req) ? FS_WAY_WAIT : FS_WAY_POOL;
}

ssize_t fs_do_fsync(uv_fs_t* req) {
  int r;
  do {
    r = fsync(req->file);
  } while (r < 0 && errno == EINTR);
  return fs_result(r);
}

ssize_t fs_do_fdatasync(uv_fs_t* req) {
  int r;
  do {
    r = fdatasync(req->file);
  } while (r < 0 && errno == EINTR);
  return fs_result(r);
}

ssize_t fs_do_ftruncate(uv_fs_t* req) {
  int r;
  do {
    r = ftruncate(req->file, req->off);
  } while (r < 0 && errno == EINTR);
  return fs_result(r);
}

/* Writes everything, also to a non-blocking descriptor: a thread of the pool may wait. */
static ssize_t fs_write_all(int out, const char* data, size_t size) {
  size_t written = 0;
  while (written < size) {
    ssize_t n = write(out, data + written, size - written);
    if (n >= 0) {
      written += (size_t) n;
    } else if (errno == EAGAIN) {
      struct pollfd room = {.fd = out, .events = POLLOUT};
      if (poll(&room, 1, -1) < 0 && errno != EINTR)
        return -errno;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return (ssize_t) written;
}

/* A descriptor without positions (a pipe, a socket) is read without an offset. */
static ssize_t fs_read_piece(int in, char* piece, size_t size, off_t offset) {
  ssize_t n;
  do {
    n = pread(in, piece, size, offset);
    if (n < 0 && errno == ESPIPE)
      n = read(in, piece, size);
  } while (n < 0 && errno == EINTR);
  return fs_result(n);
}

/* For descriptors that the kernel can't copy between: reads a piece, writes all of it. A
 * failed write is an error whatever was sent before, as in libuv: how much of the last
 * piece went out isn't known, and a count that is too small would make the program send
 * data twice. */
static ssize_t fs_send_by_hand(int out, int in, off_t offset, size_t length) {
  char piece[16384];
  size_t sent = 0;
  while (sent < length) {
    ssize_t n = fs_read_piece(in, piece, size_min(length - sent, sizeof(piece)),
                              offset + (off_t) sent);
    if (n <= 0)
      return sent > 0 ? (ssize_t) sent : n;
    n = fs_write_all(out, piece, (size_t) n);
    if (n < 0)
      return n;
    sent += (size_t) n;
  }
  return (ssize_t) sent;
}

/* The input descriptor is in req->flags, the length in bufsml[0].len. copy_file_range(2)
 * copies between files of one file system, or reports what is wrong with them;
 * sendfile(2) copies between two file systems; anything else is read and written. */
ssize_t fs_do_sendfile(uv_fs_t* req) {
  off_t offset = req->off;
  size_t length = req->bufsml[0].len;
  ssize_t n;
  do {
    n = copy_file_range(req->flags, &offset, req->file, NULL, length, 0);
  } while (n < 0 && errno == EINTR);
  if (n < 0 &&
      (errno == EXDEV || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM)) {
    do {
      n = sendfile(req->file, req->flags, &offset, length);
    } while (n < 0 && errno == EINTR);
  }
  if (n < 0 && (errno == EINVAL || errno == EIO || errno == ENOTSOCK))
    return fs_send_by_hand(req->file, req->flags, req->off, length);
  return fs_result(n);
}

/* --- The interface --------------------------------------------------------------- */

int uv_fs_read(uv_loop_t* loop, uv_fs_t* req, uv_file file, const uv_buf_t bufs[],
               unsigned int nbufs, int64_t offset, uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_READ, file, cb);
  if (err == 0)
    err = fs_keep_buffers(req, bufs, nbufs < IOV_MAX ? nbufs : IOV_MAX, offset);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_write(uv_loop_t* loop, uv_fs_t* req, uv_file file, const uv_buf_t bufs[],
                unsigned int nbufs, int64_t offset, uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_WRITE, file, cb);
  if (err == 0)
    err = fs_keep_buffers(req, bufs, nbufs, offset);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_fsync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_FSYNC, file, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_fdatasync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_FDATASYNC, file, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_ftruncate(uv_loop_t* loop, uv_fs_t* req, uv_file file, int64_t offset,
                    uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_FTRUNCATE, file, cb);
  if (err != 0)
    return err;
  req->off = offset;
  return fs_start(req);
}

int uv_fs_sendfile(uv_loop_t* loop, uv_fs_t* req, uv_file out_fd, uv_file in_fd,
                   int64_t in_offset, size_t length, uv_fs_cb cb) {
  int err = fs_begin_file(loop, req, UV_FS_SENDFILE, out_fd, cb);
  if (err == 0 && length > BUFFERS_MOST)
    err = UV_EINVAL;
  if (err != 0)
    return err;
  req->flags = in_fd;
  req->off = in_offset;
  req->bufsml[0].len = length;
  return fs_start(req);
}
