/* Scenes that need the loop for themselves: requests that wait behind a busy pool and are
 * cancelled there, and files that are watched while they change. Each is arranged so that
 * nothing depends on how fast threads and clocks are. */
#include "fs_fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- A busy pool ------------------------------------------------------------------ */

enum { POOL_MOST = 1024, QUEUED = 40 };

static uv_sem_t pool_busy;
static uv_sem_t pool_free;

static void block_thread(uv_work_t* request) {
  (void) request;
  uv_sem_post(&pool_busy);
  uv_sem_wait(&pool_free);
}

static void nothing_after(uv_work_t* request, int status) {
  (void) request;
  expect(status == 0);
}

static int pool_size(void) {
  const char* text = getenv("UV_THREADPOOL_SIZE");
  int size = text == NULL ? 4 : atoi(text);
  return size < 1 ? 1 : size > POOL_MOST ? POOL_MOST : size;
}

/* One that waits, of a kind, and what became of it. */
struct queued {
  enum kind { FILE_CALL, WORK, ADDRESS, NAME, RANDOM, KINDS } kind;
  struct call* call;
  union {
    uv_req_t any;
    uv_work_t work;
    uv_getaddrinfo_t address;
    uv_getnameinfo_t name;
    uv_random_t random;
  } request;
  char bytes[16];
  int cancelled[2]; /* what uv_cancel said */
  int times;        /* it was asked */
  int called;
  int status;
};

static uv_req_t* request_of(struct queued* queued) {
  return queued->kind == FILE_CALL ? (uv_req_t*) &queued->call->request
                                   : &queued->request.any;
}

static void over(struct queued* queued, int status) {
  queued->called++;
  queued->status = status;
}

static void on_file(uv_fs_t* request) {
  struct call* call = request->data;
  over((struct queued*) call->owner_of_it,
       request->result < 0 ? (int) request->result : 0);
}

static void do_nothing(uv_work_t* request) {
  (void) request;
}

static void on_work(uv_work_t* request, int status) {
  over(request->data, status);
}

static void on_address(uv_getaddrinfo_t* request, int status, struct addrinfo* found) {
  over(request->data, status);
  uv_freeaddrinfo(found);
}

static void on_name(uv_getnameinfo_t* request, int status, const char* host,
                    const char* service) {
  (void) host;
  (void) service;
  over(request->data, status);
}

static void on_random(uv_random_t* request, int status, void* bytes, size_t size) {
  struct queued* queued = request->data;
  expect(bytes == queued->bytes && size == sizeof(queued->bytes));
  over(queued, status);
}

static bool choose_call(struct call* call, bool first) {
  if (!call_choose(call, !first))
    return false;
  if (!first || call->shape->type == UV_FS_UTIME)
    return true;
  call_drop(call);
  return false;
}

static void queue_call(struct queued* queued, struct call* call, bool first) {
  queued->call = call;
  while (!choose_call(call, first))
    continue;
  call->form = ASYNC;
  call->owner_of_it = queued;
  call_make(call, on_file);
}

static void queue_one(struct chain* chain, struct queued* queued, int number) {
  uv_loop_t* loop = chain->loop;
  struct sockaddr_in here;
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
  /* The first is one that takes a thread in any library: then the rest wait too. */
  queued->kind = number == 0 ? FILE_CALL : (enum kind) pick(chain, KINDS);
  expect(uv_ip4_addr("127.0.0.1", 80, &here) == 0);
  switch (queued->kind) {
  case FILE_CALL:
    chain->calls[number].chain = chain;
    queue_call(queued, &chain->calls[number], number == 0);
    if (queued->call->returned < 0)
      over(queued, queued->call->returned);
    return;
  case WORK:
    expect(uv_queue_work(loop, &queued->request.work, do_nothing, on_work) == 0);
    break;
  case ADDRESS:
    expect(uv_getaddrinfo(loop, &queued->request.address, on_address, "127.0.0.1", NULL,
                          &hints) == 0);
    break;
  case NAME:
    expect(uv_getnameinfo(loop, &queued->request.name, on_name, (struct sockaddr*) &here,
                          NI_NUMERICHOST | NI_NUMERICSERV) == 0);
    break;
  default:
    expect(uv_random(loop, &queued->request.random, queued->bytes, sizeof(queued->bytes),
                     0, on_random) == 0);
  }
  queued->request.any.data = queued;
}

static void cancel_one(struct queued* queued) {
  if (queued->called == 0 && queued->times < 2)
    queued->cancelled[queued->times++] = uv_cancel(request_of(queued));
}

