/* What the program does: opens handles, starts, stops, changes and closes them, and turns
 * to the loop itself. Which and how is the seed's choice. */
#include "loop_fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "virtual_time.h"

static int serials; /* of writes */

static void open_pair(struct object* object) {
  int pair[2];
  expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
  object->own = pair[0];
  object->peer = pair[1];
}

static void open_object(struct object* object) {
  object->life = OPEN;
  object->active = object->kind == ASYNC;
  object->sent = false;
  object->repeat = 0;
  object->taken = 0;
  object->events = 0;
  switch (object->kind) {
  case TIMER:
    expect(uv_timer_init(&loop, &object->uv.timer) == 0);
    expect(uv_timer_again(&object->uv.timer) == UV_EINVAL);
    break;
  case IDLE:
    expect(uv_idle_init(&loop, &object->uv.idle) == 0);
    break;
  case PREPARE:
    expect(uv_prepare_init(&loop, &object->uv.prepare) == 0);
    break;
  case CHECK:
    expect(uv_check_init(&loop, &object->uv.check) == 0);
    break;
  case ASYNC:
    expect(uv_async_init(&loop, &object->uv.async, on_async) == 0);
    break;
  case POLL:
    open_pair(object);
    expect(uv_poll_init(&loop, &object->uv.poll, object->own) == 0);
    break;
  default:
    open_pair(object);
    expect(uv_pipe_init(&loop, &object->uv.pipe, 0) == 0);
    expect(uv_pipe_open(&object->uv.pipe, object->own) == 0);
  }
  object->uv.handle.data = object;
}

static void start_timer(struct object* object) {
  uint64_t timeout = pick(20) + (phase == TIMERS && !wild ? 1 : 0);
  object->repeat = pick(3) == 0 ? 1 + pick(10) : 0;
  object->due = uv_now(&loop) + timeout;
  expect(uv_timer_start(&object->uv.timer, on_timer, timeout, object->repeat) == 0);
  object->active = true;
}

static void change_timer(struct object* object) {
  uv_timer_t* timer = &object->uv.timer;
  switch (pick(5)) {
  case 0:
    expect(uv_timer_stop(timer) == 0);
    object->active = false;
    break;
  case 1: {
    bool started = object->due != 0;
    int err = uv_timer_again(timer);
    expect(err == (started ? 0 : UV_EINVAL));
    if (started && object->repeat != 0) {
      object->active = true;
      object->due = uv_now(&loop) + object->repeat;
    }
    break;
  }
  case 2:
    object->repeat = pick(10);
    uv_timer_set_repeat(timer, object->repeat);
    expect(uv_timer_get_repeat(timer) == object->repeat);
    break;
  case 3:
    if (object->active)
      log_here("due", object, (long) uv_timer_get_due_in(timer));
    break;
  default:
    start_timer(object);
  }
}

static void change_turn_handle(struct object* object) {
  bool start = pick(object->kind == IDLE ? 4 : 2) == 0;
  int err;
  if (object->kind == IDLE)
    err =
        start ? uv_idle_start(&object->uv.idle, on_idle) : uv_idle_stop(&object->uv.idle);
  else if (object->kind == PREPARE)
    err = start ? uv_prepare_start(&object->uv.prepare, on_prepare)
                : uv_prepare_stop(&object->uv.prepare);
  else
    err = start ? uv_check_start(&object->uv.check, on_check)
                : uv_check_stop(&object->uv.check);
  expect(err == 0);
  object->active = start;
}

static void change_poll(struct object* object) {
  static const int choices[] = {UV_READABLE, UV_WRITABLE, UV_READABLE | UV_WRITABLE,
                                UV_READABLE | UV_DISCONNECT};
  switch (pick(4)) {
  case 0:
    expect(uv_poll_stop(&object->uv.poll) == 0);
    object->active = false;
    break;
  case 1:
    object->events = choices[pick(4)];
    expect(uv_poll_start(&object->uv.poll, object->events, on_poll) == 0);
    object->active = true;
    break;
  default:
    expect(write(object->peer, bytes, 1 + pick(50)) > 0 || errno == EAGAIN);
  }
}

