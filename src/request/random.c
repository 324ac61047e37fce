/* uv_random: random bytes for cryptographic use. Without a callback they are there on
 * return; with one the pool fetches them, since a machine that has just booted may have
 * to wait for entropy and large buffers take time. */
#include "base/base.h"
#include "loop/loop.h"
#include "request/work.h"
#include "system/system.h"

#include <string.h>

enum { RANDOM_MOST = 0x7fffffff };

static void random_work(struct uv__work* w) {
  uv_random_t* req = rondo_container_of(w, uv_random_t, work_req);
  req->status = req->buflen == 0 ? 0 : system_random(req->buf, req->buflen);
}

static void random_done(struct uv__work* w, int status) {
  uv_random_t* req = rondo_container_of(w, uv_random_t, work_req);
  req_end(req->loop, req);
  if (status == 0)
    status = req->status;
  loop_call_back(req->loop, subject_req(req), status, req->cb, req, status, req->buf,
                 req->buflen);
}

int uv_random(uv_loop_t* loop, uv_random_t* req, void* buf, size_t buflen,
              unsigned int flags, uv_random_cb cb) {
  if (buflen > RANDOM_MOST)
    return UV_E2BIG;
  if (flags != 0 || (buf == NULL && buflen > 0))
    return UV_EINVAL;
  if (cb == NULL)
    return buflen == 0 ? 0 : system_random(buf, buflen);
  if (loop == NULL || req == NULL)
    return UV_EINVAL;

  req->loop = loop;
  req->buf = buf;
  req->buflen = buflen;
  req->cb = cb;
  req->status = 0;
  req_begin(loop, (uv_req_t*) req, UV_RANDOM);
  int err = work_submit(loop, &req->work_req, random_work, random_done);
  if (err != 0)
    req_end(loop, req);
  return err;
}
