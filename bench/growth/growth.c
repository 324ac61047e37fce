// What one operation costs when there are N of its kind: bench/growth/run and
// bench/compare call it with the name of a row, N, and how many operations to do. Each
// run does one row, and reports nanoseconds of elapsed time for an operation; memory and
// latency report more.
#include <uv.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include "../echo_load.h"

static uv_loop_t loop;
static long count;      // N
static long operations; // to do
static long done;
static uint64_t seed = 42;

static void begin_loop(void) {
  bench_uv(uv_loop_init(&loop), "loop");
}

static void report(const char* name, double seconds, long number) {
  bench_report(name, seconds / (double) number * 1e9, "ns/op");
}

// --- timers: started, fired and closed ------------------------------------------------

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  done++;
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
}

static void wait_until(double moment) {
  while (bench_seconds() < moment)
    uv_sleep(1);
}

// N timers in random order of due time within a tenth of a second and 200 ns for each;
// the wait for the last doesn't count.
static void timers(void) {
  uv_timer_t* all = bench_alloc((size_t) count, sizeof *all);
  double spread = 0.1 + (double) count * 2e-7;
  double used = 0;
  long rounds = operations / count + (operations < count);
  for (long round = 0; round < rounds; round++) {
    double began = bench_seconds();
    for (long i = 0; i < count; i++) {
      uint64_t timeout = bench_random(&seed) % (uint64_t) (spread * 1000);
      bench_uv(uv_timer_init(&loop, &all[i]), "timer");
      bench_uv(uv_timer_start(&all[i], on_timer, timeout, 0), "start");
    }
    double started = bench_seconds();
    wait_until(began + spread + 0.005);
    double due = bench_seconds();
    uv_run(&loop, UV_RUN_DEFAULT);
    for (long i = 0; i < count; i++)
      uv_close((uv_handle_t*) &all[i], on_close);
    uv_run(&loop, UV_RUN_DEFAULT);
    used += started - began + bench_seconds() - due;
  }
  bench_check(done == rounds * count, "every timer fired once");
  report("timers", used, rounds * count);
  free(all);
}

// One of N timers, at random, is started anew: what a socket's time-out costs at each
// packet.
static void restarts(void) {
  uv_timer_t* all = bench_alloc((size_t) count, sizeof *all);
  for (long i = 0; i < count; i++) {
    bench_uv(uv_timer_init(&loop, &all[i]), "timer");
    bench_uv(uv_timer_start(&all[i], on_timer, 100000 + bench_random(&seed) % 60000, 0),
             "start");
  }
  double began = bench_seconds();
  for (long i = 0; i < operations; i++) {
    uint64_t word = bench_random(&seed);
    uv_timer_t* timer = &all[(word >> 20) % (uint64_t) count];
    bench_uv(uv_timer_start(timer, on_timer, 100000 + word % 60000, 0), "restart");
  }
  report("restarts", bench_seconds() - began, operations);
  for (long i = 0; i < count; i++)
    uv_close((uv_handle_t*) &all[i], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  free(all);
}

// --- turns, asyncs
// ----------------------------------------------------------------------

static void on_idle(uv_idle_t* idle) {
  if (++done == operations)
    uv_close((uv_handle_t*) idle, NULL);
}

static void turns(void) {
  uv_idle_t idle;
  bench_uv(uv_idle_init(&loop, &idle), "idle");
  bench_uv(uv_idle_start(&idle, on_idle), "start");
  double began = bench_seconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  report("turns", bench_seconds() - began, operations);
}

static void on_async(uv_async_t* async) {
  if (++done == operations)
    uv_close((uv_handle_t*) async, NULL);
  else
    bench_uv(uv_async_send(async), "send");
}

static void asyncs(void) {
  uv_async_t async;
  bench_uv(uv_async_init(&loop, &async, on_async), "async");
  bench_uv(uv_async_send(&async), "send");
  double began = bench_seconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  report("asyncs", bench_seconds() - began, operations);
}

// --- files: N reads or stats in flight
// --------------------------------------------------

enum { PAGE = 4096 };
static uv_file file;
static char* pages;
static char name[] = "growth-XXXXXX";
static long to_start;

static void start_read(uv_fs_t* request);
static void start_stat(uv_fs_t* request);

static void on_read(uv_fs_t* request) {
  bench_check(request->result == PAGE, "a page was read");
  uv_fs_req_cleanup(request);
  done++;
  if (to_start-- > 0)
    start_read(request);
}

static void start_read(uv_fs_t* request) {
  uv_buf_t buffer = uv_buf_init(request->data, PAGE);
  int64_t offset = (int64_t) (bench_random(&seed) % 1024) * PAGE;
  bench_uv(uv_fs_read(&loop, request, file, &buffer, 1, offset, on_read), "read");
}

static void on_stat(uv_fs_t* request) {
  bench_uv((int) request->result, "stat");
  uv_fs_req_cleanup(request);
  done++;
  if (to_start-- > 0)
    start_stat(request);
}

static void start_stat(uv_fs_t* request) {
  bench_uv(uv_fs_stat(&loop, request, name, on_stat), "stat");
}

static void in_flight(const char* row, void (*start)(uv_fs_t* request)) {
  uv_fs_t* requests = bench_alloc((size_t) count, sizeof *requests);
  pages = bench_alloc((size_t) count, PAGE);
  file = mkstemp(name);
  bench_system(file, "a file");
  for (int i = 0; i < 1024; i++)
    bench_check(write(file, pages, PAGE) == PAGE, "a page is written");
  // One before the clock begins: the pool has threads, and the mount is known.
  to_start = 0;
  requests[0].data = pages;
  start(&requests[0]);
  uv_run(&loop, UV_RUN_DEFAULT);
  done = 0;
  to_start = operations - count;
  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    requests[i].data = pages + i * PAGE;
    start(&requests[i]);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  report(row, bench_seconds() - began, done);
  bench_check(done >= operations, "every request was done");
  (void) close(file);
  (void) unlink(name);
  free(requests);
  free(pages);
}

static void reads(void) {
  in_flight("reads", start_read);
}

static void stats(void) {
  in_flight("stats", start_stat);
}

// --- connections: an answer on one of N -----------------------------------------------

struct peer {
  uv_tcp_t tcp;
  char buffer[ECHO_MESSAGE];
  int client;
};

struct answer {
  uv_write_t write;
  char bytes[ECHO_MESSAGE];
};

static struct peer* peers;

// False if so many descriptors aren't allowed here.
static int more_files(long wanted) {
  struct rlimit limit;
  bench_system(getrlimit(RLIMIT_NOFILE, &limit), "limit of descriptors");
  if (limit.rlim_cur >= (rlim_t) wanted)
    return 1;
  limit.rlim_cur = (rlim_t) wanted;
  if (limit.rlim_max < limit.rlim_cur)
    limit.rlim_max = limit.rlim_cur;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) suggested;
  *buffer = uv_buf_init(((struct peer*) handle)->buffer, ECHO_MESSAGE);
}

