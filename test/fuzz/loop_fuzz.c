/* usage: loop_fuzz [--wild] SEED
 *
 * Does random things to a loop, from the top level and from inside callbacks: timers,
 * idle, prepare, check, async and poll handles, pipes; starting, stopping, closing and
 * unreferencing them and their neighbours; in all three modes. The seed decides all of
 * it, and time is virtual (virtual_time.h), so a seed always does the same.
 *
 * It uses nothing newer than libuv 1.44 and prints every callback in order, so that two
 * libraries can be compared by their output (test/fuzz/run). What no manual promises is
 * kept out of it:
 * - The order of callbacks inside one poll phase: they are sorted, and do nothing but
 *   take in what came. What they would do is done elsewhere.
 * - A timer of 0 ms started by a timer: libuv 1.44 runs it in the same phase, newer
 *   versions and Rondo in the next turn. There they are at least 1 ms.
 * - Whether timers run a second time in UV_RUN_ONCE: a NOWAIT run follows at once.
 * - How many read callbacks bring the bytes: only their number is printed.
 * - Callbacks of writes that finish at once in the idle, prepare or pending phase: libuv
 *   looks at pending a second time after the poll, Rondo's order of phases never changes.
 *   Such writes are made in the other phases only.
 * - What uv_backend_timeout says before a turn has handed new interest to the kernel:
 *   libuv asks for that turn with 0, Rondo hands it over and says the time.
 *
 * With --wild none of that is kept out, callbacks of the poll phase do everything too,
 * time passes anywhere, and phases have limits where the library knows them. Nothing is
 * printed then: what can be checked without a second library is checked, as always. */
#include "loop_fuzz.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "virtual_time.h"

const int kind_counts[KINDS] = {120, 4, 4, 4, 6, 6, 4};
static const char kind_letters[] = "tipcaPS";

uv_loop_t loop;
struct object objects[OBJECTS];
struct writing writings[WRITES_MAX];
char bytes[65536];
static uv_timer_t guard; /* keeps the loop alive and stops it after some time */
static uv_check_t actor; /* ends the poll phase, lets time pass in busy turns */
bool wild;
static bool verbose;
static bool in_poll; /* the last callback was one of the poll phase */
enum phase phase;
bool finishing;
static int guard_left;
static int turns_left;
static uint64_t seed;
int (*set_limit)(uv_loop_t* loop, int phase, unsigned int n);

void expect_at(bool condition, const char* text, const char* file, int line) {
  if (condition)
    return;
  fflush(stdout);
  fprintf(stderr, "%s:%d: expected %s\n", file, line, text);
  abort();
}

unsigned int pick(unsigned int count) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned int) ((seed * 0x2545f4914f6cdd1d) >> 33) % count;
}

uint64_t virtual_next_due(void) {
  uint64_t first = uv_is_active((uv_handle_t*) &guard)
                       ? uv_now(&loop) + uv_timer_get_due_in(&guard)
                       : UINT64_MAX;
  for (int i = 0; i < OBJECTS; i++) {
    const struct object* object = &objects[i];
    if (object->kind == TIMER && object->life == OPEN && object->active &&
        object->due < first)
      first = object->due;
  }
  return first;
}

/* --- the log ---------------------------------------------------------------------- */

static char poll_lines[256][32];
static int poll_count;

static void say(const char* text) {
  if (verbose)
    puts(text);
}

static int compare_lines(const void* a, const void* b) {
  return strcmp(a, b);
}

/* What the poll phase brought, in an order that doesn't depend on the kernel's. */
static void end_poll_phase(void) {
  if (!in_poll)
    return;
  in_poll = false;
  for (int i = 0; i < OBJECTS; i++) {
    if (objects[i].taken > 0 && poll_count < 256)
      snprintf(poll_lines[poll_count++], 32, "read S%d %zu", objects[i].number,
               objects[i].taken);
    objects[i].taken = 0;
  }
  qsort(poll_lines, (size_t) poll_count, sizeof(poll_lines[0]), compare_lines);
  for (int i = 0; i < poll_count; i++)
    say(poll_lines[i]);
  poll_count = 0;
}

