/* Work of the pool in virtual time: file operations, name look-ups, the program's own.
 *
 * The pool that is simulated has as many threads as the real one, and its queue is first
 * come, first served: at most so many pieces are under way, and each takes as long as the
 * chooser says. Somewhere in that time, at the start, at the end or between, the work is
 * really done, by a real thread of the pool, while the loop waits; so what it does to
 * files happens in an order that was chosen too.
 *
 * Work that sleeps in virtual time, or is stuck in a call that may never return (the open
 * of a FIFO), is left to itself: the loop goes on, and the work ends when it does. */
#include "sim/sim_work.h"

#include "base/alloc.h"
#include "base/base.h"
#include "request/fs.h"
#include "request/pool.h"
#include "request/resolver.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- what it is called -------------------------------------------------------------- */

const char* sim_fs_name(uv_fs_type type) {
  static const char* const names[] = {
      [UV_FS_OPEN] = "open",           [UV_FS_CLOSE] = "close",
      [UV_FS_READ] = "read",           [UV_FS_WRITE] = "write",
      [UV_FS_SENDFILE] = "sendfile",   [UV_FS_STAT] = "stat",
      [UV_FS_LSTAT] = "lstat",         [UV_FS_FSTAT] = "fstat",
      [UV_FS_FTRUNCATE] = "ftruncate", [UV_FS_UTIME] = "utime",
      [UV_FS_FUTIME] = "futime",       [UV_FS_ACCESS] = "access",
      [UV_FS_CHMOD] = "chmod",         [UV_FS_FCHMOD] = "fchmod",
      [UV_FS_FSYNC] = "fsync",         [UV_FS_FDATASYNC] = "fdatasync",
      [UV_FS_UNLINK] = "unlink",       [UV_FS_RMDIR] = "rmdir",
      [UV_FS_MKDIR] = "mkdir",         [UV_FS_MKDTEMP] = "mkdtemp",
      [UV_FS_RENAME] = "rename",       [UV_FS_SCANDIR] = "scandir",
      [UV_FS_LINK] = "link",           [UV_FS_SYMLINK] = "symlink",
      [UV_FS_READLINK] = "readlink",   [UV_FS_CHOWN] = "chown",
      [UV_FS_FCHOWN] = "fchown",       [UV_FS_REALPATH] = "realpath",
      [UV_FS_COPYFILE] = "copyfile",   [UV_FS_LCHOWN] = "lchown",
      [UV_FS_OPENDIR] = "opendir",     [UV_FS_READDIR] = "readdir",
      [UV_FS_CLOSEDIR] = "closedir",   [UV_FS_STATFS] = "statfs",
      [UV_FS_MKSTEMP] = "mkstemp",     [UV_FS_LUTIME] = "lutime",
  };
  const char* name = NULL;
  if (type >= 0 && (size_t) type < ARRAY_LENGTH(names))
    name = names[type];
  return name == NULL ? "file" : name;
}

static const uv_fs_t* fs_of(const struct sim_work* work) {
  return rondo_container_of(work->w, uv_fs_t, work_req);
}

static void fs_words(const uv_fs_t* req, char* words, size_t size) {
  char link[40];
  char path[300];
  if (req->path != NULL) {
    snprintf(words, size, "%s '%s'", sim_fs_name(req->fs_type), req->path);
    return;
  }
  snprintf(link, sizeof(link), "/proc/self/fd/%d", req->file);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = '\0';
  if (path[0] == '/') /* not a pipe or socket, whose name is meaningless */
    snprintf(words, size, "%s of '%s'", sim_fs_name(req->fs_type), path);
  else
    snprintf(words, size, "%s of descriptor %d", sim_fs_name(req->fs_type), req->file);
}

static void work_name(const struct sim_work* work, char* words, size_t size) {
  if (work->work == fs_run_on_pool) {
    fs_words(fs_of(work), words, size);
  } else if (work->work == resolver_address_work) {
    const uv_getaddrinfo_t* req = rondo_container_of(work->w, uv_getaddrinfo_t, work_req);
    snprintf(words, size, "look-up of '%s'", req->hostname == NULL ? "" : req->hostname);
  } else {
    snprintf(words, size, "%s",
             work->is_lookup         ? "look-up of an address"
             : work->name[0] != '\0' ? work->name
                                     : "work of the pool");
  }
}

