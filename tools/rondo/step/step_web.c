/* The live page: a small server on the loopback interface for whoever has the address
 * that was printed, which contains a secret word. Pages of other sites, which can make a
 * browser send requests, don't know the word; a request whose Host header names another
 * host is refused. The world is one, so answers are made one at a time; connections that
 * ask for nothing yet (browsers open some ahead) block nobody. What takes long is
 * answered in parts: the page asks again. */
#include "step_else.h"
#include "step_film.h"
#include "step_move.h"
#include "step_outcomes.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  CONNECTIONS_MOST = 24,
  REQUEST_MOST = 8192,
  ANSWER_MOST_MS = 10000, /* to take all of an answer */
  PART_MS = 250,          /* then a part of an answer is sent */
  TOKEN_SIZE = 33,
  ELSE_RUNS = 60,
  DRAWN_RUNS = 20,
  OUTCOMES = 12
};

struct web_connection {
  int fd;
  size_t used;
  char request[REQUEST_MOST];
};

struct web {
  struct step_world* world;
  const char* title;
  struct film_files files;
  char token[TOKEN_SIZE];
  unsigned int port;
  struct web_connection* connections[CONNECTIONS_MOST]; /* the oldest first */
  size_t count;
};

/* --- answers ------------------------------------------------------------------------ */

static void send_all(int fd, const char* bytes, size_t length) {
  struct pollfd polled = {.fd = fd, .events = POLLOUT};
  while (length > 0 && poll(&polled, 1, ANSWER_MOST_MS) > 0) {
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n <= 0)
      return;
    bytes += n;
    length -= (size_t) n;
  }
}

static void answer_send(int fd, const char* status, const char* type, const char* bytes,
                        size_t length) {
  char head[400];
  int used =
      snprintf(head, sizeof(head),
               "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
               "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
               "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
               "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
               status, type, length);
  send_all(fd, head, (size_t) used);
  send_all(fd, bytes, length);
}

/* A value of the query, decoded; false if it isn't there. */
static bool query_value(const char* query, const char* name, char* value, size_t size) {
  size_t length = strlen(name), used = 0;
  for (; *query != '\0'; query += strcspn(query, "&"), query += *query == '&') {
    if (strncmp(query, name, length) != 0 || query[length] != '=')
      continue;
    for (query += length + 1; *query != '\0' && *query != '&' && used + 1 < size;) {
      unsigned int byte = (unsigned char) *query;
      if (*query == '%' && isxdigit((unsigned char) query[1]) &&
          isxdigit((unsigned char) query[2])) {
        const char digits[3] = {query[1], query[2], '\0'};
        byte = (unsigned int) strtoul(digits, NULL, 16);
        query += 3;
      } else {
        byte = *query == '+' ? ' ' : byte;
        query++;
      }
      value[used++] = (char) byte;
    }
    value[used] = '\0';
    return true;
  }
  return false;
}

static size_t query_number(const char* query, const char* name) {
  char value[32];
  return query_value(query, name, value, sizeof(value)) ? strtoull(value, NULL, 10) : 0;
}

/* Writes the steps, queues and files that the page doesn't have yet. */
static void part_write(struct web* web, FILE* out, const char* query) {
  struct film_known known = {.steps = query_number(query, "steps"),
                             .queues = query_number(query, "queues")};
  size_t files = query_number(query, "files");
  if (known.steps > web->world->record.count)
    known.steps = web->world->record.count;
  fputs("\"run\":", out);
  film_run(out, web->world, &web->files, &known,
           web->world->schedule.count == 0 ? step_outcomes_usual : "chosen");
  fputs(",\"files\":", out);
  film_sources(out, &web->files, files);
}

/* The whole of it, when the page is opened or another schedule begins. */
static void page_data(struct web* web, FILE* out) {
  const struct film_known nothing = {0};
  fputs("{\"title\":", out);
  film_text(out, web->title, strlen(web->title));
  fputs(",\"live\":true,\"runs\":[", out);
  film_run(out, web->world, &web->files, &nothing,
           web->world->schedule.count == 0 ? step_outcomes_usual : "chosen");
  fputs("],\"files\":", out);
  film_sources(out, &web->files, 0);
  putc('}', out);
}

