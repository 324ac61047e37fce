/* A small server on the loopback interface for one reader: whoever has the address that
 * was printed, which contains a secret word. Pages of other sites, which can make a
 * browser send requests, don't know the word; and a request whose Host header names
 * another host is refused. Each request is read by a thread of its own, within a time
 * limit for all of it; where many come, whoever has asked for nothing yet for the longest
 * time makes room, so that slow connections block nobody. Answers are made one at a time.
 */
#include "live_web.h"
#include "live_answer.h"
#include "live_metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  READERS_MOST = 32, /* more than that, and the slowest must go, */
  PLACES = 64,       /* which takes a moment */
  REQUEST_MOST = 8192,
  REQUEST_MOST_MS = 3000, /* to send all of a request, */
  ANSWER_MOST_MS = 20000, /* and to take all of its answer */
  TOKEN_SIZE = 33
};

/* A connection that a thread reads from. */
struct reader {
  int fd; /* -1: the place is free */
  uint64_t since_ms;
  bool has_asked; /* its request is complete */
};

static struct {
  char token[TOKEN_SIZE];
  unsigned int port;
  struct reader readers[PLACES]; /* protected by `door` */
  pthread_mutex_t door;
  pthread_cond_t left;  /* a place has become free */
  pthread_mutex_t lock; /* held while an answer is made */
  struct live_answers answers;
  struct metrics metrics; /* protected by `lock` */
  bool is_exporter;       /* serves figures for Prometheus instead of the page */
  bool is_public;         /* others than this machine can connect */
} web = {.door = PTHREAD_MUTEX_INITIALIZER,
         .left = PTHREAD_COND_INITIALIZER,
         .lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* Waits until the connection is ready, to a time that doesn't begin anew with each byte.
 */
static bool is_ready_before(int fd, short events, uint64_t end_ms) {
  struct pollfd polled = {.fd = fd, .events = events};
  for (;;) {
    uint64_t now = now_ms();
    int ready = now >= end_ms ? 0 : poll(&polled, 1, (int) (end_ms - now));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

/* --- requests -------------------------------------------------------------------------
 */

/* Reads up to the empty line; false if there is none, or the request is too long or too
 * slow. */
static bool request_read(int fd, char* request) {
  size_t used = 0;
  uint64_t end_ms = now_ms() + REQUEST_MOST_MS;
  while (used < REQUEST_MOST - 1 && is_ready_before(fd, POLLIN, end_ms)) {
    ssize_t n = recv(fd, request + used, REQUEST_MOST - 1 - used, 0);
    if (n <= 0)
      return false;
    used += (size_t) n;
    request[used] = '\0';
    if (strstr(request, "\r\n\r\n") != NULL)
      return true;
  }
  return false;
}

/* The value of a header, up to the end of its line; "" if the header is missing. */
static void header_value(const char* request, const char* name, char* value,
                         size_t size) {
  size_t length = strlen(name);
  *value = '\0';
  for (const char* at = strstr(request, "\r\n"); at != NULL; at = strstr(at, "\r\n")) {
    at += 2;
    if (strncasecmp(at, name, length) != 0 || at[length] != ':')
      continue;
    at += length + 1;
    at += strspn(at, " \t");
    snprintf(value, size, "%.*s", (int) strcspn(at, "\r\n"), at);
    return;
  }
}

static bool host_is_ours(const char* request) {
  if (web.is_public)
    return true;
  static const char* const names[] = {"127.0.0.1", "localhost", "[::1]"};
  char host[128], wanted[64];
  header_value(request, "Host", host, sizeof(host));
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    snprintf(wanted, sizeof(wanted), "%s:%u", names[i], web.port);
    if (strcasecmp(host, wanted) == 0)
      return true;
  }
  return false;
}

/* A comparison in constant time: its duration doesn't reveal where the words differ. */
static bool token_is_ours(const char* path) {
  unsigned char differs = 0;
  for (size_t i = 0; i < TOKEN_SIZE - 1; i++) {
    if (path[i] == '\0')
      return false;
    differs |= (unsigned char) (path[i] ^ web.token[i]);
  }
  return differs == 0 && path[TOKEN_SIZE - 1] == '/';
}

static void send_all(int fd, const char* bytes, size_t length) {
  uint64_t end_ms = now_ms() + ANSWER_MOST_MS;
  while (length > 0 && is_ready_before(fd, POLLOUT, end_ms)) {
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n <= 0)
      return;
    bytes += n;
    length -= (size_t) n;
  }
}

static void answer_send(int fd, const struct live_answer* answer) {
  char head[512];
  int length = snprintf(
      head, sizeof(head),
      "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
      "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n%s%s%s\r\n",
      answer->status, answer->type, answer->length,
      *answer->location == '\0' ? "" : "Location: ", answer->location,
      *answer->location == '\0' ? "" : "\r\n");
  send_all(fd, head, (size_t) length);
  if (answer->bytes != NULL)
    send_all(fd, answer->bytes, answer->length);
}

/* There is nothing in it that only its reader may see. */
static void metrics_answer(int fd, const char* request) {
  struct live_answer answer = {.status = "404 Not Found", .type = "text/plain"};
  char accept[512];
  header_value(request, "Accept", accept, sizeof(accept));
  bool open = strstr(accept, "application/openmetrics-text") != NULL;
  if (strncmp(request, "GET /metrics", 12) == 0 &&
      (request[12] == ' ' || request[12] == '?')) {
    FILE* out = open_memstream(&answer.bytes, &answer.length);
    if (out == NULL)
      out_of_memory();
    pthread_mutex_lock(&web.lock);
    metrics_look(&web.metrics, true);
    metrics_write(out, &web.metrics, open);
    pthread_mutex_unlock(&web.lock);
    fclose(out);
    answer.status = "200 OK";
    answer.type = open ? "application/openmetrics-text; version=1.0.0"
                       : "text/plain; version=0.0.4";
  }
  answer_send(fd, &answer);
  free(answer.bytes);
}

/* Answers the part of the path after the secret word: "", "4711/", "4711/now", "all". */
static void request_answer(int fd, char* request) {
  struct live_answer answer = {.status = "404 Not Found", .type = "text/plain"};
  char* path = request + 5;
  path[strcspn(path, " ?\r\n")] = '\0';
  bool good = strncmp(request, "GET /", 5) == 0 && token_is_ours(path);
  if (good) {
    pthread_mutex_lock(&web.lock);
    live_answer_make(&web.answers, &answer, path + TOKEN_SIZE);
    pthread_mutex_unlock(&web.lock);
  }
  answer_send(fd, &answer);
  free(answer.bytes);
}

static void reader_asked(struct reader* reader) {
  pthread_mutex_lock(&web.door);
  reader->has_asked = true;
  pthread_mutex_unlock(&web.door);
}

/* Under the lock: the place may be another connection's the next moment. */
static void reader_end(struct reader* reader) {
  pthread_mutex_lock(&web.door);
  close(reader->fd);
  reader->fd = -1;
  pthread_cond_signal(&web.left);
  pthread_mutex_unlock(&web.door);
}

static void* reader_run(void* argument) {
  struct reader* reader = argument;
  char* request = malloc(REQUEST_MOST);
  if (request != NULL && request_read(reader->fd, request)) {
    struct live_answer refused = {.status = "403 Forbidden", .type = "text/plain"};
    reader_asked(reader);
    if (web.is_exporter && host_is_ours(request))
      metrics_answer(reader->fd, request);
    else if (host_is_ours(request))
      request_answer(reader->fd, request);
    else
      answer_send(reader->fd, &refused);
  }
  free(request);
  reader_end(reader);
  return NULL;
}

/* --- the server ------------------------------------------------------------------------
 */

static bool token_make(void) {
  unsigned char bytes[(TOKEN_SIZE - 1) / 2];
  if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes))
    return false;
  for (size_t i = 0; i < sizeof(bytes); i++)
    snprintf(web.token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static int server_open(struct in_addr host, unsigned int port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t) port), .sin_addr = host};
  socklen_t length = sizeof(address);
  int yes = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(fd, (struct sockaddr*) &address, sizeof(address)) != 0 ||
      listen(fd, 16) != 0 || getsockname(fd, (struct sockaddr*) &address, &length) != 0) {
    int err = errno;
    close(fd);
    errno = err;
    return -1;
  }
  web.port = ntohs(address.sin_port);
  return fd;
}

