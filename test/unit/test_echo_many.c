/* test: serial */
/* An echo server with 10,000 connections at once. Server and clients are two processes,
 * each a loop of its own. All connections stand before the first byte is sent; every
 * byte that comes back is checked; at the end no descriptor is left on either side. The
 * server's memory per idle connection is printed. */
#include "helper_streams.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  CONNECTIONS = 10000,
  CONNECTING_AT_ONCE = 200, /* below every backlog */
  MESSAGES = 3,             /* per connection, of different lengths */
  LONGEST = 3000,
};

static uv_loop_t loop;
static uv_tcp_t listener;
static int live; /* connections of this process */

static long resident_bytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void start_loop(void) {
  assert_int_equal(uv_loop_init(&loop), 0);
}

static void end_loop(int descriptors) {
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(live, 0);
  assert_int_equal(uv_loop_close(&loop), 0);
  assert_int_equal(open_descriptors(), descriptors);
}

/* --- The server -------------------------------------------------------------------- */

struct answer {
  uv_write_t req;
  char bytes[];
};

static long memory_before;
static char arrived[64 * 1024];

static void alloc_shared(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle, (void) size;
  *buf = uv_buf_init(arrived, sizeof arrived);
}

static void free_answer(uv_write_t* req, int status) {
  assert_int_equal(status, 0);
  free(req);
}

static void free_connection(uv_handle_t* handle) {
  free(handle);
  if (--live == 0)
    close_handle(&listener);
}

static void echo(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread == UV_EOF) {
    uv_close((uv_handle_t*) stream, free_connection);
    return;
  }
  assert_true(nread >= 0);
  struct answer* answer = malloc(sizeof *answer + (size_t) nread);
  assert_non_null(answer);
  memcpy(answer->bytes, buf->base, (size_t) nread);
  uv_buf_t out = uv_buf_init(answer->bytes, (unsigned int) nread);
  assert_int_equal(uv_write(&answer->req, stream, &out, 1, free_answer), 0);
}

static void accept_connection(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  uv_tcp_t* tcp = malloc(sizeof *tcp);
  assert_non_null(tcp);
  assert_int_equal(uv_tcp_init(&loop, tcp), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) tcp), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) tcp, alloc_shared, echo), 0);
  if (++live == CONNECTIONS) {
    long each = (resident_bytes() - memory_before) / CONNECTIONS;
    print_message("%d connections, %ld bytes each, the handle's %zu included\n", live,
                  each, sizeof *tcp);
  }
}

/* Tells its port through the pipe and serves until the last client has gone. */
static int serve(int report) {
  int descriptors = open_descriptors();
  start_loop();
  int port = listen_locally(&loop, &listener, accept_connection);
  memory_before = resident_bytes();
  assert_int_equal(write(report, &port, sizeof port), sizeof port);
  end_loop(descriptors);
  return 0;
}

/* --- The clients ------------------------------------------------------------------- */

struct client {
  uv_tcp_t tcp;
  uv_connect_t connect;
  uv_write_t writes[MESSAGES]; /* an answer may come before its write's callback */
  size_t offset;               /* in this client's stream */
  size_t expected;             /* bytes still to come back */
  int messages;
  bool stands;
};

static struct client* clients;
static int started, standing, done;
static int port;
static char message[LONGEST];

/* Every client has its own stretch of the pattern. */
static size_t place(const struct client* client) {
  return (size_t) (client - clients) * 7919 + client->offset;
}

static void start_client(void);

static void client_closed(uv_handle_t* handle) {
  (void) handle;
  live--;
}

static void send_next(struct client* client) {
  size_t length = 1 + place(client) * 31 % LONGEST;
  if (client->messages++ == MESSAGES) {
    done++;
    uv_close((uv_handle_t*) &client->tcp, client_closed);
    return;
  }
  fill_pattern(message, length, place(client));
  client->expected = length;
  uv_buf_t buf = uv_buf_init(message, (unsigned int) length);
  /* The buffer is shared: the message must leave at once, as it does. */
  assert_int_equal(uv_write(&client->writes[client->messages - 1],
                            (uv_stream_t*) &client->tcp, &buf, 1, NULL),
                   0);
  assert_int_equal(client->tcp.write_queue_size, 0);
}

static void check_answer(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;
  assert_true(nread >= 0);
  assert_true((size_t) nread <= client->expected);
  check_pattern(buf->base, (size_t) nread, place(client));
  client->offset += (size_t) nread;
  client->expected -= (size_t) nread;
  if (client->expected == 0 && nread > 0)
    send_next(client);
}

static void client_connected(uv_connect_t* req, int status) {
  assert_int_equal(status, 0);
  struct client* client = req->data;
  client->stands = true;
  standing++;
  start_client();
  if (standing < CONNECTIONS)
    return;
  for (int i = 0; i < CONNECTIONS; i++) {
    assert_int_equal(
        uv_read_start((uv_stream_t*) &clients[i].tcp, alloc_shared, check_answer), 0);
    send_next(&clients[i]);
  }
}

static void start_client(void) {
  if (started == CONNECTIONS)
    return;
  struct client* client = &clients[started++];
  struct sockaddr_in address = local_address(port);
  client->connect.data = client;
  assert_int_equal(uv_tcp_init(&loop, &client->tcp), 0);
  assert_int_equal(uv_tcp_connect(&client->connect, &client->tcp,
                                  (struct sockaddr*) &address, client_connected),
                   0);
  live++;
}

/* --- Both -------------------------------------------------------------------------- */

static void ten_thousand_connections(void** state) {
  (void) state;
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur < CONNECTIONS + 200) {
    limit.rlim_cur = CONNECTIONS + 200;
    if (limit.rlim_max < limit.rlim_cur || setrlimit(RLIMIT_NOFILE, &limit) != 0)
      skip();
  }

  int report[2];
  assert_int_equal(pipe(report), 0);
  pid_t server = fork();
  assert_true(server >= 0);
  if (server == 0)
    _exit(serve(report[1]));
  assert_int_equal(read(report[0], &port, sizeof port), sizeof port);
  close(report[0]);
  close(report[1]);

  int descriptors = open_descriptors();
  clients = calloc(CONNECTIONS, sizeof *clients);
  assert_non_null(clients);
  start_loop();
  for (int i = 0; i < CONNECTING_AT_ONCE; i++)
    start_client();
  end_loop(descriptors);
  assert_int_equal(done, CONNECTIONS);
  for (int i = 0; i < CONNECTIONS; i++)
    assert_true(clients[i].stands && clients[i].expected == 0);
  free(clients);

  int status;
  assert_int_equal(waitpid(server, &status, 0), server);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_thousand_connections)};
  return cmocka_run_group_tests_name("echo to many", tests, NULL, NULL);
}
