/* The other actors: datagrams that come back, children that copy, work for the pool,
 * asyncs from another thread, signals. */
#include "soak.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- datagrams ------------------------------------------------------------------- */

/* A batch of datagrams to oneself; the next batch is sent when all have come. Batches are
 * smaller than any receive buffer, so that the loopback has no reason to drop one. */
enum { DATAGRAMS = 16, DATAGRAM = 1000 };

struct udp {
  struct world* world;
  uv_udp_t handle;
  struct sockaddr_in address;
  uv_udp_send_t sends[DATAGRAMS];
  char bytes[DATAGRAMS][DATAGRAM];
  char room[65536];
  uint64_t stream;
  int sent;
  int received;
};

static void udp_sent(uv_udp_send_t* req, int status) {
  struct udp* udp = req->handle->data;
  if (status != 0)
    soak_fail("udp: %s", uv_strerror(status));
  udp->sent++;
}

static void udp_send_batch(struct udp* udp) {
  udp->stream = soak_random(udp->world);
  udp->sent = udp->received = 0;
  for (int i = 0; i < DATAGRAMS; i++) {
    uv_buf_t buf = uv_buf_init(udp->bytes[i], DATAGRAM);
    bytes_fill(udp->bytes[i], DATAGRAM, udp->stream, (uint64_t) i * DATAGRAM);
    soak_check(uv_udp_send(&udp->sends[i], &udp->handle, &buf, 1,
                           (const struct sockaddr*) &udp->address, udp_sent),
               "uv_udp_send");
  }
  atomic_fetch_add(&bytes_written, DATAGRAMS * DATAGRAM);
}

static void udp_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct udp* udp = handle->data;
  (void) suggested;
  *buf = uv_buf_init(udp->room, sizeof(udp->room));
}

static void udp_received(uv_udp_t* handle, ssize_t n, const uv_buf_t* buf,
                         const struct sockaddr* from, unsigned int flags) {
  struct udp* udp = handle->data;
  (void) flags;
  if (from == NULL && n == 0)
    return;
  if (n != DATAGRAM)
    soak_fail("udp: a datagram of %zd", n);
  bytes_check(buf->base, DATAGRAM, udp->stream, (uint64_t) udp->received * DATAGRAM,
              "udp");
  if (++udp->received == DATAGRAMS)
    round_done(udp->world, ACTOR_UDP);
}

void udp_tick(struct world* world) {
  struct udp* udp = world->actors[ACTOR_UDP];
  if (udp->received == DATAGRAMS && udp->sent == DATAGRAMS)
    udp_send_batch(udp);
}

void udp_begin(struct world* world) {
  struct udp* udp = calloc(1, sizeof(*udp));
  int length = sizeof(udp->address);
  world->actors[ACTOR_UDP] = udp;
  udp->world = world;
  soak_check(uv_udp_init(&world->loop, &udp->handle), "uv_udp_init");
  udp->handle.data = udp;
  uv_ip4_addr("127.0.0.1", 0, &udp->address);
  soak_check(uv_udp_bind(&udp->handle, (const struct sockaddr*) &udp->address, 0),
             "uv_udp_bind");
  soak_check(uv_udp_getsockname(&udp->handle, (struct sockaddr*) &udp->address, &length),
             "uv_udp_getsockname");
  soak_check(uv_udp_recv_start(&udp->handle, udp_room, udp_received),
             "uv_udp_recv_start");
  udp_send_batch(udp);
}

bool udp_end(struct world* world) {
  struct udp* udp = world->actors[ACTOR_UDP];
  if (udp->received < DATAGRAMS || udp->sent < DATAGRAMS)
    return false;
  uv_close((uv_handle_t*) &udp->handle, NULL);
  return true;
}

/* --- children -------------------------------------------------------------------- */

/* `cat` gives back what it gets. The story is over when the child has ended and its
 * output with it. */
enum { CHILD_BYTES = 20000 };

struct children {
  struct world* world;
  uv_process_t process;
  uv_pipe_t in;
  uv_pipe_t out;
  uv_write_t write;
  uv_shutdown_t shutdown;
  char bytes[CHILD_BYTES];
  uint64_t stream;
  uint64_t received;
  int open; /* handles */
};