static bool page_write(struct web* web, FILE* out) {
  char* data = NULL;
  size_t length = 0;
  FILE* memory = open_memstream(&data, &length);
  if (memory == NULL)
    return false;
  page_data(web, memory);
  bool is_good = fclose(memory) == 0 && film_page_write(out, data, length, true);
  free(data);
  return is_good;
}

static bool goal_read(const char* query, struct step_move* move) {
  static const struct {
    const char* word;
    enum step_goal goal;
  } goals[] = {{"next", GOAL_CALLBACK},
               {"step", GOAL_ANY},
               {"phase", GOAL_PHASE},
               {"turn", GOAL_TURN},
               {"last", GOAL_END}};
  char word[400];
  if (query_value(query, "until", word, sizeof(word)))
    return step_move_until(move, word);
  if (!query_value(query, "goal", word, sizeof(word)))
    return false;
  for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
    if (strcmp(word, goals[i].word) == 0) {
      move->goal = goals[i].goal;
      return true;
    }
  }
  return false;
}

/* Goes on for a while: the page asks again with the step up to which was looked. */
static bool move_write(struct web* web, FILE* out, const char* query) {
  const struct step_lane everything = {0};
  struct step_move move = {.seen = query_number(query, "seen")};
  size_t at = query_number(query, "from");
  if (!goal_read(query, &move) || at >= web->world->record.count)
    return false;
  web->world->until_ns = world_real_ns() + PART_MS * UINT64_C(1000000);
  bool is_found = step_move(web->world, &everything, &at, &move);
  bool is_late = world_real_ns() >= web->world->until_ns;
  web->world->until_ns = 0;
  bool is_end = web->world->is_over || web->world->record.count >= STEPS_MOST;
  if (move.goal == GOAL_END)
    is_found = is_end;
  fprintf(out, "{\"at\":%zu,\"found\":%s,\"more\":%s,", at, is_found ? "true" : "false",
          !is_found && is_late && !is_end ? "true" : "false");
  part_write(web, out, query);
  putc('}', out);
  return true;
}

static bool choose_write(struct web* web, FILE* out, const char* query) {
  struct sim_options read = {0};
  struct step_schedule schedule = {.is_drawn = true};
  struct step_world* world = web->world;
  char list[4096], *end;
  bool is_good = false;
  if (query_value(query, "choices", list, sizeof(list)) && list[0] != '@') {
    is_good = sim_choices_take(list, &read);
    schedule =
        (struct step_schedule){.choices = read.choices, .count = read.choice_count};
  } else if (query_value(query, "seed", list, sizeof(list))) {
    schedule.seed = strtoull(list, &end, 10);
    is_good = end != list && *end == '\0';
  }
  if (is_good) {
    struct step_world before = *world;
    is_good = step_world_start(world, &before.options, &schedule, before.stop);
    step_world_end(&before);
  }
  sim_options_free(&read);
  if (!is_good)
    return false;
  size_t rank = query_number(query, "rank");
  size_t at = step_own_at(world, rank);
  if (at >= world->record.count && at > 0)
    at = world->record.count - 1;
  fprintf(out, "{\"at\":%zu,\"data\":", at);
  page_data(web, out);
  putc('}', out);
  return true;
}

static void schedule_write(FILE* out, const struct step_schedule* schedule) {
  char* choices = film_choices(schedule);
  if (choices != NULL)
    fprintf(out, ",\"choices\":\"%s\"", choices);
  else
    fprintf(out, ",\"seed\":%llu", (unsigned long long) schedule->seed);
  free(choices);
}

