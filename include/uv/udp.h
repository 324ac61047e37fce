/* UDP: datagrams, connected or not, one by one or many in a system call. */
#ifndef UV_UDP_H
#define UV_UDP_H

enum uv_udp_flags {
  /* uv_udp_bind, uv_udp_open_ex */
  UV_UDP_IPV6ONLY = 1,
  UV_UDP_REUSEADDR = 4,
  UV_UDP_LINUX_RECVERR = 32, /* report ICMP errors: uv_udp_recv_cb sees it with each */
  UV_UDP_REUSEPORT = 64,     /* several sockets on one port, datagrams balanced */
  /* seen by uv_udp_recv_cb */
  UV_UDP_PARTIAL = 2,    /* the buffer was too small, the rest is lost */
  UV_UDP_MMSG_CHUNK = 8, /* one of several in the buffer: don't free it yet */
  UV_UDP_MMSG_FREE = 16, /* no datagram: the shared buffer can be freed now */
  /* uv_udp_init_ex */
  UV_UDP_RECVMMSG = 256 /* receive many in one system call */
};

typedef enum { UV_LEAVE_GROUP = 0, UV_JOIN_GROUP = 1 } uv_membership;

typedef void (*uv_udp_send_cb)(uv_udp_send_t* req, int status);
typedef void (*uv_udp_recv_cb)(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                               const struct sockaddr* addr, unsigned int flags);

/* Programs may read the size (bytes) and count (requests) of what waits to be sent. */
struct uv_udp_s {
  UV_HANDLE_FIELDS
  size_t send_queue_size;
  size_t send_queue_count;
  uv_alloc_cb alloc_cb;
  uv_udp_recv_cb recv_cb;
  uv__io_t io_watcher;
  void* write_queue[2];
  void* write_completed_queue[2];
};

struct uv_udp_send_s {
  UV_REQ_FIELDS
  uv_udp_t* handle;
  uv_udp_send_cb cb;
  void* queue[2];
  struct sockaddr_storage addr;
  unsigned int nbufs;
  uv_buf_t* bufs;
  ssize_t status;
  uv_udp_send_cb send_cb;
  uv_buf_t bufsml[4];
};

UV_EXTERN int uv_udp_init(uv_loop_t* loop, uv_udp_t* handle);
/* The low byte of flags is the address family of the socket to make now. */
UV_EXTERN int uv_udp_init_ex(uv_loop_t* loop, uv_udp_t* handle, unsigned int flags);
UV_EXTERN int uv_udp_open(uv_udp_t* handle, uv_os_sock_t sock);
UV_EXTERN int uv_udp_open_ex(uv_udp_t* handle, uv_os_sock_t sock, unsigned int flags);
UV_EXTERN int uv_udp_bind(uv_udp_t* handle, const struct sockaddr* addr,
                          unsigned int flags);
/* A NULL address disconnects. */
UV_EXTERN int uv_udp_connect(uv_udp_t* handle, const struct sockaddr* addr);
UV_EXTERN int uv_udp_getsockname(const uv_udp_t* handle, struct sockaddr* name,
                                 int* namelen);
UV_EXTERN int uv_udp_getpeername(const uv_udp_t* handle, struct sockaddr* name,
                                 int* namelen);

/* Sending and receiving; addr is NULL on a connected socket */
UV_EXTERN int uv_udp_send(uv_udp_send_t* req, uv_udp_t* handle, const uv_buf_t bufs[],
                          unsigned int nbufs, const struct sockaddr* addr,
                          uv_udp_send_cb send_cb);
UV_EXTERN int uv_udp_try_send(uv_udp_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
                              const struct sockaddr* addr);
/* Many datagrams at once: how many were sent. */
UV_EXTERN int uv_udp_try_send2(uv_udp_t* handle, unsigned int count, uv_buf_t* bufs[],
                               unsigned int nbufs[], struct sockaddr* addrs[],
                               unsigned int flags);
UV_EXTERN int uv_udp_recv_start(uv_udp_t* handle, uv_alloc_cb alloc_cb,
                                uv_udp_recv_cb recv_cb);
UV_EXTERN int uv_udp_recv_stop(uv_udp_t* handle);
UV_EXTERN int uv_udp_using_recvmmsg(const uv_udp_t* handle);
UV_EXTERN size_t uv_udp_get_send_queue_size(const uv_udp_t* handle);
UV_EXTERN size_t uv_udp_get_send_queue_count(const uv_udp_t* handle);

/* Multicast, broadcast, hops */
UV_EXTERN int uv_udp_set_membership(uv_udp_t* handle, const char* multicast_addr,
                                    const char* interface_addr, uv_membership membership);
UV_EXTERN int uv_udp_set_source_membership(uv_udp_t* handle, const char* multicast_addr,
                                           const char* interface_addr,
                                           const char* source_addr,
                                           uv_membership membership);
UV_EXTERN int uv_udp_set_multicast_loop(uv_udp_t* handle, int on);
UV_EXTERN int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl);
UV_EXTERN int uv_udp_set_multicast_interface(uv_udp_t* handle,
                                             const char* interface_addr);
UV_EXTERN int uv_udp_set_broadcast(uv_udp_t* handle, int on);
UV_EXTERN int uv_udp_set_ttl(uv_udp_t* handle, int ttl);

#endif
