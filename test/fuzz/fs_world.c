/* The places of a chain: a directory with one of everything, and a set of descriptors.
 * Nothing in it depends on who runs the program, as long as that isn't root. */
#include "fs_fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* Below the chain's directory. */
static const char* const inner[] = {
    "a",        "a",           "b",         "b",    "c",       "d",     "d",
    "e",        "d/a",         "d/b",       "d/e",  "d/e/f",   "soft",  "soft",
    "dangling", "loop",        "ring/x",    "fifo", "sock",    "none",  "shut",
    "shut/x",   "t",           "t/x",       "new",  "new",     "newer", "d/new",
    "e/new",    "\xff\x01 \n", "missing/x", "a/",   "a/x",     "d/",    "d//a",
    "d/.",      "d/..",        "./a",       "to-d", "to-d/a",  "to-d/", "soft/",
    "hard",     "script",      "dangling/", "big",  "to-null", "up",
};
static const char* const outer[] = {
    "",          "/",          "/dev/null",         "/dev/full",
    "/dev/zero", "/etc/hosts", "/etc/shadow",       "/proc/version",
    "/none/x",   "/dev/null/", "/proc/filesystems", "/etc/hosts/",
};
enum {
  INNER = sizeof(inner) / sizeof(inner[0]),
  OUTER = sizeof(outer) / sizeof(outer[0])
};

/* Around the limits of names and paths. */
static void long_path(struct chain* chain, char* path) {
  static const size_t lengths[] = {NAME_MAX, NAME_MAX + 1, PATH_MAX - 2, PATH_MAX - 1,
                                   PATH_MAX};
  size_t length = lengths[pick(chain, 5)];
  int used = sprintf(path, "c%d/", chain->number);
  if (length < PATH_MAX - 2) {
    memset(path + used, 'n', length);
    path[(size_t) used + length] = '\0';
    return;
  }
  while ((size_t) used + 3 < length)
    used += sprintf(path + used, "./");
  while ((size_t) used < length)
    path[used++] = 'a';
  path[used] = '\0';
}

void world_path(struct chain* chain, char* path) {
  unsigned int choice = pick(chain, 24);
  if (choice == 0)
    long_path(chain, path);
  else if (choice < 4)
    strcpy(path, outer[pick(chain, OUTER)]);
  else
    sprintf(path, "c%d/%s", chain->number, inner[pick(chain, INNER)]);
}

int world_file(struct chain* chain, int* slot) {
  static const int bad[] = {-1, 9999, INT_MAX, INT_MIN};
  *slot = (int) pick(chain, SLOTS + 2);
  if (*slot < SLOTS && chain->files[*slot] >= 0)
    return chain->files[*slot];
  *slot = -1;
  return bad[pick(chain, 4)];
}

void world_keep(struct chain* chain, int fd) {
  /* The first ones stay what they are: pipes and so on. */
  int slot = SLOTS / 2 + (int) pick(chain, SLOTS / 2);
  if (chain->files[slot] >= 0)
    close(chain->files[slot]);
  chain->files[slot] = fd;
}

bool world_would_wait(int fd, short events) {
  struct stat about;
  int status = fcntl(fd, F_GETFL);
  if (fstat(fd, &about) != 0 || status < 0 || S_ISREG(about.st_mode) ||
      S_ISDIR(about.st_mode) || S_ISCHR(about.st_mode))
    return false;
  struct pollfd asked = {.fd = fd, .events = events};
  return (status & O_NONBLOCK) == 0 && poll(&asked, 1, 0) == 0;
}

bool world_has(int fd, short events, size_t size) {
  struct stat about;
  int there = 0;
  if (fstat(fd, &about) != 0 || (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode)))
    return true;
  struct pollfd asked = {.fd = fd, .events = events};
  if (poll(&asked, 1, 0) == 0 || size > 1000)
    return false;
  if (events == POLLIN && ioctl(fd, FIONREAD, &there) == 0 && (size_t) there < size)
    return false;
  return true;
}

mode_t world_type(const char* path) {
  struct stat about;
  return stat(path, &about) == 0 ? about.st_mode & S_IFMT : 0;
}

bool world_is_endless(const char* path) {
  struct stat about;
  if (stat(path, &about) != 0)
    return false;
  return S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode) || about.st_size > 1000000;
}

/* --- The making ------------------------------------------------------------------- */

static void place(struct chain* chain, char* path, const char* name) {
  snprintf(path, PATH_ROOM, "c%d/%s", chain->number, name);
}

static void make_file(struct chain* chain, const char* name, size_t size, mode_t mode) {
  char path[PATH_ROOM];
  char line[64];
  place(chain, path, name);
  FILE* file = fopen(path, "w");
  expect(file != NULL);
  for (size_t done = 0; done < size; done += strlen(line)) {
    snprintf(line, sizeof(line), "%zu of %s%c", done, name, done % 3 ? '\n' : '\0');
    fputs(line, file);
  }
  expect(fclose(file) == 0 && chmod(path, mode) == 0);
}

static void make_link(struct chain* chain, const char* target, const char* name) {
  char path[PATH_ROOM];
  place(chain, path, name);
  expect(symlink(target, path) == 0);
}

static void make_directory(struct chain* chain, const char* name) {
  char path[PATH_ROOM];
  place(chain, path, name);
  expect(mkdir(path, 0755) == 0);
}

static void make_special(struct chain* chain) {
  char path[PATH_ROOM];
  place(chain, path, "fifo");
  expect(mkfifo(path, 0644) == 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "c%d/sock", chain->number);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  expect(fd >= 0 && bind(fd, (struct sockaddr*) &address, sizeof(address)) == 0);
  close(fd);
}