static void else_write(struct web* web, FILE* out, const char* query) {
  struct step_others others;
  bool is_drawn = web->world->schedule.is_drawn;
  step_others_find(&others, web->world, query_number(query, "from"),
                   is_drawn ? DRAWN_RUNS : ELSE_RUNS, false);
  fprintf(out, "{\"complete\":%s,\"tried\":%u,\"list\":[",
          others.is_complete ? "true" : "false", others.tried);
  for (size_t i = 0; i < others.count; i++) {
    fputs(i == 0 ? "{\"title\":" : ",{\"title\":", out);
    film_text(out, others.list[i].title, strlen(others.list[i].title));
    fprintf(out, ",\"here\":%s", others.list[i].is_ours ? "true" : "false");
    schedule_write(out, &others.list[i].schedule);
    putc('}', out);
  }
  fputs("]}", out);
  step_others_free(&others);
}

static void outcomes_write(struct web* web, FILE* out) {
  struct step_outcomes outcomes;
  step_world_run(web->world);
  step_outcomes_find(&outcomes, web->world, OUTCOMES);
  fprintf(out, "{\"complete\":%s,\"list\":[", outcomes.is_complete ? "true" : "false");
  for (size_t i = 0; i < outcomes.count; i++) {
    const char* words = outcomes.list[i].words;
    fputs(i == 0 ? "{\"label\":" : ",{\"label\":", out);
    film_text(out, words == NULL ? "" : words, words == NULL ? 0 : strlen(words));
    const char* output = outcomes.list[i].output;
    fputs(",\"output\":", out);
    film_text(out, output == NULL ? "" : output, output == NULL ? 0 : strlen(output));
    schedule_write(out, &outcomes.list[i].schedule);
    putc('}', out);
  }
  fputs("]}", out);
  step_outcomes_free(&outcomes);
}

/* The page itself is asked for; what moves the world is sent. */
static bool answer_write(struct web* web, FILE* out, bool is_post, const char* path,
                         const char* query, const char** type) {
  *type = "application/json";
  if (!is_post) {
    *type = "text/html";
    return *path == '\0' && page_write(web, out);
  }
  if (strcmp(path, "move") == 0)
    return move_write(web, out, query);
  if (strcmp(path, "choose") == 0)
    return choose_write(web, out, query);
  if (strcmp(path, "else") == 0)
    else_write(web, out, query);
  else if (strcmp(path, "outcomes") == 0)
    outcomes_write(web, out);
  else
    return false;
  return true;
}

/* --- requests ----------------------------------------------------------------------- */

static bool host_is_ours(const struct web* web, const char* request) {
  static const char* const names[] = {"127.0.0.1", "localhost"};
  char wanted[64];
  for (const char* at = strstr(request, "\r\n"); at != NULL; at = strstr(at, "\r\n")) {
    at += 2;
    if (strncasecmp(at, "Host:", 5) != 0)
      continue;
    at += 5 + strspn(at + 5, " \t");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      int length = snprintf(wanted, sizeof(wanted), "%s:%u", names[i], web->port);
      if (strncasecmp(at, wanted, (size_t) length) == 0 && at[length] == '\r')
        return true;
    }
    return false;
  }
  return false;
}

/* In constant time: its duration doesn't reveal where the words differ. */
static bool token_is_ours(const struct web* web, const char* path) {
  unsigned char differs = 0;
  if (strlen(path) < TOKEN_SIZE || path[TOKEN_SIZE - 1] != '/')
    return false;
  for (size_t i = 0; i < TOKEN_SIZE - 1; i++)
    differs |= (unsigned char) (path[i] ^ web->token[i]);
  return differs == 0;
}

static void request_answer(struct web* web, int fd, char* request) {
  static const char refused[] = "Only with the address that rondo step has printed.\n";
  static const char missing[] = "There is no such thing here.\n";
  bool is_post = strncmp(request, "POST /", 6) == 0;
  bool is_get = strncmp(request, "GET /", 5) == 0;
  bool is_ours = host_is_ours(web, request);
  char* path = request + (is_post ? 6 : 5);
  char *bytes = NULL, *query = NULL;
  size_t length = 0;
  const char* type = "text/plain";
  if (is_post || is_get) {
    path[strcspn(path, " \r\n")] = '\0';
    query = strchr(path, '?');
    if (query != NULL)
      *query++ = '\0';
  }
  if (!is_ours || (!is_post && !is_get) || !token_is_ours(web, path)) {
    answer_send(fd, "403 Forbidden", type, refused, sizeof(refused) - 1);
    return;
  }
  FILE* out = open_memstream(&bytes, &length);
  bool is_good = out != NULL && answer_write(web, out, is_post, path + TOKEN_SIZE,
                                             query == NULL ? "" : query, &type);
  if (out != NULL)
    fclose(out);
  if (is_good)
    answer_send(fd, "200 OK", type, bytes, length);
  else
    answer_send(fd, "404 Not Found", "text/plain", missing, sizeof(missing) - 1);
  free(bytes);
}

