/* The life of a file request: begun, sent, called back once from the poll phase, cleaned
 * up. fs_way.c chooses the way that it takes in between.
 *
 * req->result starts at 0 and, for a read or write that is done in parts, holds the
 * number of bytes moved so far. */
#include "request/fs.h"

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/base.h"
#include "base/buffer.h"
#include "loop/loop.h"
#include "request/fs_state.h"
#include "request/work.h"

#include <string.h>

int fs_begin(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, uv_fs_cb cb) {
  if (req == NULL)
    return UV_EINVAL;
  req->type = UV_FS;
  req->fs_type = type;
  req->loop = loop;
  req->cb = cb;
  req->result = 0;
  req->ptr = NULL;
  req->path = NULL;
  req->new_path = NULL;
  req->bufs = NULL;
  req->nbufs = 0;
  *fs_inside(req) = (struct fs_inside){.place = FS_IDLE};
  return loop == NULL && cb != NULL ? UV_EINVAL : 0;
}

/* mkdtemp and mkstemp write the name that they made into their template, so they always
 * need a copy of it. */
static bool fs_owns_path(const uv_fs_t* req) {
  return req->cb != NULL || req->fs_type == UV_FS_MKDTEMP ||
         req->fs_type == UV_FS_MKSTEMP;
}

int fs_set_paths(uv_fs_t* req, const char* path, const char* new_path) {
  if (path == NULL || new_path == NULL)
    return UV_EINVAL;
  if (!fs_owns_path(req)) {
    req->path = path;
    req->new_path = new_path;
    return 0;
  }
  size_t path_size = strlen(path) + 1;
  size_t new_size = strlen(new_path) + 1;
  char* block = mem_alloc(path_size + new_size);
  if (block == NULL)
    return UV_ENOMEM;
  req->path = memcpy(block, path, path_size);
  req->new_path = memcpy(block + path_size, new_path, new_size);
  return 0;
}

static int fs_set_path(uv_fs_t* req, const char* path) {
  if (path == NULL)
    return UV_EINVAL;
  req->path = fs_owns_path(req) ? mem_strdup(path) : path;
  return req->path == NULL ? UV_ENOMEM : 0;
}

int fs_begin_path(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, const char* path,
                  uv_fs_cb cb) {
  int err = fs_begin(loop, req, type, cb);
  return err != 0 ? err : fs_set_path(req, path);
}

int fs_begin_file(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, uv_file file,
                  uv_fs_cb cb) {
  int err = fs_begin(loop, req, type, cb);
  if (err == 0)
    req->file = file;
  return err;
}

/* The array is copied, because the caller's may be gone when the call returns and because
 * a request done in parts changes it; the memory that the buffers point to isn't copied.
 */
int fs_keep_buffers(uv_fs_t* req, const uv_buf_t bufs[], unsigned int nbufs,
                    int64_t offset) {
  if (!buffers_fit(bufs, nbufs))
    return UV_EINVAL;
  uv_buf_t* copy = req->bufsml;
  if (nbufs > ARRAY_LENGTH(req->bufsml))
    copy = mem_alloc(nbufs * sizeof(*bufs));
  if (copy == NULL)
    return UV_ENOMEM;
  req->bufs = memcpy(copy, bufs, nbufs * sizeof(*bufs));
  req->nbufs = nbufs;
  req->off = offset < 0 ? -1 : offset;
  return 0;
}

static void fs_free_paths(uv_fs_t* req) {
  if (req->path != NULL && fs_owns_path(req))
    mem_free((void*) (uintptr_t) req->path);
  req->path = NULL;
  req->new_path = NULL;
}

/* A request that can't be sent holds no memory: in libuv sending never fails, so programs
 * don't call uv_fs_req_cleanup after an error of this call. */
int fs_start(uv_fs_t* req) {
  if (req->cb == NULL) {
    req->result = fs_run(req);
    fs_free_buffers(req);
    return (int) req->result;
  }
  req_begin(req->loop, (uv_req_t*) req, UV_FS);
  int err = fs_send(req);
  if (err != 0) {
    req_end(req->loop, req);
    req->result = err;
    fs_set_place(req, FS_IDLE);
    fs_free_paths(req);
    fs_free_buffers(req);
  }
  return err;
}

static int fs_cancel_in_backend(uv_fs_t* req) {
  int err = backend_cancel(req->loop, &req->work_req);
  if (err == 0)
    fs_set_place(req, FS_CANCELLED);
  return err;
}

int fs_cancel(uv_fs_t* req) {
  switch (fs_place(req)) {
  case FS_POOL:
    return work_cancel(&req->work_req);
  case FS_RING:
    return fs_cancel_in_backend(req);
  case FS_BATCH:
    return fs_read_cancel(req);
  case FS_HELD:
    assert(fs_state(req)->held > 0);
    fs_state(req)->held--;
    req->result = UV_ECANCELED;
    fs_complete(req);
    fs_set_place(req, FS_CANCELLED);
    return 0;
  case FS_CANCELLED:
    return 0;
  default:
    /* The request is done: a cancellation would hide its effect. */
    return UV_EBUSY;
  }
}

void fs_advance(uv_fs_t* req, size_t n) {
  if (req->off >= 0)
    req->off += (off_t) n;
  unsigned int whole = 0;
  while (whole < req->nbufs && n >= req->bufs[whole].len)
    n -= req->bufs[whole++].len;
  req->nbufs -= whole;
  /* The start of the array stays the same, because that address has to be freed. */
  memmove(req->bufs, req->bufs + whole, req->nbufs * sizeof(req->bufs[0]));
  if (n > 0) {
    req->bufs[0].base += n;
    req->bufs[0].len -= n;
  }
}

/* The memory that req->ptr points to depends on the request: its own in these cases, none
 * for stat, opendir and closedir. */
static void fs_free_answer(uv_fs_t* req) {
  switch (req->fs_type) {
  case UV_FS_SCANDIR:
    fs_free_listing(req);
    break;
  case UV_FS_READDIR:
    fs_free_entries(req);
    break;
  case UV_FS_READLINK:
  case UV_FS_REALPATH:
  case UV_FS_STATFS:
    mem_free(req->ptr);
    break;
  default:
    break;
  }
  req->ptr = NULL;
}

void uv_fs_req_cleanup(uv_fs_t* req) {
  /* A request that is under way still needs its memory. */
  if (req == NULL || fs_place(req) != FS_IDLE)
    return;
  fs_free_paths(req);
  fs_free_buffers(req);
  if (req->ptr != NULL)
    fs_free_answer(req);
}

uv_fs_type uv_fs_get_type(const uv_fs_t* req) {
  return req->fs_type;
}

ssize_t uv_fs_get_result(const uv_fs_t* req) {
  return req->result;
}

int uv_fs_get_system_error(const uv_fs_t* req) {
  return (int) -req->result;
}

void* uv_fs_get_ptr(const uv_fs_t* req) {
  return req->ptr;
}

const char* uv_fs_get_path(const uv_fs_t* req) {
  return req->path;
}

uv_stat_t* uv_fs_get_statbuf(uv_fs_t* req) {
  return &req->statbuf;
}
