/* Streams: bytes in order, both ways. TCP connections, pipes (Unix domain sockets, which
 * can also carry handles between processes) and terminals share one interface. */
#ifndef UV_STREAM_H
#define UV_STREAM_H

/* nread: bytes read, 0 for nothing now, or an error (UV_EOF at the end). */
typedef void (*uv_read_cb)(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);
typedef void (*uv_write_cb)(uv_write_t* req, int status);
typedef void (*uv_connect_cb)(uv_connect_t* req, int status);
typedef void (*uv_shutdown_cb)(uv_shutdown_t* req, int status);
typedef void (*uv_connection_cb)(uv_stream_t* server, int status);

/* The fields that streams add to a handle. Programs may read write_queue_size. */
#define UV_STREAM_FIELDS                                                                 \
  size_t write_queue_size;                                                               \
  uv_alloc_cb alloc_cb;                                                                  \
  uv_read_cb read_cb;                                                                    \
  uv_connect_t* connect_req;                                                             \
  uv_shutdown_t* shutdown_req;                                                           \
  uv__io_t io_watcher;                                                                   \
  void* write_queue[2];                                                                  \
  void* write_completed_queue[2];                                                        \
  uv_connection_cb connection_cb;                                                        \
  int delayed_error;                                                                     \
  int accepted_fd;                                                                       \
  void* queued_fds;

struct uv_stream_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
};

struct uv_connect_s {
  UV_REQ_FIELDS
  uv_connect_cb cb;
  uv_stream_t* handle;
  void* queue[2];
};

struct uv_write_s {
  UV_REQ_FIELDS
  uv_write_cb cb;
  uv_stream_t* send_handle;
  uv_stream_t* handle;
  void* queue[2];
  unsigned int write_index;
  uv_buf_t* bufs;
  unsigned int nbufs;
  int error;
  uv_buf_t bufsml[4];
};

struct uv_shutdown_s {
  UV_REQ_FIELDS
  uv_stream_t* handle;
  uv_shutdown_cb cb;
};

UV_EXTERN int uv_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);
UV_EXTERN int uv_accept(uv_stream_t* server, uv_stream_t* client);
UV_EXTERN int uv_read_start(uv_stream_t* stream, uv_alloc_cb alloc_cb,
                            uv_read_cb read_cb);
UV_EXTERN int uv_read_stop(uv_stream_t* stream);
UV_EXTERN int uv_write(uv_write_t* req, uv_stream_t* handle, const uv_buf_t bufs[],
                       unsigned int nbufs, uv_write_cb cb);
/* Sends a handle along, over a pipe made for it (ipc). */
UV_EXTERN int uv_write2(uv_write_t* req, uv_stream_t* handle, const uv_buf_t bufs[],
                        unsigned int nbufs, uv_stream_t* send_handle, uv_write_cb cb);
/* Write what fits at once: the number of bytes, or UV_EAGAIN. */
UV_EXTERN int uv_try_write(uv_stream_t* handle, const uv_buf_t bufs[],
                           unsigned int nbufs);
UV_EXTERN int uv_try_write2(uv_stream_t* handle, const uv_buf_t bufs[],
                            unsigned int nbufs, uv_stream_t* send_handle);
/* Ends the writing side after the writes already queued. */
UV_EXTERN int uv_shutdown(uv_shutdown_t* req, uv_stream_t* handle, uv_shutdown_cb cb);
UV_EXTERN int uv_is_readable(const uv_stream_t* handle);
UV_EXTERN int uv_is_writable(const uv_stream_t* handle);
UV_EXTERN int uv_stream_set_blocking(uv_stream_t* handle, int blocking);
UV_EXTERN size_t uv_stream_get_write_queue_size(const uv_stream_t* stream);

/* TCP */
enum uv_tcp_flags {
  UV_TCP_IPV6ONLY = 1,
  UV_TCP_REUSEPORT = 2 /* several sockets on one port, connections balanced */
};

struct uv_tcp_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
};

UV_EXTERN int uv_tcp_init(uv_loop_t* loop, uv_tcp_t* handle);
/* The low byte of flags is the address family of the socket to make now. */
UV_EXTERN int uv_tcp_init_ex(uv_loop_t* loop, uv_tcp_t* handle, unsigned int flags);
UV_EXTERN int uv_tcp_open(uv_tcp_t* handle, uv_os_sock_t sock);
UV_EXTERN int uv_tcp_nodelay(uv_tcp_t* handle, int enable);
UV_EXTERN int uv_tcp_keepalive(uv_tcp_t* handle, int enable, unsigned int delay);
/* Seconds before the first probe, seconds between probes, probes before giving up. */
UV_EXTERN int uv_tcp_keepalive_ex(uv_tcp_t* handle, int on, unsigned int idle,
                                  unsigned int intvl, unsigned int cnt);
