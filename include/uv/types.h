/* The kinds of handles and requests, the fields all of them begin with, and the callbacks
 * that are shared between rooms. A pointer to any handle may be cast to uv_handle_t*, any
 * request to uv_req_t*, and tcp, pipe and tty to uv_stream_t*. */
#ifndef UV_TYPES_H
#define UV_TYPES_H

/* Calls XX(UPPER, lower) for every kind of handle, in the order of its number. */
#define UV_HANDLE_TYPE_MAP(XX)                                                           \
  XX(ASYNC, async)                                                                       \
  XX(CHECK, check)                                                                       \
  XX(FS_EVENT, fs_event)                                                                 \
  XX(FS_POLL, fs_poll)                                                                   \
  XX(HANDLE, handle)                                                                     \
  XX(IDLE, idle)                                                                         \
  XX(NAMED_PIPE, pipe)                                                                   \
  XX(POLL, poll)                                                                         \
  XX(PREPARE, prepare)                                                                   \
  XX(PROCESS, process)                                                                   \
  XX(STREAM, stream)                                                                     \
  XX(TCP, tcp)                                                                           \
  XX(TIMER, timer)                                                                       \
  XX(TTY, tty)                                                                           \
  XX(UDP, udp)                                                                           \
  XX(SIGNAL, signal)

/* Calls XX(UPPER, lower) for every kind of request, in the order of its number. */
#define UV_REQ_TYPE_MAP(XX)                                                              \
  XX(REQ, req)                                                                           \
  XX(CONNECT, connect)                                                                   \
  XX(WRITE, write)                                                                       \
  XX(SHUTDOWN, shutdown)                                                                 \
  XX(UDP_SEND, udp_send)                                                                 \
  XX(FS, fs)                                                                             \
  XX(WORK, work)                                                                         \
  XX(GETADDRINFO, getaddrinfo)                                                           \
  XX(GETNAMEINFO, getnameinfo)                                                           \
  XX(RANDOM, random)

typedef enum {
  UV_UNKNOWN_HANDLE = 0,
  UV_ASYNC = 1,
  UV_CHECK = 2,
  UV_FS_EVENT = 3,
  UV_FS_POLL = 4,
  UV_HANDLE = 5,
  UV_IDLE = 6,
  UV_NAMED_PIPE = 7,
  UV_POLL = 8,
  UV_PREPARE = 9,
  UV_PROCESS = 10,
  UV_STREAM = 11,
  UV_TCP = 12,
  UV_TIMER = 13,
  UV_TTY = 14,
  UV_UDP = 15,
  UV_SIGNAL = 16,
  UV_FILE = 17, /* no handle: uv_guess_handle's answer for a regular file */
  UV_HANDLE_TYPE_MAX = 18
} uv_handle_type;

typedef enum {
  UV_UNKNOWN_REQ = 0,
  UV_REQ = 1,
  UV_CONNECT = 2,
  UV_WRITE = 3,
  UV_SHUTDOWN = 4,
  UV_UDP_SEND = 5,
  UV_FS = 6,
  UV_WORK = 7,
  UV_GETADDRINFO = 8,
  UV_GETNAMEINFO = 9,
  UV_RANDOM = 10,
  UV_REQ_TYPE_MAX = 11
} uv_req_type;

typedef struct uv_loop_s uv_loop_t;

/* Handles */
typedef struct uv_handle_s uv_handle_t;
typedef struct uv_stream_s uv_stream_t;
typedef struct uv_tcp_s uv_tcp_t;
typedef struct uv_pipe_s uv_pipe_t;
typedef struct uv_tty_s uv_tty_t;
typedef struct uv_udp_s uv_udp_t;
typedef struct uv_poll_s uv_poll_t;
typedef struct uv_timer_s uv_timer_t;
typedef struct uv_idle_s uv_idle_t;
typedef struct uv_prepare_s uv_prepare_t;
typedef struct uv_check_s uv_check_t;
typedef struct uv_async_s uv_async_t;
typedef struct uv_signal_s uv_signal_t;
typedef struct uv_process_s uv_process_t;
typedef struct uv_fs_event_s uv_fs_event_t;
typedef struct uv_fs_poll_s uv_fs_poll_t;

