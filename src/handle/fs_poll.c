/* File polling handles: call stat(2) on a path at intervals, where the kernel can't watch
 * it.
 *
 * Each start makes a poller of its own, with a timer and a stat request that run
 * alternately. A stop detaches the poller from the handle; a poller whose request is
 * still under way is freed when the request ends. A close callback waits for the handle's
 * last request, so that the loop can be closed from it. */
#include "base/alloc.h"
#include "base/base.h"
#include "handle/watched_path.h"
#include "loop/loop.h"

#include <string.h>

struct fs_poller {
  uv_fs_poll_t* handle;
  uv_fs_poll_cb cb;
  uv_timer_t timer; /* internal: it neither counts nor keeps the loop alive */
  uv_fs_t stat;
  uv_stat_t last; /* the last result; zeroes before the first */
  int status;     /* of the last stat */
  bool looked;    /* there was a first stat */
  bool busy;      /* the request is under way, or its callback is */
  bool stopped;   /* detached from its handle */
  char path[];
};

/* How many of the handle's pollers, the stopped ones too, are busy. */
static size_t fs_poll_busy_count(const uv_fs_poll_t* handle) {
  return (uintptr_t) handle->u.reserved[1];
}

static void fs_poll_busy_count_set(uv_fs_poll_t* handle, size_t count) {
  handle->u.reserved[1] = (void*) (uintptr_t) count;
}

static bool stat_same_time(const uv_timespec_t* a, const uv_timespec_t* b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Compares every field but the access time, which reading changes. */
static bool stat_same_file(const uv_stat_t* a, const uv_stat_t* b) {
  uint64_t which = (a->st_dev ^ b->st_dev) | (a->st_ino ^ b->st_ino);
  uint64_t whose = (a->st_uid ^ b->st_uid) | (a->st_gid ^ b->st_gid);
  uint64_t what = (a->st_mode ^ b->st_mode) | (a->st_size ^ b->st_size);
  uint64_t rest = (a->st_flags ^ b->st_flags) | (a->st_gen ^ b->st_gen);
  return (which | whose | what | rest) == 0 && stat_same_time(&a->st_mtim, &b->st_mtim) &&
         stat_same_time(&a->st_ctim, &b->st_ctim) &&
         stat_same_time(&a->st_birthtim, &b->st_birthtim);
}

static const uv_stat_t nothing;

static void fs_poll_call_back(struct fs_poller* poller, int status,
                              const uv_stat_t* current) {
  loop_call_back(poller->handle->loop, subject_handle(poller->handle), status, poller->cb,
                 poller->handle, status, &poller->last, current);
}

/* An error is called back when it differs from the last one. The first stat that succeeds
 * is only the base of later comparisons, and is called back only after an error. */
static void fs_poll_compare(struct fs_poller* poller, int status,
                            const uv_stat_t* current) {
  bool first = !poller->looked;
  int before = poller->status;
  poller->looked = true;
  poller->status = status;
  if (status != 0) {
    if (first || status != before)
      fs_poll_call_back(poller, status, &nothing);
    return;
  }
  if (!first && (before != 0 || !stat_same_file(&poller->last, current)))
    fs_poll_call_back(poller, 0, current);
  poller->last = *current;
}

/* After the callback, in which the poller may have been stopped and the handle closed. */
static void fs_poll_look_over(struct fs_poller* poller) {
  uv_fs_poll_t* handle = poller->handle;
  poller->busy = false;
  fs_poll_busy_count_set(handle, fs_poll_busy_count(handle) - 1);
  if (!poller->stopped)
    return;
  mem_free(poller);
  if (handle_closing((uv_handle_t*) handle) && fs_poll_busy_count(handle) == 0)
    handle_closed((uv_handle_t*) handle);
}

static void fs_poll_look_done(uv_fs_t* req) {
  struct fs_poller* poller = rondo_container_of(req, struct fs_poller, stat);
  int status = (int) req->result;
  uv_stat_t current = req->statbuf;
  uv_fs_req_cleanup(req);
  if (!poller->stopped)
    fs_poll_compare(poller, status, &current);
  fs_poll_look_over(poller);
}

static void fs_poller_set_busy(struct fs_poller* poller) {
  poller->busy = true;
  fs_poll_busy_count_set(poller->handle, fs_poll_busy_count(poller->handle) + 1);
}

static int fs_poll_look_begin(struct fs_poller* poller) {
  int err =
      uv_fs_stat(poller->handle->loop, &poller->stat, poller->path, fs_poll_look_done);
  if (err == 0)
    fs_poller_set_busy(poller);
  else
    uv_fs_req_cleanup(&poller->stat);
  return err;
}

/* A stat never begins before the last one has ended, whatever the interval. */
static void fs_poll_look(uv_timer_t* timer) {
  struct fs_poller* poller = rondo_container_of(timer, struct fs_poller, timer);
  int err = poller->busy ? 0 : fs_poll_look_begin(poller);
  if (err == 0)
    return;
  fs_poller_set_busy(poller);
  fs_poll_compare(poller, err, &nothing);
  fs_poll_look_over(poller);
}

static void fs_poll_close(uv_handle_t* handle) {
  uv_fs_poll_t* poll = (uv_fs_poll_t*) handle;
  uv_fs_poll_stop(poll);
  if (fs_poll_busy_count(poll) == 0)
    handle_closed(handle);
}

static const struct handle_kind fs_poll_kind = {.type = UV_FS_POLL,
                                                .close = fs_poll_close};

int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle) {
  handle_init(loop, (uv_handle_t*) handle, &fs_poll_kind);
  handle->poll_ctx = NULL;
  return 0;
}