UV_EXTERN int uv_tcp_simultaneous_accepts(uv_tcp_t* handle, int enable);
UV_EXTERN int uv_tcp_bind(uv_tcp_t* handle, const struct sockaddr* addr,
                          unsigned int flags);
UV_EXTERN int uv_tcp_connect(uv_connect_t* req, uv_tcp_t* handle,
                             const struct sockaddr* addr, uv_connect_cb cb);
UV_EXTERN int uv_tcp_getsockname(const uv_tcp_t* handle, struct sockaddr* name,
                                 int* namelen);
UV_EXTERN int uv_tcp_getpeername(const uv_tcp_t* handle, struct sockaddr* name,
                                 int* namelen);
/* Closes with a reset (RST) instead of an orderly end. */
UV_EXTERN int uv_tcp_close_reset(uv_tcp_t* handle, uv_close_cb close_cb);
UV_EXTERN int uv_socketpair(int type, int protocol, uv_os_sock_t socket_vector[2],
                            int flags0, int flags1);

/* Pipes */
enum uv_pipe_flags {
  UV_PIPE_NO_TRUNCATE = 1 /* refuse too long a name instead of cutting it */
};

struct uv_pipe_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
  int ipc; /* set if handles may be sent over it */
  char* pipe_fname;
};

UV_EXTERN int uv_pipe_init(uv_loop_t* loop, uv_pipe_t* handle, int ipc);
UV_EXTERN int uv_pipe_open(uv_pipe_t* handle, uv_file file);
UV_EXTERN int uv_pipe_bind(uv_pipe_t* handle, const char* name);
/* Names with a length: one that starts with NUL is an abstract socket; for one of no
 * length the kernel chooses an abstract name. */
UV_EXTERN int uv_pipe_bind2(uv_pipe_t* handle, const char* name, size_t namelen,
                            unsigned int flags);
UV_EXTERN void uv_pipe_connect(uv_connect_t* req, uv_pipe_t* handle, const char* name,
                               uv_connect_cb cb);
UV_EXTERN int uv_pipe_connect2(uv_connect_t* req, uv_pipe_t* handle, const char* name,
                               size_t namelen, unsigned int flags, uv_connect_cb cb);
UV_EXTERN int uv_pipe_getsockname(const uv_pipe_t* handle, char* buffer, size_t* size);
UV_EXTERN int uv_pipe_getpeername(const uv_pipe_t* handle, char* buffer, size_t* size);
UV_EXTERN int uv_pipe_chmod(uv_pipe_t* handle, int flags);
/* Received handles that wait for uv_accept. */
UV_EXTERN int uv_pipe_pending_count(uv_pipe_t* handle);
UV_EXTERN uv_handle_type uv_pipe_pending_type(uv_pipe_t* handle);
UV_EXTERN void uv_pipe_pending_instances(uv_pipe_t* handle, int count);
UV_EXTERN int uv_pipe(uv_file fds[2], int read_flags, int write_flags);

/* Terminals */
typedef enum {
  UV_TTY_MODE_NORMAL = 0,
  UV_TTY_MODE_RAW = 1,
  UV_TTY_MODE_IO = 2,    /* binary-safe, for talking to another process */
  UV_TTY_MODE_RAW_VT = 3 /* raw, with input as VT sequences */
} uv_tty_mode_t;

typedef enum { UV_TTY_SUPPORTED = 0, UV_TTY_UNSUPPORTED = 1 } uv_tty_vtermstate_t;

struct uv_tty_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
  struct termios orig_termios;
  int mode;
};

UV_EXTERN int uv_tty_init(uv_loop_t* loop, uv_tty_t* handle, uv_file fd, int readable);
UV_EXTERN int uv_tty_set_mode(uv_tty_t* handle, uv_tty_mode_t mode);
/* Puts the terminal back as it was found; safe in signal handlers. */
UV_EXTERN int uv_tty_reset_mode(void);
UV_EXTERN int uv_tty_get_winsize(uv_tty_t* handle, int* width, int* height);
UV_EXTERN void uv_tty_set_vterm_state(uv_tty_vtermstate_t state);
UV_EXTERN int uv_tty_get_vterm_state(uv_tty_vtermstate_t* state);
/* The kind of handle that would suit this descriptor. */
UV_EXTERN uv_handle_type uv_guess_handle(uv_file file);

#ifdef __cplusplus
/* The mode was once an int, and C++ programs still pass one. */
extern "C++" inline int uv_tty_set_mode(uv_tty_t* tty, int mode) {
  return uv_tty_set_mode(tty, static_cast<uv_tty_mode_t>(mode));
}
#endif

#endif