/* Requests */
typedef struct uv_req_s uv_req_t;
typedef struct uv_connect_s uv_connect_t;
typedef struct uv_write_s uv_write_t;
typedef struct uv_shutdown_s uv_shutdown_t;
typedef struct uv_udp_send_s uv_udp_send_t;
typedef struct uv_fs_s uv_fs_t;
typedef struct uv_work_s uv_work_t;
typedef struct uv_getaddrinfo_s uv_getaddrinfo_t;
typedef struct uv_getnameinfo_s uv_getnameinfo_t;
typedef struct uv_random_s uv_random_t;

/* Callbacks used by more than one kind of handle */
typedef void (*uv_alloc_cb)(uv_handle_t* handle, size_t suggested_size, uv_buf_t* buf);
typedef void (*uv_close_cb)(uv_handle_t* handle);
typedef void (*uv_walk_cb)(uv_handle_t* handle, void* arg);

/* How every handle begins. Programs may use data, and read loop and type. */
#define UV_HANDLE_FIELDS                                                                 \
  void* data;                                                                            \
  uv_loop_t* loop;                                                                       \
  uv_handle_type type;                                                                   \
  uv_close_cb close_cb;                                                                  \
  void* handle_queue[2];                                                                 \
  union {                                                                                \
    int fd;                                                                              \
    void* reserved[4];                                                                   \
  } u;                                                                                   \
  uv_handle_t* next_closing;                                                             \
  unsigned int flags;

/* How every request begins. Programs may use data, and read type. */
#define UV_REQ_FIELDS                                                                    \
  void* data;                                                                            \
  uv_req_type type;                                                                      \
  void* reserved[6];

struct uv_handle_s {
  UV_HANDLE_FIELDS
};

struct uv_req_s {
  UV_REQ_FIELDS
};

/* Handles in general */
UV_EXTERN int uv_is_active(const uv_handle_t* handle);
UV_EXTERN int uv_is_closing(const uv_handle_t* handle);
/* Stops the handle now and calls back once, later; then its memory is the caller's. */
UV_EXTERN void uv_close(uv_handle_t* handle, uv_close_cb close_cb);
/* Only a referenced handle keeps the loop alive; both are idempotent. */
UV_EXTERN void uv_ref(uv_handle_t* handle);
UV_EXTERN void uv_unref(uv_handle_t* handle);
UV_EXTERN int uv_has_ref(const uv_handle_t* handle);
UV_EXTERN int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);
/* Socket buffer sizes: *value 0 asks, another value sets. */
UV_EXTERN int uv_send_buffer_size(uv_handle_t* handle, int* value);
UV_EXTERN int uv_recv_buffer_size(uv_handle_t* handle, int* value);
UV_EXTERN void* uv_handle_get_data(const uv_handle_t* handle);
UV_EXTERN void uv_handle_set_data(uv_handle_t* handle, void* data);
UV_EXTERN uv_loop_t* uv_handle_get_loop(const uv_handle_t* handle);
UV_EXTERN uv_handle_type uv_handle_get_type(const uv_handle_t* handle);
UV_EXTERN const char* uv_handle_type_name(uv_handle_type type);
UV_EXTERN size_t uv_handle_size(uv_handle_type type);

/* Requests in general */
/* Takes back a request that waits for the pool; UV_EBUSY if it already runs. */
UV_EXTERN int uv_cancel(uv_req_t* req);
UV_EXTERN void* uv_req_get_data(const uv_req_t* req);
UV_EXTERN void uv_req_set_data(uv_req_t* req, void* data);
UV_EXTERN uv_req_type uv_req_get_type(const uv_req_t* req);
UV_EXTERN const char* uv_req_type_name(uv_req_type type);
UV_EXTERN size_t uv_req_size(uv_req_type type);

UV_EXTERN uv_buf_t uv_buf_init(char* base, unsigned int len);

#endif
