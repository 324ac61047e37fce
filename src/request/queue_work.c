/* uv_queue_work: the program's own work on the pool; and uv_cancel, for any request that
 * can be cancelled. */
#include "base/base.h"
#include "loop/loop.h"
#include "request/fs.h"
#include "request/work.h"

static void program_work(struct uv__work* w) {
  uv_work_t* req = rondo_container_of(w, uv_work_t, work_req);
  req->work_cb(req);
}

static void program_done(struct uv__work* w, int status) {
  uv_work_t* req = rondo_container_of(w, uv_work_t, work_req);
  req_end(req->loop, req);
  if (req->after_work_cb == NULL)
    return;
  loop_call_back(req->loop, subject_req(req), status, req->after_work_cb, req, status);
}

int uv_queue_work(uv_loop_t* loop, uv_work_t* req, uv_work_cb work_cb,
                  uv_after_work_cb after_work_cb) {
  if (loop == NULL || req == NULL || work_cb == NULL)
    return UV_EINVAL;
  req->loop = loop;
  req->work_cb = work_cb;
  req->after_work_cb = after_work_cb;
  req_begin(loop, (uv_req_t*) req, UV_WORK);
  int err = work_submit(loop, &req->work_req, program_work, program_done);
  if (err != 0)
    req_end(loop, req);
  return err;
}

int uv_cancel(uv_req_t* req) {
  if (req == NULL)
    return UV_EINVAL;
  switch (req->type) {
  case UV_FS:
    return fs_cancel((uv_fs_t*) req);
  case UV_WORK:
    return work_cancel(&((uv_work_t*) req)->work_req);
  case UV_RANDOM:
    return work_cancel(&((uv_random_t*) req)->work_req);
  case UV_GETADDRINFO:
    return work_cancel(&((uv_getaddrinfo_t*) req)->work_req);
  case UV_GETNAMEINFO:
    return work_cancel(&((uv_getnameinfo_t*) req)->work_req);
  default:
    return UV_EINVAL;
  }
}
