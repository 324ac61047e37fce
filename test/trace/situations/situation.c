/* Programs in which a loop is held up, each in a way that a recorder could get wrong:
 *
 * - frozen: an embedder that doesn't call uv_run while a timer is due
 * - unnoticed: the same, and nothing is due
 * - busy: a callback that works for 20 ms, all in all, beside busy neighbours
 * - blocked: a callback that waits for a child for 600 ms
 * - behind: a stall behind a million events
 * - loops: three loops, two idle helpers, then the busy one
 * - helper: a thread with a loop that sleeps until the process is killed
 * - nobody: a stretch that no callback took
 * - throttled: a callback that works longer than its control group lets it, in one go
 * - pool: a pool of one thread, busy with something else
 * - requests: one callback for requests that have names of their own, one of them long
 * - spinning: a loop that never sleeps, kept alive by a server
 * - late: data of a connection, of a new one and of a UDP socket that arrives while a
 *   callback is at work; and of a connection that the program doesn't read for a while */
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include <rondo.h>

static uint64_t processor_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t) time.tv_sec * 1000 + (uint64_t) time.tv_nsec / 1000000;
}

static void work_for(uint64_t ms) {
  uint64_t end = processor_ms() + ms;
  while (processor_ms() < end)
    ;
}

static void spend(uint64_t ms) {
  uint64_t end = uv_hrtime() + ms * 1000000;
  while (uv_hrtime() < end)
    ;
}

static uv_timer_t timer;
static int left;

static void on_tick(uv_timer_t* handle) {
  if (--left <= 0)
    uv_close((uv_handle_t*) handle, NULL);
}

static void outside(uint64_t timeout) {
  uv_loop_t* loop = uv_default_loop();
  left = 4;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_tick, timeout, timeout);
  for (int i = 0; uv_run(loop, UV_RUN_NOWAIT) != 0 && i < 200; i++) {
    if (i == 3)
      spend(300);
    usleep(1000);
  }
}

static void long_work(uv_timer_t* handle) {
  work_for(20);
  uv_close((uv_handle_t*) handle, NULL);
}