static void on_written(uv_write_t* write, int status) {
  bench_uv(status, "write");
  free(write);
}

static void on_message(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size == 0)
    return;
  if (size == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  bench_uv((int) size, "read");
  struct answer* answer = bench_alloc(1, sizeof *answer);
  memcpy(answer->bytes, buffer->base, (size_t) size);
  uv_buf_t bytes = uv_buf_init(answer->bytes, (unsigned) size);
  bench_uv(uv_write(&answer->write, stream, &bytes, 1, on_written), "write");
  done++;
}

// How many connections have both ends here. Where so many descriptors aren't allowed, the
// other ends of the rest are in a process that only holds them.
static long here;
static pid_t holder;
static int hold;

static int connect_to(const struct sockaddr_in* address) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bench_system(fd, "socket");
  bench_system(connect(fd, (const struct sockaddr*) address, sizeof *address), "connect");
  return fd;
}

static void start_holder(const struct sockaddr_in* address) {
  int ends[2];
  char end;
  bench_system(pipe(ends), "pipe");
  holder = fork();
  bench_system(holder, "fork");
  if (holder == 0) {
    close(ends[1]);
    for (long i = here; i < count; i++)
      connect_to(address);
    _exit(read(ends[0], &end, 1) == 0 ? 0 : 1);
  }
  close(ends[0]);
  hold = ends[1];
}

