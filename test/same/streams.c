/* One program for two libraries: an echo server with its clients, a pump, and children.
 * Prints only what must be the same on any libuv: counts, sums and results, no times. */
#include <uv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    int result_ = (int) (call);                                                          \
    if (result_ < 0) {                                                                   \
      printf("%s: %s\n", #call, uv_err_name(result_));                                   \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

static uv_loop_t* loop;

static unsigned long sum_of(unsigned long sum, const char* bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    sum = sum * 31 + (unsigned char) bytes[i];
  return sum;
}

static void give_buffer(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  static char slab[65536];
  (void) handle, (void) suggested;
  *buffer = uv_buf_init(slab, sizeof slab);
}

static void free_handle(uv_handle_t* handle) {
  free(handle);
}

/* --- echo ------------------------------------------------------------------------ */

enum { CLIENTS = 50, ROUNDS = 200 };

struct echo_write {
  uv_write_t request;
  char bytes[256];
};

static void echo_written(uv_write_t* request, int status) {
  CHECK(status);
  free(request);
}

static void echo_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size == UV_EOF) {
    uv_close((uv_handle_t*) stream, free_handle);
    return;
  }
  CHECK(size);
  for (ssize_t done = 0; done < size;) {
    struct echo_write* write = malloc(sizeof *write);
    size_t part = (size_t) (size - done) < sizeof write->bytes ? (size_t) (size - done)
                                                               : sizeof write->bytes;
    memcpy(write->bytes, buffer->base + done, part);
    uv_buf_t answer = uv_buf_init(write->bytes, (unsigned int) part);
    CHECK(uv_write(&write->request, stream, &answer, 1, echo_written));
    done += (ssize_t) part;
  }
}

static void echo_accept(uv_stream_t* server, int status) {
  CHECK(status);
  uv_tcp_t* peer = malloc(sizeof *peer);
  CHECK(uv_tcp_init(loop, peer));
  CHECK(uv_accept(server, (uv_stream_t*) peer));
  CHECK(uv_read_start((uv_stream_t*) peer, give_buffer, echo_read));
}

struct client {
  uv_tcp_t tcp;
  uv_connect_t connect;
  uv_write_t write;
  uv_shutdown_t shutdown;
  char message[64];
  size_t received;
  int rounds;
  unsigned long sum;
  ssize_t end;
};

static struct client clients[CLIENTS];
static int clients_open;
static uv_tcp_t server;

static void client_closed(uv_handle_t* handle) {
  (void) handle;
  if (--clients_open == 0)
    uv_close((uv_handle_t*) &server, NULL);
}

static void client_say(struct client* client) {
  snprintf(client->message, sizeof client->message, "client %d round %d",
           (int) (client - clients), client->rounds);
  uv_buf_t buffer = uv_buf_init(client->message, sizeof client->message);
  CHECK(uv_write(&client->write, (uv_stream_t*) &client->tcp, &buffer, 1, NULL));
}

static void client_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  struct client* client = (struct client*) stream;
  if (size < 0) {
    client->end = size;
    uv_close((uv_handle_t*) stream, client_closed);
    return;
  }
  client->sum = sum_of(client->sum, buffer->base, (size_t) size);
  client->received += (size_t) size;
  if (client->received < sizeof client->message)
    return;
  client->received = 0;
  if (++client->rounds < ROUNDS)
    client_say(client);
  else
    CHECK(uv_shutdown(&client->shutdown, stream, NULL));
}

static void client_connected(uv_connect_t* request, int status) {
  CHECK(status);
  CHECK(uv_read_start(request->handle, give_buffer, client_read));
  client_say((struct client*) request->handle);
}

static void run_echo(void) {
  struct sockaddr_in address;
  struct sockaddr_storage bound;
  int length = sizeof bound;
  CHECK(uv_ip4_addr("127.0.0.1", 0, &address));
  CHECK(uv_tcp_init(loop, &server));
  CHECK(uv_tcp_bind(&server, (const struct sockaddr*) &address, 0));
  CHECK(uv_listen((uv_stream_t*) &server, 16, echo_accept));
  CHECK(uv_tcp_getsockname(&server, (struct sockaddr*) &bound, &length));
  for (int i = 0; i < CLIENTS; i++) {
    CHECK(uv_tcp_init(loop, &clients[i].tcp));
    CHECK(uv_tcp_connect(&clients[i].connect, &clients[i].tcp,
                         (const struct sockaddr*) &bound, client_connected));
    clients_open++;
  }
  printf("echo run: %d\n", uv_run(loop, UV_RUN_DEFAULT));
  for (int i = 0; i < CLIENTS; i++)
    printf("echo client %d: rounds %d sum %lx end %s\n", i, clients[i].rounds,
           clients[i].sum, uv_err_name((int) clients[i].end));
}