/* The place for one more connection; NULL: there is none. If there are many, the one that
 * has been asking for the longest time is cut off: its thread then ends. */
static struct reader* reader_place(int fd) {
  struct reader *place = NULL, *slowest = NULL;
  size_t count = 0;
  for (size_t i = 0; i < PLACES; i++) {
    struct reader* reader = &web.readers[i];
    if (reader->fd < 0) {
      place = reader;
      continue;
    }
    count++;
    if (!reader->has_asked && (slowest == NULL || reader->since_ms < slowest->since_ms))
      slowest = reader;
  }
  if (count >= READERS_MOST && slowest != NULL)
    shutdown(slowest->fd, SHUT_RDWR);
  if (place != NULL)
    *place = (struct reader){.fd = fd, .since_ms = now_ms()};
  return place;
}

/* Takes the descriptor over, unless it returns false. */
static bool reader_start(int fd) {
  pthread_t thread;
  pthread_mutex_lock(&web.door);
  struct reader* reader;
  while ((reader = reader_place(fd)) == NULL) /* one that was cut off is leaving */
    pthread_cond_wait(&web.left, &web.door);
  pthread_mutex_unlock(&web.door);
  if (pthread_create(&thread, NULL, reader_run, reader) == 0) {
    pthread_detach(thread);
    return true;
  }
  pthread_mutex_lock(&web.door);
  reader->fd = -1;
  pthread_mutex_unlock(&web.door);
  return false;
}