static void write_to_pipe(struct object* object) {
  int free = 0;
  if (!wild && (phase == TURN || phase == PENDING))
    return;
  while (!wild && read(object->peer, bytes, sizeof(bytes)) > 0)
    continue; /* so that there is room, and the write finishes at once */
  while (free < WRITES_MAX && writings[free].used)
    free++;
  if (free == WRITES_MAX)
    return;
  struct writing* writing = &writings[free];
  *writing = (struct writing){.object = object, .used = true, .serial = serials++};
  writing->request.data = writing;
  uv_buf_t buffer = uv_buf_init(bytes, 1 + pick(CHUNK_MAX));
  expect(uv_write(&writing->request, (uv_stream_t*) &object->uv.pipe, &buffer, 1,
                  on_written) == 0);
}

static void change_pipe(struct object* object) {
  uv_stream_t* stream = (uv_stream_t*) &object->uv.pipe;
  switch (pick(5)) {
  case 0:
    uv_read_stop(stream);
    object->active = false;
    break;
  case 1:
    if (!object->active)
      expect(uv_read_start(stream, on_alloc, on_read) == 0);
    object->active = true;
    break;
  case 2:
    expect(write(object->peer, bytes, 1 + pick(CHUNK_MAX)) > 0 || errno == EAGAIN);
    break;
  case 3: /* what was written so far is taken away by the other side */
    expect(read(object->peer, bytes, sizeof(bytes)) != 0);
    break;
  default:
    write_to_pipe(object);
  }
}

void close_object(struct object* object) {
  object->life = CLOSING;
  object->due = 0;
  uv_close(&object->uv.handle, on_close);
  expect(uv_is_closing(&object->uv.handle));
  if (object->kind != PIPE)
    expect(!uv_is_active(&object->uv.handle));
}

static void change_object(struct object* object) {
  switch (object->kind) {
  case TIMER:
    change_timer(object);
    break;
  case ASYNC:
    object->sent = true;
    expect(uv_async_send(&object->uv.async) == 0);
    break;
  case POLL:
    change_poll(object);
    break;
  case PIPE:
    change_pipe(object);
    break;
  default:
    change_turn_handle(object);
  }
}

static void start_all_timers(void) {
  for (int i = 0; i < kind_counts[TIMER]; i++) {
    if (objects[i].life == NONE)
      open_object(&objects[i]);
    if (objects[i].life == OPEN)
      start_timer(&objects[i]);
  }
}

static void act_on_loop(void) {
  int count = 0;
  switch (pick(wild ? 9 : 5)) {
  case 0:
    uv_walk(&loop, on_walk, &count);
    expect(count >= 2);
    break;
  case 1:
    if (pick(8) == 0)
      uv_stop(&loop);
    break;
  case 2:
    expect(uv_loop_alive(&loop));
    break;
  case 3: /* enough of them to be taken in bulk when time leaps */
    if (pick(4) == 0)
      start_all_timers();
    break;
  case 4:
    expect(uv_backend_timeout(&loop) >= 0); /* there is always the guard */
    break;
  case 5:
    virtual_advance(pick(5));
    break;
  case 6:
    uv_update_time(&loop);
    break;
  default:
    if (set_limit != NULL)
      set_limit(&loop, (int) pick(7), pick(3) == 0 ? 1 + pick(3) : 0);
  }
}

/* Every kind as often as the others. */
static struct object* any_object(void) {
  unsigned int kind = pick(KINDS + 2);
  if (kind >= KINDS)
    kind = TIMER;
  int first = 0;
  for (unsigned int i = 0; i < kind; i++)
    first += kind_counts[i];
  return &objects[first + (int) pick((unsigned int) kind_counts[kind])];
}

void act(void) {
  if (finishing)
    return;
  if (pick(25) == 0) {
    act_on_loop();
    return;
  }
  struct object* object = any_object();
  if (object->life == CLOSING)
    return;
  if (object->life == NONE)
    open_object(object);
  unsigned int choice = pick(20);
  if (choice == 0)
    close_object(object);
  else if (choice == 1)
    uv_unref(&object->uv.handle);
  else if (choice == 2)
    uv_ref(&object->uv.handle);
  else
    change_object(object);
}