void sim_work_words(const struct sim_work* work, char* words, size_t size) {
  work_name(work, words, size);
  size_t used = strlen(words);
  if (work->origin[0] != '\0')
    snprintf(words + used, size - used, " (%s)", work->origin);
}

/* A name that is the same in each run: the last part of a path, unless it contains a
 * number, which may be a pid or a time. */
static uint64_t work_source(const struct sim_work* work) {
  if (work->work != fs_run_on_pool)
    return sim_hash(0, work->is_lookup ? "look-up" : "work");
  const uv_fs_t* req = fs_of(work);
  uint64_t hash = sim_hash(0, sim_fs_name(req->fs_type));
  if (req->path == NULL)
    return hash;
  const char* last = strrchr(req->path, '/');
  last = last == NULL ? req->path : last + 1;
  return strpbrk(last, "0123456789") != NULL ? hash : sim_hash(hash, last);
}

/* --- planning ----------------------------------------------------------------------- */

void sim_work_init(struct sim_state* sim) {
  queue_init(&sim->waiting);
  queue_init(&sim->planned);
  sim->slots = pool_size();
}

static struct sim_work* work_of(struct queue* link) {
  return rondo_container_of(link, struct sim_work, link);
}

/* Without memory for a plan, the work is done now. */
static void work_plan(uv_loop_t* loop, struct sim_work* work, uint64_t at,
                      enum sim_event_kind kind) {
  struct sim_event event = {.at = at, .kind = kind, .work = work};
  if (sim_heap_push(&sim_of(loop)->heap, event))
    return;
  if (kind == SIM_EVENT_EXECUTE)
    sim_work_execute(loop, work);
  else
    sim_work_complete(loop, work);
}

/* Whether the work changes files. Programs don't expect an answer that is outdated when
 * it arrives, nor a change that comes late; so these are chosen more often. */
bool sim_work_changes_files(const struct sim_work* work) {
  if (work->work != fs_run_on_pool)
    return false;
  switch (fs_of(work)->fs_type) {
  case UV_FS_STAT:
  case UV_FS_LSTAT:
  case UV_FS_FSTAT:
  case UV_FS_ACCESS:
  case UV_FS_READ:
  case UV_FS_SCANDIR:
  case UV_FS_OPENDIR:
  case UV_FS_READDIR:
  case UV_FS_READLINK:
  case UV_FS_REALPATH:
  case UV_FS_STATFS:
    return false;
  case UV_FS_OPEN:
    return (fs_of(work)->flags & (O_CREAT | O_TRUNC)) != 0;
  default:
    return true;
  }
}

/* When, within its duration, a piece of work is carried out. */
enum work_moment { DONE_AT_ONCE, DONE_BETWEEN, DONE_AT_THE_END };

static enum work_moment work_moment(const struct sim_work* work, uint64_t number) {
  uint64_t part = sim_mix(number) % 8;
  bool changes = sim_work_changes_files(work);
  if (part == 0)
    return DONE_BETWEEN;
  return (part <= 5) == changes ? DONE_AT_THE_END : DONE_AT_ONCE;
}

/* A slot is free: chooses when the work is carried out, and when it ends. In a systematic
 * search it may end at any time: each poll asks which of those in slots does. */
static void work_begin(uv_loop_t* loop, struct sim_work* work) {
  struct sim_state* sim = sim_of(loop);
  uint64_t now = world_now(sim->world);
  if (sim_is_systematic(sim)) {
    sim->in_slots++;
    queue_push_back(&sim->planned, &work->link);
    return;
  }
  uint64_t execute_at = now;
  uint64_t source = work_source(work);
  uint64_t number;
  struct sim_question question = {.kind = SIM_WORK,
                                  .loop = sim->number,
                                  .source = source,
                                  .nth = sim_nth(sim, source)};
  work->complete_at = now;
  uint64_t delay = 0;
  if (chooser_decides(sim->chooser, &question, &number))
    delay = sim_delay(loop, &question, number);
  if (delay != 0) {
    char name[400];
    char words[480];
    enum work_moment moment = work_moment(work, number);
    work->complete_at = now + delay;
    if (moment != DONE_AT_ONCE)
      execute_at = moment == DONE_BETWEEN ? now + delay / 2 : now + delay;
    sim_work_words(work, name, sizeof(name));
    snprintf(words, sizeof(words), "%s %s", name,
             moment == DONE_AT_ONCE   ? "is done at once, and reported late"
             : moment == DONE_BETWEEN ? "is done late, and reported later"
                                      : "is done late");
    chooser_log(sim->chooser, &question, delay, words);
  }
  if (sim->world->flags & WORLD_FAULTS) {
    char name[400];
    sim_work_words(work, name, sizeof(name));
    work->fault =
        sim_fault_of_work(loop, work->work == fs_run_on_pool ? fs_of(work) : NULL,
                          work->is_lookup, source, name);
  }
  sim->in_slots++;
  queue_push_back(&sim->planned, &work->link);
  work_plan(loop, work, execute_at, SIM_EVENT_EXECUTE);
}