void log_here(const char* what, const struct object* object, long value) {
  char line[64];
  end_poll_phase();
  snprintf(line, sizeof(line), "%s %c%d %ld @%llu", what, kind_letters[object->kind],
           object->number, value, (unsigned long long) (uv_now(&loop) - 1000000));
  say(line);
}

static void log_in_poll(const char* what, const struct object* object, long value) {
  in_poll = true;
  if (poll_count < 256)
    snprintf(poll_lines[poll_count++], 32, "%s %c%d %ld", what,
             kind_letters[object->kind], object->number, value);
}

/* --- callbacks --------------------------------------------------------------------- */

/* Every callback comes through here first. */
static struct object* entered(void* handle, enum kind kind) {
  struct object* object = ((uv_handle_t*) handle)->data;
  virtual_activity();
  expect(handle == (void*) &object->uv && object->kind == kind);
  expect(object->life == OPEN && object->active);
  return object;
}

static void act_sometimes(enum phase in_phase) {
  phase = in_phase;
  for (unsigned int n = pick(4); n > 0; n--)
    act();
  phase = TOP;
}

void on_timer(uv_timer_t* handle) {
  struct object* object = entered(handle, TIMER);
  expect(uv_now(&loop) >= object->due);
  object->active = object->repeat != 0;
  object->due = uv_now(&loop) + object->repeat;
  expect(uv_is_active(&object->uv.handle) == object->active);
  log_here("fire", object, (long) object->repeat);
  act_sometimes(TIMERS);
}

void on_idle(uv_idle_t* handle) {
  log_here("idle", entered(handle, IDLE), 0);
  act_sometimes(TURN);
}

void on_prepare(uv_prepare_t* handle) {
  log_here("prepare", entered(handle, PREPARE), 0);
  act_sometimes(TURN);
}

void on_check(uv_check_t* handle) {
  log_here("check", entered(handle, CHECK), 0);
  act_sometimes(CHECKS);
}

void on_async(uv_async_t* handle) {
  struct object* object = entered(handle, ASYNC);
  expect(object->sent);
  object->sent = false;
  log_in_poll("async", object, 0);
  if (wild)
    act_sometimes(POLLS);
}

void on_poll(uv_poll_t* handle, int status, int events) {
  struct object* object = entered(handle, POLL);
  expect(status == 0 && events != 0 && (events & ~object->events) == 0);
  log_in_poll("poll", object, events);
  if (wild)
    act_sometimes(POLLS);
  if (object->life == OPEN && (events & UV_READABLE))
    expect(read(object->own, bytes, sizeof(bytes)) != 0 || errno != EBADF);
}

void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buffer) {
  (void) size;
  entered(handle, PIPE);
  *buffer = uv_buf_init(bytes, sizeof(bytes));
}

void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
  (void) buffer;
  struct object* object = entered(stream, PIPE);
  in_poll = true;
  if (count > 0)
    object->taken += (size_t) count;
  else
    expect(count == 0);
  if (wild)
    act_sometimes(POLLS);
}

void on_written(uv_write_t* request, int status) {
  struct writing* writing = request->data;
  virtual_activity();
  expect(writing->used && (status == 0 || status == UV_ECANCELED));
  expect(status == 0 || writing->object->life == CLOSING);
  writing->used = false;
  log_here(status == 0 ? "written" : "cancelled", writing->object, writing->serial);
  act_sometimes(PENDING);
}

void on_close(uv_handle_t* handle) {
  struct object* object = handle->data;
  virtual_activity();
  expect(object->life == CLOSING && !uv_is_active(handle));
  object->life = NONE;
  if (object->kind == POLL)
    close(object->own);
  if (object->kind == POLL || object->kind == PIPE)
    close(object->peer);
  memset(&object->uv, 0xa5, sizeof(object->uv));
  log_here("closed", object, 0);
  act_sometimes(CLOSES);
}