/* Rings are read again before they can be overwritten, whether anybody asks or not. */
static void exporter_wait(int server) {
  enum { BETWEEN_MS = 5000 };
  struct pollfd polled = {.fd = server, .events = POLLIN};
  while (web.is_exporter && poll(&polled, 1, BETWEEN_MS) == 0) {
    pthread_mutex_lock(&web.lock);
    metrics_look(&web.metrics, false);
    pthread_mutex_unlock(&web.lock);
  }
}

static int serve(int server) {
  for (size_t i = 0; i < PLACES; i++)
    web.readers[i].fd = -1;
  for (;;) {
    exporter_wait(server);
    int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && !reader_start(fd))
      close(fd);
    if (fd < 0 && errno != EINTR && errno != ECONNABORTED && errno != EMFILE)
      return 1;
    if (fd < 0 && errno == EMFILE)
      usleep(10000);
  }
}

int live_web(const char* pid, unsigned int port, unsigned int interval_ms) {
  struct live_ring ring;
  if (pid != NULL) {
    if (!live_ring_find(&ring, pid))
      return 1;
    web.answers.pid = ring.pid;
    live_ring_close(&ring);
  }
  const struct in_addr here = {htonl(INADDR_LOOPBACK)};
  web.answers.interval_ms = interval_ms;
  int server = token_make() ? server_open(here, port) : -1;
  if (server < 0) {
    fprintf(stderr, "rondo: no server on port %u: %s\n", port, strerror(errno));
    return 1;
  }
  printf("http://127.0.0.1:%u/%s/\n", web.port, web.token);
  fflush(stdout);
  fputs("rondo: whoever has this address can look; Ctrl-C ends it\n", stderr);
  return serve(server);
}

/* "127.0.0.1:9464", or a port alone, of this machine. */
static bool place_parse(const char* place, struct in_addr* host, unsigned int* port) {
  const char* colon = strrchr(place, ':');
  char name[64] = "127.0.0.1", *end;
  const char* digits = colon == NULL ? place : colon + 1;
  if (colon != NULL && (size_t) (colon - place) < sizeof(name))
    snprintf(name, sizeof(name), "%.*s", (int) (colon - place), place);
  if (strcmp(name, "localhost") == 0)
    snprintf(name, sizeof(name), "127.0.0.1");
  unsigned long number = strtoul(digits, &end, 10);
  *port = (unsigned int) number;
  return *digits >= '0' && *digits <= '9' && *end == '\0' && number <= 65535 &&
         inet_pton(AF_INET, name, host) == 1;
}

int live_exporter(const char* place) {
  struct in_addr host;
  unsigned int port;
  char name[INET_ADDRSTRLEN] = "";
  if (!place_parse(place, &host, &port)) {
    fprintf(stderr,
            "rondo top: --metrics needs an address and a port, such as 127.0.0.1:9464, "
            "not %s\n",
            place);
    return 9;
  }
  web.is_exporter = true;
  web.is_public = ntohl(host.s_addr) >> 24 != 127;
  web.metrics.stall_ns = 50000000;
  int server = server_open(host, port);
  inet_ntop(AF_INET, &host, name, sizeof(name));
  if (server < 0) {
    fprintf(stderr, "rondo: no server on %s, port %u: %s\n", name, port, strerror(errno));
    return 1;
  }
  printf("http://%s:%u/metrics\n", name, web.port);
  fflush(stdout);
  return serve(server);
}
