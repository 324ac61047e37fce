/* The rest of what a loop serves: signals, work for the pool, an async sent by another
 * thread, changes of files, a polled descriptor, names, random bytes, timers. */
#include "mixed.h"

#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uv_signal_t signal_handle;

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  mixed_progress();
  handle_close(handle);
  part_over(PART_SIGNAL);
}

void signal_begin(void) {
  if (uv_signal_init(&mixed_loop, &signal_handle) != 0) {
    part_over(PART_SIGNAL);
    return;
  }
  handle_opened();
  if (uv_signal_start(&signal_handle, on_signal, SIGUSR1) != 0 ||
      uv_kill(getpid(), SIGUSR1) != 0) {
    handle_close(&signal_handle);
    part_over(PART_SIGNAL);
  }
}

/* --- the pool -------------------------------------------------------------------- */

enum { WORKS = 6 };

static uv_work_t works[WORKS];
static int works_left = WORKS;

static void on_work(uv_work_t* req) {
  (void) req;
}

static void work_over(void) {
  if (--works_left == 0)
    part_over(PART_POOL);
}

static void on_worked(uv_work_t* req, int status) {
  (void) req, (void) status;
  request_answered();
  work_over();
}

void pool_begin(void) {
  bool begun = false;
  for (int i = 0; i < WORKS; i++) {
    begun = request_begun(uv_queue_work(&mixed_loop, &works[i], on_work, on_worked));
    if (!begun)
      work_over();
  }
  if (begun)
    uv_cancel((uv_req_t*) &works[WORKS - 1]);
}

/* --- another thread -------------------------------------------------------------- */

static uv_async_t async;
static uv_thread_t async_thread;
static bool has_async_thread;

static void on_async(uv_async_t* handle) {
  mixed_progress();
  handle_close(handle);
  part_over(PART_ASYNC);
}

static void async_send(void* arg) {
  uv_async_send(arg);
}

void async_begin(void) {
  if (uv_async_init(&mixed_loop, &async, on_async) != 0) {
    part_over(PART_ASYNC);
    return;
  }
  handle_opened();
  has_async_thread = uv_thread_create(&async_thread, async_send, &async) == 0;
  if (!has_async_thread) {
    handle_close(&async);
    part_over(PART_ASYNC);
  }
}

void async_end(void) {
  if (has_async_thread)
    uv_thread_join(&async_thread);
}

/* --- changes --------------------------------------------------------------------- */

/* A file is written again and again until all three watchers have noticed. */
static struct {
  uv_fs_event_t event;
  uv_fs_event_t tree;
  uv_fs_poll_t poll;
  uv_timer_t timer;
  uv_fs_t req;
  int waiting;
  int rounds;
} watch;

static void watch_end(void) {
  handle_close(&watch.event);
  handle_close(&watch.tree);
  handle_close(&watch.poll);
  handle_close(&watch.timer);
  part_over(PART_WATCH);
}

static void watch_one_over(void* handle) {
  handle_close(handle);
  if (--watch.waiting == 0)
    watch_end();
}

static void on_event(uv_fs_event_t* handle, const char* name, int events, int status) {
  (void) name, (void) events, (void) status;
  mixed_progress();
  watch_one_over(handle);
}

static void on_change(uv_fs_poll_t* handle, int status, const uv_stat_t* before,
                      const uv_stat_t* now) {
  (void) status, (void) before, (void) now;
  mixed_progress();
  watch_one_over(handle);
}

static void watch_write(uv_timer_t* timer) {
  static char text[64];
  uv_buf_t buf = uv_buf_init(text, (unsigned int) (watch.rounds++ % 60 + 1));
  (void) timer;
  int fd = uv_fs_open(NULL, &watch.req, "watched",
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600, NULL);
  int written = fd < 0 ? fd : uv_fs_write(NULL, &watch.req, fd, &buf, 1, 0, NULL);
  if (fd >= 0)
    uv_fs_close(NULL, &watch.req, fd, NULL);
  if (written < 0)
    watch_end();
}