static void tell_one(struct chain* chain, struct queued* queued, int number) {
  static const char* const names[] = {"file", "work", "address", "name", "random"};
  expect(queued->called == 1);
  fprintf(chain->log, "queued %d %s status %s cancels %d %d %d\n", number,
          names[queued->kind], queued->status < 0 ? uv_err_name(queued->status) : "0",
          queued->times, queued->cancelled[0], queued->cancelled[1]);
  if (queued->kind == FILE_CALL) {
    print_call(queued->call);
    call_end(queued->call);
  }
}

void scene_cancel(struct chain* chain) {
  static struct queued queue[QUEUED];
  static uv_work_t blocks[POOL_MOST];
  int count = 1 + (int) pick(chain, QUEUED);
  expect(uv_sem_init(&pool_busy, 0) == 0 && uv_sem_init(&pool_free, 0) == 0);
  for (int i = 0; i < pool_size(); i++)
    expect(uv_queue_work(chain->loop, &blocks[i], block_thread, nothing_after) == 0);
  for (int i = 0; i < pool_size(); i++)
    uv_sem_wait(&pool_busy);
  /* Under way, or over: too late. */
  fprintf(chain->log, "cancel what runs: %d\n", uv_cancel((uv_req_t*) &blocks[0]));
  for (int i = 0; i < count; i++) {
    queue_one(chain, &queue[i], i);
    if (i > 0 && pick(chain, 4) == 0)
      cancel_one(&queue[1 + pick(chain, (unsigned int) i)]);
  }
  for (unsigned int n = pick(chain, 40); n > 0; n--)
    cancel_one(&queue[pick(chain, (unsigned int) count)]);
  if (pick(chain, 2) == 0)
    uv_run(chain->loop, UV_RUN_NOWAIT);
  for (int i = 0; i < pool_size(); i++)
    uv_sem_post(&pool_free);
  expect(uv_run(chain->loop, UV_RUN_DEFAULT) == 0);
  chain->count = count;
  for (int i = 0; i < count; i++)
    tell_one(chain, &queue[i], i);
  uv_sem_destroy(&pool_busy);
  uv_sem_destroy(&pool_free);
}

/* --- Events ----------------------------------------------------------------------- */

enum { WATCHERS = 5, LINES = 200 };

static char lines[LINES][160];
static int line_count;
static bool marked;
static struct {
  char who[64];
  const char* path;
} watched[WATCHERS]; /* or last watched */

static void on_event(uv_fs_event_t* handle, const char* name, int events, int status) {
  if (line_count == LINES)
    return;
  snprintf(lines[line_count++], sizeof(lines[0]), "  watcher %d '%s' events %d status %d",
           *(int*) handle->data, name == NULL ? "NULL" : name, events, status);
}

static void on_mark(uv_fs_event_t* handle, const char* name, int events, int status) {
  (void) handle;
  (void) name;
  (void) events;
  expect(status == 0);
  marked = true;
}

static int compare_lines(const void* a, const void* b) {
  return strcmp(a, b);
}

static void change_something(struct chain* chain) {
  static const char* const names[] = {"a", "b", "d/a", "d/x", "x", "d/e", "e", "e/y"};
  char path[64];
  char other[64];
  snprintf(path, sizeof(path), "c0/%s", names[pick(chain, 8)]);
  snprintf(other, sizeof(other), "c0/%s", names[pick(chain, 8)]);
  int done = -1;
  int what = (int) pick(chain, 8);
  int fd;
  switch (what) {
  case 0:
    done = rename(path, other);
    break;
  case 1:
    done = unlink(path);
    break;
  case 2:
    done = mkdir(path, 0755);
    break;
  case 3:
    done = rmdir(path);
    break;
  case 4:
    done = chmod(path, 0700);
    break;
  case 5:
    done = link(path, other);
    break;
  default:
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0) {
      done = (int) write(fd, "change", pick(chain, 7));
      close(fd);
    }
  }
  fprintf(chain->log, "change %d '%s' '%s' %d\n", what, path, other, done);
}

/* All events come in order through one queue, so those before the mark's have come when
 * the mark has. */
static void take_events(struct chain* chain) {
  int fd = open("c0/mark/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  expect(fd >= 0 && fchmod(fd, 0600) == 0);
  close(fd);
  for (marked = false; !marked;)
    uv_run(chain->loop, UV_RUN_ONCE);
  qsort(lines, (size_t) line_count, sizeof(lines[0]), compare_lines);
  for (int i = 0; i < line_count; i++)
    fprintf(chain->log, "%s\n", lines[i]);
  line_count = 0;
}

/* Who a file is, whatever its name: its number alone may be used again. */
static void identity(const char* path, char* text, size_t size) {
  struct statx about;
  if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &about) != 0)
    memset(&about, 0, sizeof(about));
  snprintf(text, size, "%llu %lld.%u", (unsigned long long) about.stx_ino,
           (long long) about.stx_btime.tv_sec, about.stx_btime.tv_nsec);
}