static void make_tree(struct chain* chain) {
  char path[PATH_ROOM];
  char other[PATH_ROOM];
  static const char* const directories[] = {"", "d", "d/e", "e", "shut", "t"};
  for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
    make_directory(chain, directories[i]);
  make_file(chain, "a", 10000, 0644);
  make_file(chain, "b", pick(chain, 70000), 0600);
  make_file(chain, "c", 0, 0444);
  make_file(chain, "d/a", 17, 0644);
  make_file(chain, "d/b", 4096, 0664);
  make_file(chain, "shut/x", 5, 0644);
  make_file(chain, "none", 50, 0);
  make_file(chain, "script", 20, 06755);
  make_file(chain, "\xff\x01 \n", 9, 0644);
  make_file(chain, "big", 300000, 0644);
  make_link(chain, "a", "soft");
  make_link(chain, "nothing", "dangling");
  make_link(chain, "loop", "loop");
  make_link(chain, "../d", "d/e/up");
  make_link(chain, "ring", "ring");
  make_link(chain, "d", "to-d");
  make_link(chain, "/dev/null", "to-null");
  make_link(chain, "e/..", "up");
  place(chain, path, "a");
  place(chain, other, "hard");
  expect(link(path, other) == 0);
  make_special(chain);
  place(chain, path, "shut");
  expect(chmod(path, 0) == 0);
}

static void open_specials(struct chain* chain) {
  int pair[2];
  int* files = chain->files;
  char bytes[3000];
  memset(bytes, 'p', sizeof(bytes));
  expect(pipe2(pair, O_CLOEXEC | (pick(chain, 2) ? O_NONBLOCK : 0)) == 0);
  files[0] = pair[0];
  files[1] = pair[1];
  expect(write(files[1], bytes, pick(chain, sizeof(bytes)) + 1) > 0);
  int type = pick(chain, 2) ? SOCK_STREAM : SOCK_SEQPACKET;
  expect(socketpair(AF_UNIX, type | SOCK_CLOEXEC | (pick(chain, 2) ? SOCK_NONBLOCK : 0),
                    0, pair) == 0);
  files[2] = pair[0];
  files[3] = pair[1];
  files[4] = eventfd(pick(chain, 3), EFD_CLOEXEC | EFD_NONBLOCK);
  files[5] = open("/dev/full", O_RDWR | O_CLOEXEC);
  files[6] = open("/dev/zero", O_RDWR | O_CLOEXEC);
  char path[PATH_ROOM];
  place(chain, path, "");
  files[7] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  place(chain, path, "a");
  files[8] = open(path, (pick(chain, 2) ? O_PATH : O_RDONLY) | O_CLOEXEC);
  place(chain, path, "b");
  files[9] = open(path, O_RDWR | O_CLOEXEC);
  for (int i = 0; i < SLOTS / 2; i++)
    expect(files[i] >= 0);
}

void world_make(struct chain* chain) {
  for (int i = 0; i < SLOTS; i++)
    chain->files[i] = -1;
  make_tree(chain);
  open_specials(chain);
}

/* --- The end ---------------------------------------------------------------------- */

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*) a, *(char* const*) b);
}

static void tell_contents(FILE* log, const char* path, const struct stat* about) {
  char bytes[4096];
  if (S_ISLNK(about->st_mode)) {
    ssize_t length = readlink(path, bytes, sizeof(bytes) - 1);
    bytes[length < 0 ? 0 : length] = '\0';
    fputs(" -> ", log);
    print_text(log, bytes);
  }
  if (!S_ISREG(about->st_mode) || about->st_size > 1000000)
    return;
  chmod(path, 0600);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  unsigned int sum = 0;
  for (ssize_t n; (n = read(fd, bytes, sizeof(bytes))) > 0;)
    sum = sum * 31 + checksum(bytes, (size_t) n);
  fprintf(log, " sum %u", sum);
  close(fd);
}

static void tell_tree(struct chain* chain, const char* path, int depth);

static void tell_entry(struct chain* chain, const char* path, int depth) {
  struct stat about;
  FILE* log = chain->log;
  if (lstat(path, &about) != 0)
    return;
  print_text(log, path);
  fprintf(log, " %o links %lu size %lld", about.st_mode, (unsigned long) about.st_nlink,
          S_ISDIR(about.st_mode) ? 0ll : (long long) about.st_size);
  print_time(log, " atime", about.st_atim.tv_sec, about.st_atim.tv_nsec);
  print_time(log, " mtime", about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  tell_contents(log, path, &about);
  fputc('\n', log);
  if (S_ISDIR(about.st_mode) && depth < 8) {
    chmod(path, 0700);
    tell_tree(chain, path, depth + 1);
  }
}

static void tell_tree(struct chain* chain, const char* path, int depth) {
  enum { MOST = 500 };
  char* names[MOST];
  int count = 0;
  DIR* dir = opendir(path);
  if (dir == NULL)
    return;
  for (struct dirent* entry; count < MOST && (entry = readdir(dir)) != NULL;) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      names[count++] = strdup(entry->d_name);
  }
  closedir(dir);
  qsort(names, (size_t) count, sizeof(names[0]), by_name);
  for (int i = 0; i < count; i++) {
    char* below = malloc(strlen(path) + strlen(names[i]) + 2);
    sprintf(below, "%s/%s", path, names[i]);
    tell_entry(chain, below, depth);
    free(below);
    free(names[i]);
  }
}

void world_end(struct chain* chain) {
  char path[32];
  snprintf(path, sizeof(path), "c%d", chain->number);
  tell_tree(chain, path, 0);
  for (int i = 0; i < SLOTS; i++) {
    if (chain->files[i] >= 0)
      close(chain->files[i]);
  }
}