static struct fs_poller* fs_poller_new(uv_fs_poll_t* handle, uv_fs_poll_cb cb,
                                       const char* path) {
  size_t length = strlen(path);
  struct fs_poller* poller = mem_calloc(1, sizeof(*poller) + length + 1);
  if (poller == NULL)
    return NULL;
  poller->handle = handle;
  poller->cb = cb;
  memcpy(poller->path, path, length + 1);
  uv_timer_init(handle->loop, &poller->timer);
  poller->timer.flags |= HANDLE_INTERNAL;
  uv_unref((uv_handle_t*) &poller->timer);
  return poller;
}

/* The timer is internal and leaves the loop at once, without a close callback. */
static void fs_poller_stop(struct fs_poller* poller) {
  uv_timer_stop(&poller->timer);
  handle_uninit((uv_handle_t*) &poller->timer);
  poller->stopped = true;
  if (poller->busy)
    uv_cancel((uv_req_t*) &poller->stat); /* the request ends either way */
  else
    mem_free(poller);
}

int uv_fs_poll_start(uv_fs_poll_t* handle, uv_fs_poll_cb cb, const char* path,
                     unsigned int interval) {
  if (handle_active((uv_handle_t*) handle))
    return 0; /* a second start changes nothing, as in libuv */
  if (handle_closing((uv_handle_t*) handle) || cb == NULL || path == NULL)
    return UV_EINVAL;
  struct fs_poller* poller = fs_poller_new(handle, cb, path);
  if (poller == NULL)
    return UV_ENOMEM;
  interval = interval == 0 ? 1 : interval;
  int err = uv_timer_start(&poller->timer, fs_poll_look, interval, interval);
  if (err == 0)
    err = fs_poll_look_begin(poller);
  if (err != 0) {
    fs_poller_stop(poller);
    return err;
  }
  handle->poll_ctx = poller;
  handle_start((uv_handle_t*) handle);
  return 0;
}

int uv_fs_poll_stop(uv_fs_poll_t* handle) {
  if (!handle_active((uv_handle_t*) handle))
    return 0;
  fs_poller_stop(handle->poll_ctx);
  handle->poll_ctx = NULL;
  handle_stop((uv_handle_t*) handle);
  return 0;
}

int uv_fs_poll_getpath(uv_fs_poll_t* handle, char* buffer, size_t* size) {
  const struct fs_poller* poller = handle->poll_ctx;
  bool active = handle_active((uv_handle_t*) handle);
  return watched_path_give(active ? poller->path : NULL, buffer, size);
}