/* --- pump ------------------------------------------------------------------------ */

enum { PUMP_WRITES = 2000, PUMP_SIZE = 32768 };

static char pump_bytes[PUMP_SIZE];
static uv_write_t pump_writes[PUMP_WRITES];
static uv_shutdown_t pump_shutdown;
static int pump_called;
static int pump_in_order = 1;
static unsigned long pump_sum;
static unsigned long pump_size;

static void pump_written(uv_write_t* request, int status) {
  CHECK(status);
  pump_in_order = pump_in_order && request == &pump_writes[pump_called];
  pump_called++;
}

static void pump_shut(uv_shutdown_t* request, int status) {
  printf("pump shutdown: %d after %d writes\n", status, pump_called);
  uv_close((uv_handle_t*) request->handle, NULL);
}

static void pump_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size < 0) {
    printf("pump end: %s\n", uv_err_name((int) size));
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  pump_sum = sum_of(pump_sum, buffer->base, (size_t) size);
  pump_size += (unsigned long) size;
}

static void run_pump(void) {
  uv_file fds[2];
  uv_pipe_t from;
  uv_pipe_t to;
  CHECK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  CHECK(uv_pipe_init(loop, &from, 0));
  CHECK(uv_pipe_init(loop, &to, 0));
  CHECK(uv_pipe_open(&from, fds[0]));
  CHECK(uv_pipe_open(&to, fds[1]));
  for (int i = 0; i < PUMP_SIZE; i++)
    pump_bytes[i] = (char) (i * 7);
  for (int i = 0; i < PUMP_WRITES; i++) {
    uv_buf_t buffer = uv_buf_init(pump_bytes, (unsigned int) (1 + i * 16 % PUMP_SIZE));
    CHECK(uv_write(&pump_writes[i], (uv_stream_t*) &to, &buffer, 1, pump_written));
  }
  CHECK(uv_shutdown(&pump_shutdown, (uv_stream_t*) &to, pump_shut));
  CHECK(uv_read_start((uv_stream_t*) &from, give_buffer, pump_read));
  printf("pump run: %d\n", uv_run(loop, UV_RUN_DEFAULT));
  printf("pump: %lu bytes, sum %lx, callbacks in order: %d\n", pump_size, pump_sum,
         pump_in_order);
}

/* --- children -------------------------------------------------------------------- */

static char child_output[4096];
static size_t child_size;

static void child_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size < 0) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  memcpy(child_output + child_size, buffer->base, (size_t) size);
  child_size += (size_t) size;
}

static void child_exited(uv_process_t* process, int64_t status, int signal) {
  printf("child exit: status %d signal %d\n", (int) status, signal);
  uv_close((uv_handle_t*) process, NULL);
}

static void run_child(const char* script, const char* cwd) {
  uv_process_t process;
  uv_pipe_t output;
  char* arguments[] = {"/bin/sh", "-c", (char*) script, NULL};
  char* environment[] = {"WORD=given", "PATH=/bin:/usr/bin", NULL};
  uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE},
                                   {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE},
                                   {.flags = UV_IGNORE}};
  uv_process_options_t options = {.file = script == NULL ? "/no/such/program" : "/bin/sh",
                                  .args = arguments,
                                  .env = environment,
                                  .cwd = cwd,
                                  .stdio_count = 3,
                                  .stdio = stdio,
                                  .exit_cb = child_exited};
  child_size = 0;
  CHECK(uv_pipe_init(loop, &output, 0));
  stdio[1].data.stream = (uv_stream_t*) &output;
  int err = uv_spawn(loop, &process, &options);
  printf("spawn: %s\n", err == 0 ? "ok" : uv_err_name(err));
  if (err == 0) {
    CHECK(uv_read_start((uv_stream_t*) &output, give_buffer, child_read));
  } else {
    uv_close((uv_handle_t*) &output, NULL);
    uv_close((uv_handle_t*) &process, NULL);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  printf("child said: %.*s\n", (int) child_size, child_output);
}

int main(void) {
  loop = uv_default_loop();
  run_echo();
  run_pump();
  run_child("echo \"$WORD\"; pwd; exit 3", "/");
  run_child("kill -9 $$", NULL);
  run_child("ls /proc/self/fd | wc -l", NULL);
  run_child("exit 0", "/no/such/place");
  run_child(NULL, NULL);
  printf("close: %d\n", uv_loop_close(loop));
  return 0;
}
