/* A client that gives up a server after 100 milliseconds of virtual time, asks three
 * times, and sleeps an hour in between. The server is outside the world and takes 300
 * real milliseconds to answer, or it is a child of the client's and sleeps 50 virtual
 * ones.
 *
 *     outside tcp PORT | unix PATH | udp PORT
 *     outside inside tcp | unix | udp
 *
 * Run by test/sim/check. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, GIVE_UP_MS = 100 };

struct address {
  struct sockaddr_storage name;
  socklen_t length;
  int type;
};

static void fail(const char* what) {
  perror(what);
  exit(2);
}

static struct address address_of(const char* kind, const char* where) {
  struct address address = {.type = kind[0] == 'u' && kind[1] == 'd' ? SOCK_DGRAM
                                                                     : SOCK_STREAM};
  if (strcmp(kind, "unix") == 0) {
    struct sockaddr_un* name = (struct sockaddr_un*) &address.name;
    name->sun_family = AF_UNIX;
    snprintf(name->sun_path, sizeof(name->sun_path), "%s", where);
    address.length = sizeof(*name);
  } else {
    struct sockaddr_in* name = (struct sockaddr_in*) &address.name;
    name->sin_family = AF_INET;
    name->sin_port = htons((uint16_t) atoi(where));
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.length = sizeof(*name);
  }
  return address;
}

/* --- the client --------------------------------------------------------------------- */

static int ask(const struct address* to) {
  int fd = socket(to->name.ss_family, to->type, 0);
  char answer[16];
  const struct sockaddr* name = (const struct sockaddr*) &to->name;
  if (fd < 0 || (to->type == SOCK_STREAM && connect(fd, name, to->length) != 0))
    fail("connect");
  for (int i = 0; i < ROUNDS; i++) {
    ssize_t sent = to->type == SOCK_STREAM
                       ? send(fd, "question", 8, 0)
                       : sendto(fd, "question", 8, 0, name, to->length);
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    if (sent != 8)
      fail("send");
    if (poll(&poller, 1, GIVE_UP_MS) != 1) {
      printf("round %d: no answer within %d ms\n", i, GIVE_UP_MS);
      return 1;
    }
    if (recv(fd, answer, sizeof(answer), 0) != 8)
      fail("recv");
    sleep(3600);
  }
  close(fd);
  printf("%d answers\n", ROUNDS);
  return 0;
}

/* --- the server inside -------------------------------------------------------------- */

static void serve(int fd, int type) {
  char question[16];
  struct sockaddr_storage from;
  socklen_t length = sizeof(from);
  ssize_t n;
  int client = type == SOCK_STREAM ? accept(fd, NULL, NULL) : fd;
  while ((n = recvfrom(client, question, sizeof(question), 0, (struct sockaddr*) &from,
                       &length)) > 0) {
    usleep(50 * 1000);
    if (type == SOCK_STREAM ? send(client, question, (size_t) n, 0) != n
                            : sendto(client, question, (size_t) n, 0,
                                     (struct sockaddr*) &from, length) != n)
      _exit(1);
    length = sizeof(from);
  }
  _exit(0);
}

static int ask_inside(const char* kind) {
  char path[64] = "0";
  if (strcmp(kind, "unix") == 0)
    snprintf(path, sizeof(path), "/tmp/rondo-outside-%d", (int) getpid());
  struct address address = address_of(kind, path);
  int fd = socket(address.name.ss_family, address.type, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*) &address.name, address.length) != 0 ||
      (address.type == SOCK_STREAM && listen(fd, 4) != 0))
    fail("bind");
  socklen_t length = sizeof(address.name);
  if (getsockname(fd, (struct sockaddr*) &address.name, &length) != 0)
    fail("getsockname");
  pid_t child = fork();
  if (child == 0)
    serve(fd, address.type);
  int status = ask(&address);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  if (path[0] == '/')
    unlink(path);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(argv[1], "inside") == 0)
    return ask_inside(argv[2]);
  struct address address = address_of(argv[1], argv[2]);
  return ask(&address);
}