static unsigned int lookups_in_slots(struct sim_state* sim) {
  unsigned int count = 0;
  for (struct queue* link = queue_first(&sim->planned); link != NULL;
       link = queue_next(&sim->planned, link))
    count += work_of(link)->is_lookup;
  return count;
}

/* The oldest work that may begin: look-ups get at most half of the slots (contract A3).
 */
static struct sim_work* work_next(struct sim_state* sim) {
  unsigned int lookups = 0;
  bool counted = false;
  for (struct queue* link = queue_first(&sim->waiting); link != NULL;
       link = queue_next(&sim->waiting, link)) {
    struct sim_work* work = work_of(link);
    if (!work->is_lookup)
      return work;
    if (!counted)
      lookups = lookups_in_slots(sim);
    counted = true;
    if (lookups < (sim->slots + 1) / 2)
      return work;
  }
  return NULL;
}

void sim_work_fill_slots(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  struct sim_work* work;
  while (sim->in_slots < sim->slots && (work = work_next(sim)) != NULL) {
    queue_remove(&work->link);
    work_begin(loop, work);
  }
}

int sim_work_submit(uv_loop_t* loop, struct uv__work* w, void (*run)(struct uv__work*),
                    void (*done)(struct uv__work*, int)) {
  struct sim_state* sim = sim_of(loop);
  size_t origin_size = strlen(sim->origin) + 1;
  struct sim_work* work = mem_calloc(1, sizeof(*work) + origin_size);
  if (work == NULL)
    return UV_ENOMEM;
  memcpy(work->origin, sim->origin, origin_size);
  memcpy(work->name, sim->work, sizeof(work->name));
  sim->origin[0] = sim->work[0] = '\0';
  w->loop = loop;
  w->work = run;
  w->done = done;
  work->w = w;
  work->work = run;
  work->done = done;
  work->world = sim->world;
  work->is_lookup = run == resolver_address_work || run == resolver_name_work;
  work->mark = (struct sim_mark){.arrival = ++sim->arrivals, .turn = loop->turns};
  queue_push_back(&sim->waiting, &work->link);
  loop->work_active++;
  loop_notify_outer(loop);
  return 0;
}

/* --- doing it ----------------------------------------------------------------------- */

static long futex(uint32_t* word, int operation, uint32_t value, uint64_t ns) {
  struct timespec time = {.tv_nsec = (long) ns};
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value,
                 ns == 0 ? NULL : &time, NULL, 0);
}

/* How long, in real time, the clock stands still for work that waits for something
 * outside the world. */
static uint64_t work_patience(const struct sim_work* work) {
  return work->is_lookup ? 15 * WORLD_SECOND : WORLD_SECOND / 2;
}

static void work_fail(const struct sim_work* work) {
  if (work->work == fs_run_on_pool)
    rondo_container_of(work->w, uv_fs_t, work_req)->result = work->fault;
  else if (work->work == resolver_address_work)
    rondo_container_of(work->w, uv_getaddrinfo_t, work_req)->retcode = work->fault;
  else
    rondo_container_of(work->w, uv_getnameinfo_t, work_req)->retcode = work->fault;
}

