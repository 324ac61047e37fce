/* uv_getnameinfo: addresses to names, by the C library's resolver on the pool. */
#include "base/address.h"
#include "base/base.h"
#include "loop/loop.h"
#include "request/resolver.h"
#include "request/work.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

void resolver_name_work(struct uv__work* w) {
  uv_getnameinfo_t* req = rondo_container_of(w, uv_getnameinfo_t, work_req);
  const struct sockaddr* address = (const struct sockaddr*) &req->storage;
  errno = 0;
  int code =
      getnameinfo(address, inet_address_length(address), req->host, sizeof(req->host),
                  req->service, sizeof(req->service), req->flags);
  req->retcode = resolver_error(code);
}

static void name_done(struct uv__work* w, int status) {
  uv_getnameinfo_t* req = rondo_container_of(w, uv_getnameinfo_t, work_req);
  req_end(req->loop, req);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  bool found = req->retcode == 0;
  loop_call_back(req->loop, subject_req(req), req->retcode, req->getnameinfo_cb, req,
                 req->retcode, found ? req->host : NULL, found ? req->service : NULL);
}

int uv_getnameinfo(uv_loop_t* loop, uv_getnameinfo_t* req,
                   uv_getnameinfo_cb getnameinfo_cb, const struct sockaddr* addr,
                   int flags) {
  if (req == NULL || addr == NULL || (loop == NULL && getnameinfo_cb != NULL))
    return UV_EINVAL;
  socklen_t size = inet_address_length(addr);
  if (size == 0)
    return UV_EINVAL;

  memset(&req->storage, 0, sizeof(req->storage));
  memcpy(&req->storage, addr, size);
  req->type = UV_GETNAMEINFO;
  req->loop = loop;
  req->getnameinfo_cb = getnameinfo_cb;
  req->flags = flags;
  req->retcode = 0;
  req->host[0] = '\0';
  req->service[0] = '\0';

  if (getnameinfo_cb == NULL) {
    resolver_name_work(&req->work_req);
    return req->retcode;
  }

  req_begin(loop, (uv_req_t*) req, UV_GETNAMEINFO);
  int err = work_submit(loop, &req->work_req, resolver_name_work, name_done);
  if (err != 0)
    req_end(loop, req);
  return err;
}
