/* Handles that wait for something: a time, a phase of the turn, another thread, a
 * descriptor, a signal, a change to a file. */
#ifndef UV_WATCH_H
#define UV_WATCH_H

/* Timers: milliseconds from the loop's cached time, never early. */
typedef void (*uv_timer_cb)(uv_timer_t* handle);

struct uv_timer_s {
  UV_HANDLE_FIELDS
  uv_timer_cb timer_cb;
  uint64_t due_us;
  uint64_t repeat;
  uint64_t start_id;
  size_t heap_index;
  uint64_t timeout;
  uint64_t padding;
};

UV_EXTERN int uv_timer_init(uv_loop_t* loop, uv_timer_t* handle);
UV_EXTERN int uv_timer_start(uv_timer_t* handle, uv_timer_cb cb, uint64_t timeout,
                             uint64_t repeat);
UV_EXTERN int uv_timer_stop(uv_timer_t* handle);
/* Starts a repeating timer anew with its repeat as the timeout. */
UV_EXTERN int uv_timer_again(uv_timer_t* handle);
UV_EXTERN void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat);
UV_EXTERN uint64_t uv_timer_get_repeat(const uv_timer_t* handle);
UV_EXTERN uint64_t uv_timer_get_due_in(const uv_timer_t* handle);

/* Idle, prepare and check: once a turn, in their phase, until stopped. An active idle
 * handle keeps the poll from waiting. */
typedef void (*uv_idle_cb)(uv_idle_t* handle);
typedef void (*uv_prepare_cb)(uv_prepare_t* handle);
typedef void (*uv_check_cb)(uv_check_t* handle);

struct uv_idle_s {
  UV_HANDLE_FIELDS
  uv_idle_cb cb;
  void* queue[2];
};

struct uv_prepare_s {
  UV_HANDLE_FIELDS
  uv_prepare_cb cb;
  void* queue[2];
};

struct uv_check_s {
  UV_HANDLE_FIELDS
  uv_check_cb cb;
  void* queue[2];
};

UV_EXTERN int uv_idle_init(uv_loop_t* loop, uv_idle_t* idle);
UV_EXTERN int uv_idle_start(uv_idle_t* idle, uv_idle_cb cb);
UV_EXTERN int uv_idle_stop(uv_idle_t* idle);
UV_EXTERN int uv_prepare_init(uv_loop_t* loop, uv_prepare_t* prepare);
UV_EXTERN int uv_prepare_start(uv_prepare_t* prepare, uv_prepare_cb cb);
UV_EXTERN int uv_prepare_stop(uv_prepare_t* prepare);
UV_EXTERN int uv_check_init(uv_loop_t* loop, uv_check_t* check);
UV_EXTERN int uv_check_start(uv_check_t* check, uv_check_cb cb);
UV_EXTERN int uv_check_stop(uv_check_t* check);

/* Async: wakes the loop from anywhere. Sends are coalesced, none is lost. */
typedef void (*uv_async_cb)(uv_async_t* handle);

struct uv_async_s {
  UV_HANDLE_FIELDS
  uv_async_cb async_cb;
  void* queue[2];
  int pending;
  unsigned int number; /* private, in what was padding: the loop's first one is 1 */
};

UV_EXTERN int uv_async_init(uv_loop_t* loop, uv_async_t* async, uv_async_cb async_cb);
/* The one function that other threads and signal handlers may call. */
UV_EXTERN int uv_async_send(uv_async_t* async);

/* Poll: readiness of a descriptor that the program reads and writes itself. */
typedef void (*uv_poll_cb)(uv_poll_t* handle, int status, int events);

enum uv_poll_event {
  UV_READABLE = 1,
  UV_WRITABLE = 2,
  UV_DISCONNECT = 4, /* the peer has closed or shut down */
  UV_PRIORITIZED = 8 /* out-of-band data */
};

struct uv_poll_s {
  UV_HANDLE_FIELDS
  uv_poll_cb poll_cb;
  uv__io_t io_watcher;
};

UV_EXTERN int uv_poll_init(uv_loop_t* loop, uv_poll_t* handle, int fd);
UV_EXTERN int uv_poll_init_socket(uv_loop_t* loop, uv_poll_t* handle,
                                  uv_os_sock_t socket);
UV_EXTERN int uv_poll_start(uv_poll_t* handle, int events, uv_poll_cb cb);
UV_EXTERN int uv_poll_stop(uv_poll_t* handle);

/* Signals: any number of handles, on any number of loops, may watch one signal. */
typedef void (*uv_signal_cb)(uv_signal_t* handle, int signum);

struct uv_signal_s {
  UV_HANDLE_FIELDS
  uv_signal_cb signal_cb;
  int signum;
  void* registry_queue[2];
  void* loop_queue[2];
  unsigned int caught_signals;
  unsigned int dispatched_signals;
};

UV_EXTERN int uv_signal_init(uv_loop_t* loop, uv_signal_t* handle);
UV_EXTERN int uv_signal_start(uv_signal_t* handle, uv_signal_cb signal_cb, int signum);
UV_EXTERN int uv_signal_start_oneshot(uv_signal_t* handle, uv_signal_cb signal_cb,
                                      int signum);
UV_EXTERN int uv_signal_stop(uv_signal_t* handle);

/* File events: a path watched by the kernel (inotify). The filename is the entry's name
 * in a watched directory, its path from there if the watch is recursive, and the last
 * part of the path when it is about the watched file itself. The filename is NULL, with
 * status 0, when the kernel's queue overflowed: something has changed and nobody knows
 * what. */
typedef void (*uv_fs_event_cb)(uv_fs_event_t* handle, const char* filename, int events,
                               int status);

enum uv_fs_event { UV_RENAME = 1, UV_CHANGE = 2 };

/* The first two are accepted and mean nothing here, as with libuv. The third watches all
 * directories below the path as well, also those that come later; uv_fs_event_start walks
 * the tree before it returns. */
enum uv_fs_event_flags {
  UV_FS_EVENT_WATCH_ENTRY = 1,
  UV_FS_EVENT_STAT = 2,
  UV_FS_EVENT_RECURSIVE = 4
};

struct uv_fs_event_s {
  UV_HANDLE_FIELDS
  char* path;
  uv_fs_event_cb cb;
  void* watchers[2];
  int wd;
};

UV_EXTERN int uv_fs_event_init(uv_loop_t* loop, uv_fs_event_t* handle);
UV_EXTERN int uv_fs_event_start(uv_fs_event_t* handle, uv_fs_event_cb cb,
                                const char* path, unsigned int flags);
UV_EXTERN int uv_fs_event_stop(uv_fs_event_t* handle);
UV_EXTERN int uv_fs_event_getpath(uv_fs_event_t* handle, char* buffer, size_t* size);

/* File polling: a path looked at every interval ms, where the kernel can't watch it. */
typedef void (*uv_fs_poll_cb)(uv_fs_poll_t* handle, int status, const uv_stat_t* prev,
                              const uv_stat_t* curr);

struct uv_fs_poll_s {
  UV_HANDLE_FIELDS
  void* poll_ctx;
};

UV_EXTERN int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle);
UV_EXTERN int uv_fs_poll_start(uv_fs_poll_t* handle, uv_fs_poll_cb poll_cb,
                               const char* path, unsigned int interval);
UV_EXTERN int uv_fs_poll_stop(uv_fs_poll_t* handle);
UV_EXTERN int uv_fs_poll_getpath(uv_fs_poll_t* handle, char* buffer, size_t* size);

#endif