static void sim_work_run(struct uv__work* own) {
  struct sim_work* work = rondo_container_of(own, struct sim_work, own);
  struct world* world = work->world;
  uv_loop_t* loop = work->w->loop;
  __atomic_store_n(&work->tid, (int) syscall(SYS_gettid), __ATOMIC_RELEASE);
  if (work->fault != 0) {
    work_fail(work);
  } else {
    world_work(world, work_patience(work));
    work->work(work->w);
    world_work(world, 0);
  }
  uint32_t* state = &work->state;
  if (__atomic_exchange_n(state, WORK_RAN, __ATOMIC_SEQ_CST) != WORK_LEFT_ALONE) {
    futex(state, FUTEX_WAKE, 1, 0); /* a wake-up without a waiter is harmless */
    return;
  }
  loop_wake(loop, WAKE_WORK);
  __atomic_store_n(state, WORK_RAN_ALONE, __ATOMIC_SEQ_CST);
}

/* Whether the thread sleeps in a system call that isn't one of the world's waits. */
static bool thread_sleeps(int tid) {
  char path[48];
  char text[256];
  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
  if (system_read_file(path, text, sizeof(text)) < 0)
    return false;
  const char* after = strrchr(text, ')');
  return after != NULL && after[1] == ' ' && after[2] == 'S';
}

/* True when the work is done; false if it continues alone. */
static bool work_wait(struct sim_work* work) {
  const uint64_t step = 500 * 1000;
  const unsigned int stuck = 60;
  unsigned int sleeps = 0;
  while (__atomic_load_n(&work->state, __ATOMIC_SEQ_CST) == WORK_RUNS) {
    if (futex(&work->state, FUTEX_WAIT, WORK_RUNS, step) == 0 || errno != ETIMEDOUT)
      continue;
    int tid = __atomic_load_n(&work->tid, __ATOMIC_ACQUIRE);
    if (tid == 0)
      continue;
    sleeps = thread_sleeps(tid) ? sleeps + 1 : 0;
    if (sleeps == 0 || (sleeps < stuck && !world_thread_waits(work->world, tid)))
      continue;
    uint32_t runs = WORK_RUNS;
    if (__atomic_compare_exchange_n(&work->state, &runs, WORK_LEFT_ALONE, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      if (sleeps == stuck)
        world_say(work->world, "work of the pool waits for something outside");
      return false;
    }
  }
  return true;
}

static void work_free(struct sim_work* work) {
  queue_remove(&work->link);
  mem_free(work);
}

/* The work was carried out; it is called back now or at the end of its duration. */
static void work_ran(uv_loop_t* loop, struct sim_work* work) {
  if (work->is_kept_back)
    return; /* a later poll reports it */
  if (work->complete_at <= world_now(work->world))
    sim_work_complete(loop, work);
  else
    work_plan(loop, work, work->complete_at, SIM_EVENT_COMPLETE);
}

void sim_work_execute(uv_loop_t* loop, struct sim_work* work) {
  if (work->state == WORK_CANCELLED) {
    work_free(work);
    return;
  }
  work->state = WORK_RUNS;
  work->w->work = NULL; /* nothing to cancel any more */
  work->own.loop = loop;
  work->own.work = sim_work_run;
  work->own.done = NULL; /* found by its state instead */
  if (pool_hand_over(&work->own) != 0)
    sim_work_run(&work->own); /* the pool has no thread: run it here */
  if (work_wait(work)) {
    work_ran(loop, work);
    return;
  }
  work->left_alone = true;
  sim_of(loop)->left_alone++;
}

/* Work that was left alone and has ended since. */
void sim_work_collect(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  struct queue* next;
  for (struct queue* link = queue_first(&sim->planned); link != NULL; link = next) {
    struct sim_work* work = work_of(link);
    next = queue_next(&sim->planned, link);
    uint32_t state = __atomic_load_n(&work->state, __ATOMIC_SEQ_CST);
    if (!work->left_alone || state == WORK_LEFT_ALONE)
      continue;
    while (__atomic_load_n(&work->state, __ATOMIC_SEQ_CST) != WORK_RAN_ALONE)
      sched_yield();
    work->left_alone = false;
    sim->left_alone--;
    work_ran(loop, work);
  }
}

void sim_work_complete(uv_loop_t* loop, struct sim_work* work) {
  struct sim_state* sim = sim_of(loop);
  struct uv__work* w = work->w;
  struct sim_computing* computing = sim_compute_begins(loop, "the answer");
  if (computing != NULL) {
    char name[320];
    sim_work_words(work, name, sizeof(name));
    snprintf(computing->name, sizeof(computing->name), "the callback of %s", name);
  }
  w->done = work->done;
  loop->work_active--;
  sim->in_slots--;
  work_free(work);
  loop_complete(loop, w, 0);
  sim_work_fill_slots(loop);
}

/* --- in a systematic search ----------------------------------------------------------
 */

size_t sim_work_list(const struct sim_state* sim, struct sim_work** list, size_t most) {
  const struct queue* planned = &sim->planned;
  size_t count = 0;
  for (struct queue* link = queue_first((struct queue*) (uintptr_t) planned);
       link != NULL && count < most; link = queue_next(planned, link)) {
    struct sim_work* work = work_of(link);
    if (work->state == WORK_PLANNED || work->is_kept_back)
      list[count++] = work;
  }
  return count;
}

void sim_work_serve(uv_loop_t* loop, struct sim_work* work) {
  bool is_done = work->is_kept_back && !work->left_alone;
  work->is_kept_back = false;
  if (is_done)
    work_ran(loop, work);
  else if (work->state == WORK_PLANNED)
    sim_work_execute(loop, work);
}

void sim_work_keep_back(uv_loop_t* loop, struct sim_work* work) {
  work->is_kept_back = true;
  sim_work_execute(loop, work);
}

/* The path, also of a descriptor; "" if there is none. */
static void work_path(const struct sim_work* work, char* path, size_t size) {
  const uv_fs_t* req = fs_of(work);
  char link[40];
  if (req->path != NULL) {
    snprintf(path, size, "%s", req->path);
    return;
  }
  snprintf(link, sizeof(link), "/proc/self/fd/%d", req->file);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = '\0';
}

static bool path_is_within(const char* path, const char* folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 &&
         (path[length] == '\0' || path[length] == '/');
}

bool sim_work_meets(const struct sim_work* one, const struct sim_work* other) {
  char a[512], b[512];
  if (one->work != fs_run_on_pool || other->work != fs_run_on_pool ||
      fs_of(one)->fs_type == UV_FS_CLOSE || fs_of(other)->fs_type == UV_FS_CLOSE)
    return false;
  if (!sim_work_changes_files(one) && !sim_work_changes_files(other))
    return false;
  work_path(one, a, sizeof(a));
  work_path(other, b, sizeof(b));
  bool is_one_kind = (a[0] == '/') == (b[0] == '/');
  return !is_one_kind || path_is_within(a, b) || path_is_within(b, a);
}

/* --- taking it back ----------------------------------------------------------------- */

static struct sim_work* work_find(struct queue* queue, const struct uv__work* w) {
  for (struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link)) {
    if (work_of(link)->w == w)
      return work_of(link);
  }
  return NULL;
}