/* --- connections -------------------------------------------------------------------- */

static void connection_end(struct web* web, size_t index) {
  struct web_connection* connection = web->connections[index];
  close(connection->fd);
  free(connection);
  web->count--;
  memmove(&web->connections[index], &web->connections[index + 1],
          (web->count - index) * sizeof(struct web_connection*));
}

/* If there are many, the oldest makes room. */
static void connection_begin(struct web* web, int server) {
  int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0)
    return;
  if (web->count == CONNECTIONS_MOST)
    connection_end(web, 0);
  struct web_connection* connection = calloc(1, sizeof(*connection));
  if (connection == NULL) {
    close(fd);
    return;
  }
  connection->fd = fd;
  web->connections[web->count++] = connection;
}

/* Reads what has come; the request is answered when it is whole. */
static void connection_read(struct web* web, size_t index) {
  struct web_connection* connection = web->connections[index];
  ssize_t n = recv(connection->fd, connection->request + connection->used,
                   REQUEST_MOST - 1 - connection->used, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  connection->used += n > 0 ? (size_t) n : 0;
  connection->request[connection->used] = '\0';
  bool is_whole = strstr(connection->request, "\r\n\r\n") != NULL;
  if (is_whole)
    request_answer(web, connection->fd, connection->request);
  if (is_whole || n <= 0 || connection->used == REQUEST_MOST - 1)
    connection_end(web, index);
}

static bool token_make(struct web* web) {
  unsigned char bytes[(TOKEN_SIZE - 1) / 2];
  if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes))
    return false;
  for (size_t i = 0; i < sizeof(bytes); i++)
    snprintf(web->token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static int server_open(struct web* web, unsigned int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t) port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof(address);
  int yes = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(fd, (struct sockaddr*) &address, sizeof(address)) != 0 ||
      listen(fd, CONNECTIONS_MOST) != 0 ||
      getsockname(fd, (struct sockaddr*) &address, &length) != 0) {
    int err = errno;
    close(fd);
    errno = err;
    return -1;
  }
  web->port = ntohs(address.sin_port);
  return fd;
}

/* While the page asks for nothing the world stands still, and must not be given up. */
static void web_serve(struct web* web, int server) {
  struct pollfd fds[CONNECTIONS_MOST + 1];
  while (!*web->world->stop) {
    fds[0] = (struct pollfd){.fd = server, .events = POLLIN};
    for (size_t i = 0; i < web->count; i++)
      fds[i + 1] = (struct pollfd){.fd = web->connections[i]->fd, .events = POLLIN};
    size_t count = web->count;
    if (poll(fds, count + 1, -1) < 0)
      continue; /* a signal: perhaps the end */
    for (size_t i = count; i-- > 0;) {
      if (fds[i + 1].revents != 0)
        connection_read(web, i);
    }
    if (fds[0].revents != 0)
      connection_begin(web, server);
  }
  while (web->count > 0)
    connection_end(web, 0);
}

int step_web(struct step_world* world, const char* title, unsigned int port) {
  struct web web = {.world = world, .title = title};
  int server = token_make(&web) ? server_open(&web, port) : -1;
  if (server < 0) {
    fprintf(stderr, "rondo step: no server on port %u: %s\n", port, strerror(errno));
    return 2;
  }
  if (step_world_reach(world, 0)) {
    printf("http://127.0.0.1:%u/%s/\n", web.port, web.token);
    fflush(stdout);
    fputs("rondo step: whoever has this address can step; Ctrl-C ends it\n", stderr);
    web_serve(&web, server);
  }
  close(server);
  film_files_free(&web.files);
  return 0;
}