static void connect_peers(void) {
  here = more_files(count * 2 + 64) ? count : count / 3;
  if (here < count && !more_files(count + here + 64))
    bench_skip("too few descriptors are allowed here");
  peers = bench_alloc((size_t) count, sizeof *peers);
  struct sockaddr_in address;
  int listener = echo_listen(&address);
  (void) fcntl(listener, F_SETFL, 0);
  for (long i = 0; i < count; i++) {
    struct peer* peer = &peers[i];
    if (i == here)
      start_holder(&address);
    peer->client = i < here ? connect_to(&address) : -1;
    int served = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    bench_system(served, "accept");
    bench_uv(uv_tcp_init(&loop, &peer->tcp), "tcp");
    bench_uv(uv_tcp_open(&peer->tcp, served), "open");
    bench_uv(uv_read_start((uv_stream_t*) &peer->tcp, on_alloc, on_message),
             "read start");
  }
  close(listener);
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void disconnect_peers(void) {
  for (long i = 0; i < here; i++)
    close(peers[i].client);
  if (here < count) {
    int status;
    close(hold);
    bench_system(waitpid(holder, &status, 0), "waitpid");
    bench_check(status == 0, "the other process held its ends");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  free(peers);
}

// Waves of up to 32 messages on connections at random; the time includes the client's
// calls, which are the same everywhere.
static void connections(void) {
  enum { WAVE = 32 };
  connect_peers();
  long wave = here < WAVE ? here : WAVE;
  long rounds = operations / wave;
  char answer[ECHO_MESSAGE];
  double began = bench_seconds();
  for (long round = 0; round < rounds; round++) {
    long first = (long) (bench_random(&seed) % (uint64_t) here);
    long wanted = done + wave;
    for (long i = 0; i < wave; i++)
      echo_send(peers[(first + i * 7919) % here].client);
    while (done < wanted)
      uv_run(&loop, UV_RUN_ONCE);
    for (long i = 0; i < wave; i++)
      bench_check(recv(peers[(first + i * 7919) % here].client, answer, sizeof answer,
                       MSG_WAITALL) > 0,
                  "an answer");
  }
  report("connections", bench_seconds() - began, rounds * wave);
  disconnect_peers();
}

// --- memory ---------------------------------------------------------------------------

static size_t in_use(void) {
  struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

static size_t resident(void) {
  unsigned long pages_all = 0;
  unsigned long pages_here = 0;
  FILE* statm = fopen("/proc/self/statm", "r");
  bench_check(statm != NULL && fscanf(statm, "%lu %lu", &pages_all, &pages_here) == 2,
              "/proc/self/statm");
  fclose(statm);
  return pages_here * (size_t) sysconf(_SC_PAGESIZE);
}

// The structure and what the library allocates for it; of loops also all that is
// resident.
static void memory(void) {
  begin_loop();
  size_t before = in_use();
  size_t before_resident = resident();
  uv_loop_t* loops = bench_alloc((size_t) count, sizeof *loops);
  for (long i = 0; i < count; i++) {
    bench_uv(uv_loop_init(&loops[i]), "loop");
    uv_run(&loops[i], UV_RUN_NOWAIT);
  }
  bench_report("bytes_loop", (double) (in_use() - before) / (double) count, "B");
  bench_report("bytes_loop_resident",
               (double) (resident() - before_resident) / (double) count, "B");
  for (long i = 0; i < count; i++)
    bench_loop_close(&loops[i]);
  free(loops);

  const long many = count * 100;
  uv_idle_t* idles = NULL;
  uv_timer_t* all = NULL;
  before = in_use();
  idles = bench_alloc((size_t) many, sizeof *idles);
  for (long i = 0; i < many; i++)
    bench_uv(uv_idle_init(&loop, &idles[i]), "idle");
  bench_report("bytes_handle", (double) (in_use() - before) / (double) many, "B");
  before = in_use();
  all = bench_alloc((size_t) many, sizeof *all);
  for (long i = 0; i < many; i++) {
    bench_uv(uv_timer_init(&loop, &all[i]), "timer");
    bench_uv(uv_timer_start(&all[i], on_timer, 100000 + (uint64_t) i, 0), "start");
  }
  bench_report("bytes_timer", (double) (in_use() - before) / (double) many, "B");
  for (long i = 0; i < many; i++) {
    uv_close((uv_handle_t*) &idles[i], NULL);
    uv_close((uv_handle_t*) &all[i], NULL);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  free(idles);
  free(all);

  count *= 10;
  before = in_use();
  connect_peers();
  bench_report("bytes_connection",
               (double) (in_use() - before) / (double) count -
                   (double) (sizeof *peers - sizeof peers->tcp),
               "B");
  disconnect_peers();
}

// --- latency ---------------------------------------------------------------------------

static void on_peer(uv_stream_t* server, int status) {
  bench_uv(status, "connection");
  struct peer* peer = bench_alloc(1, sizeof *peer);
  bench_uv(uv_tcp_init(server->loop, &peer->tcp), "tcp");
  bench_uv(uv_accept(server, (uv_stream_t*) &peer->tcp), "accept");
  bench_uv(uv_tcp_nodelay(&peer->tcp, 1), "nodelay");
  bench_uv(uv_read_start((uv_stream_t*) &peer->tcp, on_alloc, on_message), "read start");
  if (++done == count)
    uv_close((uv_handle_t*) server, NULL);
}

static void serve(int listener) {
  uv_tcp_t server;
  bench_uv(uv_tcp_init(&loop, &server), "tcp");
  bench_uv(uv_tcp_open(&server, listener), "open");
  bench_uv(uv_listen((uv_stream_t*) &server, 1024, on_peer), "listen");
  uv_run(&loop, UV_RUN_DEFAULT);
}

static int by_size(const void* a, const void* b) {
  double first = *(const double*) a;
  double second = *(const double*) b;
  return (first > second) - (first < second);
}

static void report_share(const char* row, const double* sorted, double share) {
  bench_report(row, sorted[(long) (share * (double) (operations - 1))] * 1e6, "us");
}

// Messages leave by a schedule, BENCH_RATE a second over N connections, whether answers
// have come or not, and a message's time runs from the moment it should have left: a
// server that stands still is charged for all that had to wait.
static void play(const struct sockaddr_in* address, double rate) {
  int* fds = bench_alloc((size_t) count, sizeof *fds);
  double* sent = bench_alloc((size_t) operations, sizeof *sent);
  double* took = bench_alloc((size_t) operations, sizeof *took);
  long* next = bench_alloc((size_t) count, sizeof *next); // the message answered next
  struct epoll_event events[256];
  int poller = epoll_create1(EPOLL_CLOEXEC);
  bench_system(poller, "epoll");
  for (long i = 0; i < count; i++) {
    int one = 1;
    fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_system(fds[i], "socket");
    bench_system(connect(fds[i], (const struct sockaddr*) address, sizeof *address),
                 "connect");
    bench_system(setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one),
                 "nodelay");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t) i};
    bench_system(epoll_ctl(poller, EPOLL_CTL_ADD, fds[i], &event), "epoll_ctl");
    next[i] = i;
  }
  uv_sleep(20);
  double began = bench_seconds();
  long left = 0;
  long answered = 0;
  while (answered < operations) {
    double now = bench_seconds();
    while (left < operations && began + (double) left / rate <= now) {
      sent[left] = began + (double) left / rate;
      echo_send(fds[left % count]);
      left++;
    }
    int ready = epoll_wait(poller, events, 256, 0);
    bench_check(now < began + 60 + 2 * (double) operations / rate, "answers come");
    now = bench_seconds();
    for (int i = 0; i < ready; i++) {
      uint32_t which = events[i].data.u32;
      char buffer[64 * ECHO_MESSAGE];
      ssize_t size = recv(fds[which], buffer, sizeof buffer, 0);
      bench_check(size > 0 && size % ECHO_MESSAGE == 0, "whole messages");
      for (; size > 0; size -= ECHO_MESSAGE, answered++, next[which] += count)
        took[next[which]] = now - sent[next[which]];
    }
  }
  qsort(took, (size_t) operations, sizeof *took, by_size);
  report_share("latency_50", took, 0.5);
  report_share("latency_90", took, 0.9);
  report_share("latency_99", took, 0.99);
  report_share("latency_99_9", took, 0.999);
  report_share("latency_most", took, 1);
  for (long i = 0; i < count; i++)
    close(fds[i]);
  free(fds), free(sent), free(took), free(next);
}

static void latency(void) {
  const char* rate = getenv("BENCH_RATE");
  struct sockaddr_in address;
  int listener = echo_listen(&address);
  if (!more_files(count * 2 + 64))
    bench_skip("too few descriptors are allowed here");
  pid_t child = fork();
  bench_system(child, "fork");
  if (child == 0) {
    begin_loop();
    serve(listener);
    bench_loop_close(&loop);
    _exit(0);
  }
  close(listener);
  play(&address, rate == NULL ? 20000 : strtod(rate, NULL));
  int status;
  bench_system(waitpid(child, &status, 0), "waitpid");
  bench_check(status == 0, "the server ended well");
}

// --- rows ------------------------------------------------------------------------------

static const struct {
  const char* name;
  void (*run)(void);
  int makes_loop; // by itself
} rows[] = {
    {"timers", timers, 0},           {"restarts", restarts, 0}, {"turns", turns, 0},
    {"asyncs", asyncs, 0},           {"reads", reads, 0},       {"stats", stats, 0},
    {"connections", connections, 0}, {"memory", memory, 1},     {"latency", latency, 1},
};

int main(int argc, char** argv) {
  bench_check(argc == 4, "usage: growth ROW N OPERATIONS");
  count = bench_argument(argc - 1, argv + 1, 1);
  operations = bench_argument(argc - 2, argv + 2, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, argv[1]) != 0)
      continue;
    if (!rows[i].makes_loop)
      begin_loop();
    rows[i].run();
    if (rows[i].run != latency)
      bench_loop_close(&loop);
    return 0;
  }
  bench_check(0, "a row of that name");
  return 1;
}