void on_walk(uv_handle_t* handle, void* argument) {
  int* count = argument;
  ++*count;
  if (handle == (uv_handle_t*) &guard || handle == (uv_handle_t*) &actor)
    return;
  struct object* object = handle->data;
  expect(object->life != NONE);
  log_here("walk", object, uv_is_active(handle) * 2 + uv_has_ref(handle));
}

static void on_guard(uv_timer_t* handle) {
  virtual_activity();
  end_poll_phase();
  if (--guard_left <= 0)
    uv_stop(handle->loop);
}

static bool is_busy(void) {
  for (int i = 0; i < OBJECTS; i++) {
    if (objects[i].kind == IDLE && objects[i].life == OPEN && objects[i].active)
      return true;
  }
  return false;
}

static void on_actor(uv_check_t* handle) {
  virtual_activity();
  end_poll_phase();
  /* In the check phase, where the next thing that happens is a look at the clock. */
  if (wild || is_busy())
    virtual_advance(1 + pick(2));
  if (--turns_left <= 0)
    uv_stop(handle->loop);
}

/* --- the run ----------------------------------------------------------------------- */

static void run(void) {
  static const char* const names[] = {"default", "once", "nowait"};
  int mode = (int) pick(3);
  guard_left = 1 + (int) pick(6);
  turns_left = 60;
  say(names[mode]);
  virtual_activity();
  if (pick(3) == 0)
    virtual_advance(pick(40));
  expect(uv_run(&loop, (uv_run_mode) mode) != 0);
  if (mode == UV_RUN_ONCE && !wild)
    expect(uv_run(&loop, UV_RUN_NOWAIT) != 0);
  end_poll_phase();
}

static void close_any(uv_handle_t* handle, void* argument) {
  (void) argument;
  struct object* object = handle->data;
  if (handle == (uv_handle_t*) &guard || handle == (uv_handle_t*) &actor)
    uv_close(handle, NULL);
  else if (object->life == OPEN)
    close_object(object);
}

/* Whatever was sent must come now; then all is closed. */
static void finish(void) {
  finishing = true;
  for (int i = 0; set_limit != NULL && i < 7; i++)
    set_limit(&loop, i, 0);
  guard_left = turns_left = 1000;
  for (int i = 0; i < 3; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  for (int i = 0; i < OBJECTS; i++)
    expect(objects[i].kind != ASYNC || objects[i].life != OPEN || !objects[i].sent);
  uv_walk(&loop, close_any, NULL);
  expect(uv_loop_close(&loop) == UV_EBUSY);
  expect(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  end_poll_phase();
  expect(uv_loop_close(&loop) == 0);
  for (int i = 0; i < OBJECTS; i++)
    expect(objects[i].life == NONE);
  for (int i = 0; i < WRITES_MAX; i++)
    expect(!writings[i].used);
}

int main(int argc, char** argv) {
  wild = argc == 3 && strcmp(argv[1], "--wild") == 0;
  if (argc != 2 + wild) {
    fprintf(stderr, "usage: loop_fuzz [--wild] SEED\n");
    return 2;
  }
  verbose = !wild;
  seed = strtoull(argv[argc - 1], NULL, 10) * 0x9e3779b97f4a7c15 + 1;
  alarm(30);
  if (wild) {
    void* symbol = dlsym(RTLD_DEFAULT, "rondo_loop_limit");
    memcpy(&set_limit, &symbol, sizeof(symbol));
  }
  int next = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    for (int i = 0; i < kind_counts[kind]; i++)
      objects[next++] = (struct object){.kind = (enum kind) kind, .number = i};
  }
  expect(next == OBJECTS);

  expect(uv_loop_init(&loop) == 0);
  uv_timer_init(&loop, &guard);
  uv_timer_start(&guard, on_guard, 5, 5);
  uv_check_init(&loop, &actor);
  uv_check_start(&actor, on_actor);
  uv_unref((uv_handle_t*) &actor);
  for (int round = 0; round < 12; round++) {
    for (unsigned int n = pick(30); n > 0; n--)
      act();
    run();
  }
  finish();
  return 0;
}