void watch_begin(void) {
  watch.waiting = 3;
  handle_opened();
  handle_opened();
  handle_opened();
  handle_opened();
  uv_timer_init(&mixed_loop, &watch.timer);
  uv_fs_event_init(&mixed_loop, &watch.event);
  uv_fs_event_init(&mixed_loop, &watch.tree);
  uv_fs_poll_init(&mixed_loop, &watch.poll);
  watch_write(&watch.timer);
  if (part_is_over(PART_WATCH))
    return;
  uv_timer_start(&watch.timer, watch_write, 5, 5);
  if (uv_fs_event_start(&watch.event, on_event, "watched", 0) != 0)
    watch_one_over(&watch.event);
  if (uv_fs_event_start(&watch.tree, on_event, ".", UV_FS_EVENT_RECURSIVE) != 0)
    watch_one_over(&watch.tree);
  if (uv_fs_poll_start(&watch.poll, on_change, "watched", 5) != 0)
    watch_one_over(&watch.poll);
}

/* --- a descriptor of the program's ----------------------------------------------- */

static uv_poll_t poll_handle;
static uv_file poll_ends[2];

static void poll_over(void) {
  close(poll_ends[0]);
  close(poll_ends[1]);
  part_over(PART_POLL);
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  (void) status, (void) events;
  mixed_progress();
  uv_poll_stop(handle);
  handle_close(handle);
  poll_over();
}

void poll_begin(void) {
  if (uv_pipe(poll_ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) != 0) {
    part_over(PART_POLL);
    return;
  }
  if (uv_poll_init(&mixed_loop, &poll_handle, poll_ends[1]) != 0) {
    poll_over();
    return;
  }
  handle_opened();
  if (uv_poll_start(&poll_handle, UV_WRITABLE, on_poll) != 0) {
    handle_close(&poll_handle);
    poll_over();
  }
}

/* --- names, random bytes --------------------------------------------------------- */

static uv_getaddrinfo_t address_req;
static uv_getnameinfo_t name_req;
static uv_random_t random_req;
static char random_bytes[64];
static int names_left = 3;

static void name_over(void) {
  if (--names_left == 0)
    part_over(PART_NAMES);
}

static void on_addresses(uv_getaddrinfo_t* req, int status, struct addrinfo* addresses) {
  (void) req, (void) status;
  request_answered();
  uv_freeaddrinfo(addresses);
  name_over();
}

static void on_name(uv_getnameinfo_t* req, int status, const char* host,
                    const char* service) {
  (void) req, (void) status, (void) host, (void) service;
  request_answered();
  name_over();
}

static void on_random(uv_random_t* req, int status, void* bytes, size_t length) {
  (void) req, (void) status, (void) bytes, (void) length;
  request_answered();
  name_over();
}

void names_begin(void) {
  struct sockaddr_in address;
  uv_ip4_addr("127.0.0.1", 80, &address);
  if (!request_begun(uv_getaddrinfo(&mixed_loop, &address_req, on_addresses, "localhost",
                                    NULL, NULL)))
    name_over();
  if (!request_begun(uv_getnameinfo(&mixed_loop, &name_req, on_name,
                                    (const struct sockaddr*) &address,
                                    NI_NUMERICHOST | NI_NUMERICSERV)))
    name_over();
  if (!request_begun(uv_random(&mixed_loop, &random_req, random_bytes,
                               sizeof(random_bytes), 0, on_random)))
    name_over();
}

/* --- timers ---------------------------------------------------------------------- */

static uv_timer_t ticks;
static uv_idle_t idle;
static int ticks_left = 5;

static void on_tick(uv_timer_t* timer) {
  mixed_progress();
  if (--ticks_left > 0)
    return;
  handle_close(timer);
  part_over(PART_TIMERS);
}

static void on_idle(uv_idle_t* handle) {
  static int turns = 20;
  if (--turns == 0)
    handle_close(handle);
}

/* Some busy turns, too: they wait for nothing. */
void timers_begin(void) {
  handle_opened();
  handle_opened();
  uv_timer_init(&mixed_loop, &ticks);
  uv_timer_start(&ticks, on_tick, 1, 3);
  uv_idle_init(&mixed_loop, &idle);
  uv_idle_start(&idle, on_idle);
}