static void child_part_closed(uv_handle_t* handle) {
  struct children* child = handle->data;
  if (--child->open > 0)
    return;
  if (child->received != CHILD_BYTES)
    soak_fail("children: %llu of %d bytes came back",
              (unsigned long long) child->received, CHILD_BYTES);
  round_done(child->world, ACTOR_CHILDREN);
}

static void child_close(void* handle) {
  if (!uv_is_closing(handle))
    uv_close(handle, child_part_closed);
}

static void child_exited(uv_process_t* process, int64_t status, int signum) {
  if (status != 0 || signum != 0)
    soak_fail("children: status %lld, signal %d", (long long) status, signum);
  child_close(process);
}

static void child_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  *buf = uv_buf_init(malloc(suggested), (unsigned int) suggested);
}

static void child_output(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct children* child = stream->data;
  if (n > 0) {
    bytes_check(buf->base, (size_t) n, child->stream, child->received, "children");
    child->received += (uint64_t) n;
  }
  free(buf->base);
  if (n < 0 && n != UV_EOF)
    soak_fail("children: %s", uv_strerror((int) n));
  if (n < 0)
    child_close(stream);
}

static void child_input_over(uv_shutdown_t* req, int status) {
  (void) status;
  child_close(req->handle);
}

static void child_input_written(uv_write_t* req, int status) {
  struct children* child = req->handle->data;
  if (status != 0)
    soak_fail("children: write: %s", uv_strerror(status));
  if (!uv_is_closing((uv_handle_t*) &child->in))
    soak_check(uv_shutdown(&child->shutdown, (uv_stream_t*) &child->in, child_input_over),
               "shutdown");
}

void children_tick(struct world* world) {
  struct children* child = world->actors[ACTOR_CHILDREN];
  if (child->open > 0)
    return;
  char* args[] = {"cat", NULL};
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
       .data.stream = (uv_stream_t*) &child->in},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
       .data.stream = (uv_stream_t*) &child->out},
      {.flags = UV_INHERIT_FD, .data.fd = 2},
  };
  uv_process_options_t options = {.file = "cat",
                                  .args = args,
                                  .stdio = stdio,
                                  .stdio_count = 3,
                                  .exit_cb = child_exited};
  uv_pipe_init(&world->loop, &child->in, 0);
  uv_pipe_init(&world->loop, &child->out, 0);
  soak_check(uv_spawn(&world->loop, &child->process, &options), "uv_spawn");
  child->in.data = child->out.data = child->process.data = child;
  child->open = 3;
  child->received = 0;
  child->stream = soak_random(world);
  bytes_fill(child->bytes, CHILD_BYTES, child->stream, 0);
  atomic_fetch_add(&bytes_written, CHILD_BYTES);
  uv_buf_t buf = uv_buf_init(child->bytes, CHILD_BYTES);
  soak_check(
      uv_write(&child->write, (uv_stream_t*) &child->in, &buf, 1, child_input_written),
      "write");
  soak_check(uv_read_start((uv_stream_t*) &child->out, child_room, child_output),
             "read_start");
}

void children_begin(struct world* world) {
  struct children* child = calloc(1, sizeof(*child));
  world->actors[ACTOR_CHILDREN] = child;
  child->world = world;
}

bool children_end(struct world* world) {
  return ((struct children*) world->actors[ACTOR_CHILDREN])->open == 0;
}

/* --- the pool -------------------------------------------------------------------- */

/* Several pieces of work in flight, one of them cancelled if it hasn't begun. */
enum { WORKS = 6 };

struct pool_actor {
  struct world* world;
  struct {
    uv_work_t req;
    uint64_t question;
    uint64_t answer;
  } works[WORKS];
  int left;
};

static uint64_t pool_answer(uint64_t x) {
  for (int i = 0; i < 2000; i++)
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u + 1;
  return x;
}