int sim_work_cancel(struct uv__work* w) {
  uv_loop_t* loop = w->loop;
  struct sim_state* sim = sim_of(loop);
  struct sim_work* work = work_find(&sim->waiting, w);
  bool waits = work != NULL;
  if (!waits)
    work = work_find(&sim->planned, w);
  if (work == NULL || work->state != WORK_PLANNED)
    return (intptr_t) w->work == UV_ECANCELED ? 0 : UV_EBUSY;
  loop->work_active--;
  loop_complete(loop, w, UV_ECANCELED);
  if (waits) {
    work_free(work);
    return 0;
  }
  sim->in_slots--;
  if (sim_is_systematic(sim)) {
    work_free(work);
  } else {
    work->state = WORK_CANCELLED; /* freed when its time comes */
    work->w = NULL;
  }
  sim_work_fill_slots(loop);
  return 0;
}

/* --- the end ------------------------------------------------------------------------ */

static void works_forget(struct queue* queue) {
  while (!queue_empty(queue))
    work_free(work_of(queue_first(queue)));
}

/* Only cancelled work can be left: a loop with requests can't be closed. */
void sim_work_close(uv_loop_t* loop) {
  works_forget(&sim_of(loop)->waiting);
  works_forget(&sim_of(loop)->planned);
}

/* Work of the parent stays the parent's. */
void sim_work_fork(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  sim_work_close(loop);
  sim->heap.count = 0;
  sim->in_slots = 0;
  sim->left_alone = 0;
}