/* As many as it takes to keep the processor that we stay on from us. */
static void busy(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
  for (int i = 0; i < 6; i++) {
    if (fork() == 0) { /* ends with the program, whose own end it must not hold up */
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        ;
    }
  }
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, long_work, 5, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static void waits_for_a_child(uv_timer_t* handle) {
  pid_t child = fork();
  if (child == 0) {
    usleep(600000);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  uv_close((uv_handle_t*) handle, NULL);
}

static void blocked(void) {
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, waits_for_a_child, 5, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static uv_idle_t idle;

static void the_stall(void) {
  spend(1000);
}

static void often(uv_idle_t* handle) {
  if (--left == 20000)
    the_stall();
  if (left == 0)
    uv_close((uv_handle_t*) handle, NULL);
}

static void behind(void) {
  left = 400000;
  uv_idle_init(uv_default_loop(), &idle);
  uv_idle_start(&idle, often);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

/* Longer than a busy machine keeps the processor from a program. */
static void main_work(uv_timer_t* handle) {
  spend(150);
  on_tick(handle);
}

static void loops(void) {
  uv_loop_t helpers[2];
  uv_timer_t sleepers[2];
  for (int i = 0; i < 2; i++) {
    left = 1;
    uv_loop_init(&helpers[i]);
    uv_timer_init(&helpers[i], &sleepers[i]);
    uv_update_time(&helpers[i]); /* it sleeps, however long it took to get here */
    uv_timer_start(&sleepers[i], on_tick, 100, 0);
    uv_run(&helpers[i], UV_RUN_DEFAULT);
  }
  left = 5;
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, main_work, 1, 1);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static uv_sem_t helper_is_there;

static void on_prepared(uv_prepare_t* handle) {
  (void) handle;
  uv_sem_post(&helper_is_there);
}

static void on_never(uv_async_t* handle) {
  (void) handle;
}

static void run_helper(void* argument) {
  uv_loop_t loop;
  uv_async_t never;
  uv_prepare_t prepared;
  (void) argument;
  uv_loop_init(&loop);
  uv_async_init(&loop, &never, on_never);
  uv_prepare_init(&loop, &prepared);
  uv_prepare_start(&prepared, on_prepared);
  uv_run(&loop, UV_RUN_DEFAULT);
}

static void kills_itself(uv_timer_t* handle) {
  (void) handle;
  kill(getpid(), SIGKILL);
}

static void helper(void) {
  uv_thread_t thread;
  uv_sem_init(&helper_is_there, 0);
  uv_thread_create(&thread, run_helper, NULL);
  uv_sem_wait(&helper_is_there);
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, kills_itself, 500, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

/* Nobody is called back about a million handles: what they take is the loop's own. */
static void nobody(void) {
  const size_t count = 1000000;
  uv_idle_t* handles = calloc(count, sizeof(*handles));
  for (size_t i = 0; i < count; i++) {
    uv_idle_init(uv_default_loop(), &handles[i]);
    uv_close((uv_handle_t*) &handles[i], NULL);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  free(handles);
}

static void works_long(uv_timer_t* handle) {
  work_for(40);
  uv_close((uv_handle_t*) handle, NULL);
}

static void throttled(void) {
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, works_long, 1, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static void hash_slowly(uv_work_t* req) {
  (void) req;
  usleep(40000);
}

static void on_hash(uv_work_t* req, int status) {
  (void) req;
  (void) status;
}

static uv_work_t requests[3];

static void ask_for_all(uv_timer_t* handle) {
  for (int i = 0; i < 3; i++)
    uv_queue_work(handle->loop, &requests[i], hash_slowly, on_hash);
  uv_close((uv_handle_t*) handle, NULL);
}

static void pool(void) {
  setenv("UV_THREADPOOL_SIZE", "1", 1);
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, ask_for_all, 1, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static uv_timer_t clients[6];

static void on_request(uv_timer_t* handle) {
  char path[32] = "GET /report";
  bool is_long = handle == &clients[3];
  if (!is_long)
    snprintf(path, sizeof(path), "GET /%d", (int) (handle - clients));
  int span = rondo_trace_begin(handle->loop, path);
  spend(is_long ? 400 : 100);
  rondo_trace_end(handle->loop, span);
  uv_close((uv_handle_t*) handle, NULL);
}

static void requests_of_many(void) {
  for (int i = 0; i < 6; i++) {
    uv_timer_init(uv_default_loop(), &clients[i]);
    uv_timer_start(&clients[i], on_request, 1, 0);
  }
  uv_sleep(10);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static void on_client(uv_stream_t* server, int status) {
  (void) server;
  (void) status;
}

static void keep_turning(uv_idle_t* handle) {
  if (uv_now(handle->loop) > (uint64_t) left)
    uv_stop(handle->loop);
}

static void spinning(void) {
  static uv_tcp_t server;
  struct sockaddr_in address;
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(uv_default_loop(), &server);
  uv_tcp_bind(&server, (const struct sockaddr*) &address, 0);
  uv_listen((uv_stream_t*) &server, 5, on_client);
  left = (int) uv_now(uv_default_loop()) + 1200;
  uv_idle_init(uv_default_loop(), &idle);
  uv_idle_start(&idle, keep_turning);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

/* --- late ----------------------------------------------------------------------------
 */

enum { ASKING, WAITING, PAUSED, NEW, CLIENTS };

static uv_tcp_t late_server, late_clients[CLIENTS];
static uv_udp_t late_udp;
static int late_accepted, late_reads;

static int late_fd(const void* handle) {
  int fd = -1;
  uv_fileno(handle, &fd);
  return fd;
}

static void late_must(int holds) {
  if (!holds)
    abort();
}

static void late_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char memory[65536];
  (void) handle;
  *buf =
      uv_buf_init(memory, size < sizeof(memory) ? (unsigned int) size : sizeof(memory));
}

/* The last of them all. */
static void late_done(void) {
  if (++late_reads < 4)
    return;
  for (int i = 0; i < CLIENTS; i++)
    uv_close((uv_handle_t*) &late_clients[i], NULL);
  uv_close((uv_handle_t*) &late_server, NULL);
  uv_close((uv_handle_t*) &late_udp, NULL);
}

static void on_late_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread > 0)
    late_done();
  else if (nread < 0)
    uv_read_stop(stream);
}

static void on_paused_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  on_late_read(stream, nread, buf);
}

static void on_datagram(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                        const struct sockaddr* from, unsigned int flags) {
  (void) handle;
  (void) buf;
  (void) flags;
  if (nread > 0 && from != NULL)
    late_done();
}

/* Long enough that what follows is asked about. */
static void read_the_paused(uv_timer_t* handle) {
  spend(30);
  uv_read_start((uv_stream_t*) &late_clients[PAUSED], late_alloc, on_paused_read);
  uv_close((uv_handle_t*) handle, NULL);
}

/* The client sends all the others when it has this byte, and that of the waiting last. */
static void make_a_report(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  int arrived = 0;
  (void) buf;
  if (nread <= 0)
    return;
  late_must(write(late_fd(stream), "r", 1) == 1);
  while (arrived == 0)
    late_must(ioctl(late_fd(&late_clients[WAITING]), FIONREAD, &arrived) == 0);
  spend(300);
  uv_update_time(stream->loop);
  uv_timer_init(stream->loop, &timer);
  uv_timer_start(&timer, read_the_paused, 1000, 0);
  uv_read_stop(stream);
}

static void on_late_client(uv_stream_t* server, int status) {
  uv_tcp_t* client = &late_clients[late_accepted];
  late_must(status == 0 && late_accepted < CLIENTS);
  uv_tcp_init(server->loop, client);
  late_must(uv_accept(server, (uv_stream_t*) client) == 0);
  if (late_accepted != PAUSED)
    uv_read_start((uv_stream_t*) client, late_alloc,
                  late_accepted == ASKING ? make_a_report : on_late_read);
  late_accepted++;
}

static void late_client(const struct sockaddr_in* server, const struct sockaddr_in* udp) {
  int fds[CLIENTS], datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  char byte;
  for (int i = 0; i < CLIENTS; i++)
    fds[i] = socket(AF_INET, SOCK_STREAM, 0);
  for (int i = 0; i < NEW; i++)
    late_must(connect(fds[i], (const struct sockaddr*) server, sizeof(*server)) == 0);
  usleep(20000); /* the server has slept */
  late_must(write(fds[ASKING], "?", 1) == 1 && read(fds[ASKING], &byte, 1) == 1);
  late_must(write(fds[PAUSED], "p", 1) == 1);
  late_must(connect(fds[NEW], (const struct sockaddr*) server, sizeof(*server)) == 0);
  late_must(write(fds[NEW], "n", 1) == 1);
  late_must(sendto(datagrams, "d", 1, 0, (const struct sockaddr*) udp, sizeof(*udp)) ==
            1);
  late_must(write(fds[WAITING], "w", 1) == 1);
  while (read(fds[WAITING], &byte, 1) > 0)
    ;
}

/* With `killed` the end is one of which only a ring is left. */
static void late(int killed) {
  struct sockaddr_in any, server, udp;
  int length = sizeof(server);
  uv_ip4_addr("127.0.0.1", 0, &any);
  uv_tcp_init(uv_default_loop(), &late_server);
  uv_tcp_bind(&late_server, (const struct sockaddr*) &any, 0);
  uv_tcp_getsockname(&late_server, (struct sockaddr*) &server, &length);
  uv_listen((uv_stream_t*) &late_server, 5, on_late_client);
  uv_tcp_getsockname(&late_server, (struct sockaddr*) &server, &length);
  uv_udp_init(uv_default_loop(), &late_udp);
  uv_udp_bind(&late_udp, (const struct sockaddr*) &any, 0);
  length = sizeof(udp);
  uv_udp_getsockname(&late_udp, (struct sockaddr*) &udp, &length);
  uv_udp_recv_start(&late_udp, late_alloc, on_datagram);
  pid_t child = fork();
  if (child == 0) {
    late_client(&server, &udp);
    _exit(0);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  waitpid(child, NULL, 0);
  if (killed)
    raise(SIGKILL);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "frozen") == 0)
    outside(5);
  else if (strcmp(what, "unnoticed") == 0)
    outside(100000);
  else if (strcmp(what, "busy") == 0)
    busy();
  else if (strcmp(what, "blocked") == 0)
    blocked();
  else if (strcmp(what, "behind") == 0)
    behind();
  else if (strcmp(what, "loops") == 0)
    loops();
  else if (strcmp(what, "helper") == 0)
    helper();
  else if (strcmp(what, "nobody") == 0)
    nobody();
  else if (strcmp(what, "throttled") == 0)
    throttled();
  else if (strcmp(what, "pool") == 0)
    pool();
  else if (strcmp(what, "requests") == 0)
    requests_of_many();
  else if (strcmp(what, "spinning") == 0)
    spinning();
  else if (strcmp(what, "late") == 0)
    late(argc > 2);
  return 0;
}