static void pool_work(uv_work_t* req) {
  struct pool_actor* pool = req->data;
  int i = (int) ((size_t) ((char*) req - (char*) pool->works) / sizeof(pool->works[0]));
  pool->works[i].answer = pool_answer(pool->works[i].question);
}

static void pool_ask(struct pool_actor* pool);

static void pool_done(uv_work_t* req, int status) {
  struct pool_actor* pool = req->data;
  int i = (int) ((size_t) ((char*) req - (char*) pool->works) / sizeof(pool->works[0]));
  if (status != 0 && status != UV_ECANCELED)
    soak_fail("pool: %s", uv_strerror(status));
  if (status == 0 && pool->works[i].answer != pool_answer(pool->works[i].question))
    soak_fail("pool: a wrong answer");
  if (--pool->left > 0)
    return;
  round_done(pool->world, ACTOR_POOL);
  if (!ending(pool->world))
    pool_ask(pool);
}

static void pool_ask(struct pool_actor* pool) {
  pool->left = WORKS;
  for (int i = 0; i < WORKS; i++) {
    pool->works[i].question = soak_random(pool->world);
    pool->works[i].req.data = pool;
    soak_check(
        uv_queue_work(&pool->world->loop, &pool->works[i].req, pool_work, pool_done),
        "uv_queue_work");
  }
  uv_cancel((uv_req_t*) &pool->works[soak_random(pool->world) % WORKS].req);
}

void pool_begin(struct world* world) {
  struct pool_actor* pool = calloc(1, sizeof(*pool));
  world->actors[ACTOR_POOL] = pool;
  pool->world = world;
  pool_ask(pool);
}

bool pool_end(struct world* world) {
  return ((struct pool_actor*) world->actors[ACTOR_POOL])->left == 0;
}

/* --- asyncs ---------------------------------------------------------------------- */

/* A number goes up outside and is sent; the callback must have seen the last one by the
 * time the sender asks again. */
struct async_actor {
  struct world* world;
  uv_async_t handle;
  _Atomic uint64_t sent;
  _Atomic uint64_t seen;
};

static void async_arrived(uv_async_t* handle) {
  struct async_actor* async = handle->data;
  atomic_store(&async->seen, atomic_load(&async->sent));
  round_done(async->world, ACTOR_ASYNC);
}

void async_send_from_outside(struct world* world) {
  struct async_actor* async = world->actors[ACTOR_ASYNC];
  atomic_fetch_add(&async->sent, 1);
  uv_async_send(&async->handle);
}

void async_begin(struct world* world) {
  struct async_actor* async = calloc(1, sizeof(*async));
  async->world = world;
  soak_check(uv_async_init(&world->loop, &async->handle, async_arrived), "uv_async_init");
  async->handle.data = async;
  world->actors[ACTOR_ASYNC] = async;
}

/* The world is out of the sender's reach by now. */
bool async_end(struct world* world) {
  struct async_actor* async = world->actors[ACTOR_ASYNC];
  if (atomic_load(&async->seen) != atomic_load(&async->sent))
    return false;
  uv_close((uv_handle_t*) &async->handle, NULL);
  return true;
}

/* --- signals --------------------------------------------------------------------- */

struct signal_actor {
  struct world* world;
  uv_signal_t handle;
};

static void signal_arrived(uv_signal_t* handle, int signum) {
  struct signal_actor* signal = handle->data;
  if (signum != SIGUSR1)
    soak_fail("signals: number %d", signum);
  round_done(signal->world, ACTOR_SIGNAL);
}

void signal_begin(struct world* world) {
  struct signal_actor* signal = calloc(1, sizeof(*signal));
  world->actors[ACTOR_SIGNAL] = signal;
  signal->world = world;
  soak_check(uv_signal_init(&world->loop, &signal->handle), "uv_signal_init");
  signal->handle.data = signal;
  soak_check(uv_signal_start(&signal->handle, signal_arrived, SIGUSR1),
             "uv_signal_start");
}

bool signal_end(struct world* world) {
  struct signal_actor* signal = world->actors[ACTOR_SIGNAL];
  uv_close((uv_handle_t*) &signal->handle, NULL);
  return true;
}
