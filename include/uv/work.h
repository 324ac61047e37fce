/* Work that leaves the loop's thread: the program's own, name look-ups, random bytes. */
#ifndef UV_WORK_H
#define UV_WORK_H

/* The program's own: work_cb on the pool, after_work_cb on the loop. */
typedef void (*uv_work_cb)(uv_work_t* req);
typedef void (*uv_after_work_cb)(uv_work_t* req, int status);

struct uv_work_s {
  UV_REQ_FIELDS
  uv_loop_t* loop;
  uv_work_cb work_cb;
  uv_after_work_cb after_work_cb;
  struct uv__work work_req;
};

UV_EXTERN int uv_queue_work(uv_loop_t* loop, uv_work_t* req, uv_work_cb work_cb,
                            uv_after_work_cb after_work_cb);

/* Names to addresses. A NULL callback makes the call wait; see addrinfo then. */
typedef void (*uv_getaddrinfo_cb)(uv_getaddrinfo_t* req, int status,
                                  struct addrinfo* res);

struct uv_getaddrinfo_s {
  UV_REQ_FIELDS
  uv_loop_t* loop;
  struct uv__work work_req;
  uv_getaddrinfo_cb cb;
  struct addrinfo* hints;
  char* hostname;
  char* service;
  struct addrinfo* addrinfo;
  int retcode;
};

UV_EXTERN int uv_getaddrinfo(uv_loop_t* loop, uv_getaddrinfo_t* req,
                             uv_getaddrinfo_cb getaddrinfo_cb, const char* node,
                             const char* service, const struct addrinfo* hints);
UV_EXTERN void uv_freeaddrinfo(struct addrinfo* ai);

/* Addresses to names. A NULL callback makes the call wait; see host and service then. */
typedef void (*uv_getnameinfo_cb)(uv_getnameinfo_t* req, int status, const char* hostname,
                                  const char* service);

struct uv_getnameinfo_s {
  UV_REQ_FIELDS
  uv_loop_t* loop;
  struct uv__work work_req;
  uv_getnameinfo_cb getnameinfo_cb;
  struct sockaddr_storage storage;
  int flags;
  char host[NI_MAXHOST];
  char service[NI_MAXSERV];
  int retcode;
};

UV_EXTERN int uv_getnameinfo(uv_loop_t* loop, uv_getnameinfo_t* req,
                             uv_getnameinfo_cb getnameinfo_cb,
                             const struct sockaddr* addr, int flags);

/* Random bytes fit for keys. Loop and request may be NULL if the callback is. */
typedef void (*uv_random_cb)(uv_random_t* req, int status, void* buf, size_t buflen);

struct uv_random_s {
  UV_REQ_FIELDS
  uv_loop_t* loop;
  int status;
  void* buf;
  size_t buflen;
  uv_random_cb cb;
  struct uv__work work_req;
};

UV_EXTERN int uv_random(uv_loop_t* loop, uv_random_t* req, void* buf, size_t buflen,
                        unsigned int flags, uv_random_cb cb);

#endif
