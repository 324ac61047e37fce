/* uv_getaddrinfo: names to addresses, by the C library's resolver on the pool. Names
 * outside ASCII are translated first, and one that is too long is refused, never cut. */
#include "base/alloc.h"
#include "base/base.h"
#include "base/idna.h"
#include "loop/loop.h"
#include "request/resolver.h"
#include "request/work.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

/* The longest name of the domain name system, with its dots and the NUL. */
enum { HOST_SIZE = 256 };

int resolver_error(int code) {
  static const struct {
    int code;
    int error;
  } errors[] = {
      {0, 0},
#ifdef EAI_ADDRFAMILY
      {EAI_ADDRFAMILY, UV_EAI_ADDRFAMILY},
#endif
      {EAI_AGAIN, UV_EAI_AGAIN},
      {EAI_BADFLAGS, UV_EAI_BADFLAGS},
#ifdef EAI_CANCELED
      {EAI_CANCELED, UV_EAI_CANCELED},
#endif
      {EAI_FAIL, UV_EAI_FAIL},
      {EAI_FAMILY, UV_EAI_FAMILY},
      {EAI_MEMORY, UV_EAI_MEMORY},
#ifdef EAI_NODATA
      {EAI_NODATA, UV_EAI_NODATA},
#endif
      {EAI_NONAME, UV_EAI_NONAME},
      {EAI_OVERFLOW, UV_EAI_OVERFLOW},
      {EAI_SERVICE, UV_EAI_SERVICE},
      {EAI_SOCKTYPE, UV_EAI_SOCKTYPE},
  };
  if (code == EAI_SYSTEM)
    return errno != 0 ? -errno : UV_EAI_FAIL;
  for (size_t i = 0; i < ARRAY_LENGTH(errors); i++) {
    if (errors[i].code == code)
      return errors[i].error;
  }
  return UV_EAI_FAIL;
}

void resolver_address_work(struct uv__work* w) {
  uv_getaddrinfo_t* req = rondo_container_of(w, uv_getaddrinfo_t, work_req);
  errno = 0;
  int code = getaddrinfo(req->hostname, req->service, req->hints, &req->addrinfo);
  req->retcode = resolver_error(code);
  if (req->retcode != 0)
    req->addrinfo = NULL;
}

/* Node, service and hints are one allocation, which begins with the first of them that
 * isn't NULL. */
static void address_free_question(uv_getaddrinfo_t* req) {
  if (req->hints != NULL)
    mem_free(req->hints);
  else if (req->service != NULL)
    mem_free(req->service);
  else
    mem_free(req->hostname);
  req->hints = NULL;
  req->service = NULL;
  req->hostname = NULL;
}

static void address_done(struct uv__work* w, int status) {
  uv_getaddrinfo_t* req = rondo_container_of(w, uv_getaddrinfo_t, work_req);
  req_end(req->loop, req);
  address_free_question(req);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  if (req->cb == NULL)
    return;
  loop_call_back(req->loop, subject_req(req), req->retcode, req->cb, req, req->retcode,
                 req->addrinfo);
}

static int address_keep_question(uv_getaddrinfo_t* req, const char* node,
                                 const char* service, const struct addrinfo* hints) {
  char host[HOST_SIZE];
  size_t host_size = 0;
  if (node != NULL) {
    ssize_t written = idna_to_ascii(node, strlen(node), host, sizeof(host));
    if (written < 0)
      return (int) written;
    host_size = (size_t) written;
  }

  size_t hints_size = hints == NULL ? 0 : sizeof(*hints);
  size_t service_size = service == NULL ? 0 : strlen(service) + 1;
  char* block = mem_alloc(hints_size + service_size + host_size);
  if (block == NULL)
    return UV_ENOMEM;
  if (hints != NULL)
    req->hints = memcpy(block, hints, hints_size);
  if (service != NULL)
    req->service = memcpy(block + hints_size, service, service_size);
  if (node != NULL)
    req->hostname = memcpy(block + hints_size + service_size, host, host_size);
  return 0;
}

int uv_getaddrinfo(uv_loop_t* loop, uv_getaddrinfo_t* req,
                   uv_getaddrinfo_cb getaddrinfo_cb, const char* node,
                   const char* service, const struct addrinfo* hints) {
  if (req == NULL || (node == NULL && service == NULL) ||
      (loop == NULL && getaddrinfo_cb != NULL))
    return UV_EINVAL;

  req->type = UV_GETADDRINFO;
  req->loop = loop;
  req->cb = getaddrinfo_cb;
  req->addrinfo = NULL;
  req->hints = NULL;
  req->service = NULL;
  req->hostname = NULL;
  req->retcode = 0;
  int err = address_keep_question(req, node, service, hints);
  if (err != 0)
    return err;

  if (getaddrinfo_cb == NULL) {
    resolver_address_work(&req->work_req);
    address_free_question(req);
    return req->retcode;
  }

  req_begin(loop, (uv_req_t*) req, UV_GETADDRINFO);
  err = work_submit(loop, &req->work_req, resolver_address_work, address_done);
  if (err != 0) {
    req_end(loop, req);
    address_free_question(req);
  }
  return err;
}

void uv_freeaddrinfo(struct addrinfo* ai) {
  if (ai != NULL)
    freeaddrinfo(ai);
}