/* libuv tells a second watcher of a file what the first one called it. */
static bool has_another_name(const char* path, int number) {
  char who[64];
  identity(path, who, sizeof(who));
  for (int i = 0; i < WATCHERS; i++) {
    if (i != number && strcmp(watched[i].who, who) == 0 &&
        strcmp(watched[i].path, path) != 0)
      return true;
  }
  snprintf(watched[number].who, sizeof(watched[number].who), "%s", who);
  watched[number].path = path;
  return false;
}

static void change_watcher(struct chain* chain, uv_fs_event_t* watcher, int number) {
  static const char* const paths[] = {"c0",   "c0/d/", "c0/a",         "c0/e",
                                      "c0/x", "c0/b",  "c0/missing/x", "c0/a"};
  char path[64] = "";
  size_t size = sizeof(path);
  const char* asked = paths[pick(chain, 8)];
  int err = 0;
  if (pick(chain, 3) == 0)
    err = uv_fs_event_stop(watcher);
  else if (uv_is_active((uv_handle_t*) watcher) || !has_another_name(asked, number))
    err = uv_fs_event_start(watcher, on_event, asked, 0);
  int told = uv_fs_event_getpath(watcher, path, &size);
  /* Which path, libuv knows only of the first watcher of a file. */
  fprintf(chain->log, "watcher %d: %d active %d path %d\n", number, err,
          uv_is_active((uv_handle_t*) watcher), told);
}

void scene_events(struct chain* chain) {
  static uv_fs_event_t watchers[WATCHERS];
  static int numbers[WATCHERS];
  static uv_fs_event_t mark;
  expect(mkdir("c0/mark", 0755) == 0);
  expect(uv_fs_event_init(chain->loop, &mark) == 0);
  expect(uv_fs_event_start(&mark, on_mark, "c0/mark", 0) == 0);
  for (int i = 0; i < WATCHERS; i++) {
    expect(uv_fs_event_init(chain->loop, &watchers[i]) == 0);
    numbers[i] = i;
    watchers[i].data = &numbers[i];
    change_watcher(chain, &watchers[i], i);
  }
  for (int i = 0; i < 30; i++) {
    int number = (int) pick(chain, WATCHERS);
    if (pick(chain, 5) == 0)
      change_watcher(chain, &watchers[number], number);
    for (unsigned int n = pick(chain, 4); n > 0; n--)
      change_something(chain);
    take_events(chain);
  }
  for (int i = 0; i < WATCHERS; i++)
    uv_close((uv_handle_t*) &watchers[i], NULL);
  uv_close((uv_handle_t*) &mark, NULL);
}

/* --- Polling ---------------------------------------------------------------------- */

static int polled; /* changes told */

static void on_poll(uv_fs_poll_t* handle, int status, const uv_stat_t* before,
                    const uv_stat_t* now) {
  struct chain* chain = handle->data;
  fprintf(chain->log, "poll %s %llu %o -> %llu %o\n",
          status < 0 ? uv_err_name(status) : "0", (unsigned long long) before->st_size,
          (unsigned) before->st_mode, (unsigned long long) now->st_size,
          (unsigned) now->st_mode);
  polled++;
}

static void await_poll(struct chain* chain) {
  for (int before = polled; polled == before;)
    uv_run(chain->loop, UV_RUN_ONCE);
}

/* Starts with a file that isn't there: so it is known when it was first looked at. Every
 * change is one step, never seen by halves. */
void scene_poll(struct chain* chain) {
  static uv_fs_poll_t handle;
  char path[64];
  size_t size = pick(chain, 3) == 0 ? 3 : sizeof(path);
  expect(uv_fs_poll_init(chain->loop, &handle) == 0);
  handle.data = chain;
  int told = uv_fs_poll_getpath(&handle, path, &size);
  fprintf(chain->log, "path of none %d %zu\n", told, size);
  expect(uv_fs_poll_start(&handle, on_poll, "c0/new", 1) == 0);
  size = pick(chain, 3) == 0 ? 6 : sizeof(path);
  told = uv_fs_poll_getpath(&handle, path, &size);
  fprintf(chain->log, "path %d %zu\n", told, size);
  await_poll(chain);
  expect(rename("c0/d/b", "c0/new") == 0);
  await_poll(chain);
  for (int i = 0; i < 4; i++) {
    if (pick(chain, 2) == 0)
      expect(truncate("c0/new", 5000 + i) == 0);
    else
      expect(chmod("c0/new", 0600 | (mode_t) i) == 0);
    await_poll(chain);
  }
  expect(unlink("c0/new") == 0);
  await_poll(chain);
  fprintf(chain->log, "stop %d %d\n", uv_fs_poll_stop(&handle), uv_fs_poll_stop(&handle));
  uv_close((uv_handle_t*) &handle, NULL);
}
