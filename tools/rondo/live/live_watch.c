/* Waits for reports of recorded programs (src/trace/alarm.h) and for their ends. */
#include "live_watch.h"
#include "live_ring.h"
#include "live_sampling.h"
#include "live_say.h"
#include "live_stall.h"

#include "base/own_fd.h"
#include "trace/alarm.h"
#include "trace/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

enum { WATCHED_MOST = 256 };

struct watcher;

struct watched {
  struct live_ring ring;
  struct watcher* watcher;
  struct sampling sampling;
  struct stall stall;
  int pidfd; /* -1: the process has ended already */
};

struct watcher {
  const struct watch_options* options;
  int socket;
  int log; /* -1: none */
  char path[108];
  pid_t program; /* the program that the watcher was started for */
  int program_fd;
  struct watched* list[WATCHED_MOST];
  size_t count;
};

/* --- processes ---------------------------------------------------------------------- */

#ifndef PIDFD_GET_INFO
struct pidfd_info {
  uint64_t mask;
  uint64_t cgroupid;
  uint32_t ids[11];
  int32_t exit_code;
  uint32_t later[8];
};
enum { PIDFD_INFO_EXIT = 1 << 3 };
#define PIDFD_GET_INFO _IOWR(0xFF, 11, struct pidfd_info)
#endif

/* Exit status of a process that hasn't been waited for: the last field of /proc/PID/stat.
 * -1 if the process is gone. */
static int status_of_zombie(int pid) {
  char path[48], text[1024];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  FILE* file = fopen(path, "re");
  if (file == NULL)
    return -1;
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  const char* name_end = strrchr(text, ')');
  const char* last = strrchr(text, ' ');
  bool dead =
      name_end != NULL && last != NULL && name_end[1] == ' ' && name_end[2] == 'Z';
  return dead ? (int) strtol(last, NULL, 10) : -1;
}

/* The exit status as waitpid returns it; -1 if unknown. For a process that was waited
 * for, Linux 6.15 and later give it; for one that wasn't yet, /proc does. In between
 * there is a moment in which neither does. */
static int status_of(const struct watched* watched) {
  const struct timespec nap = {0, 1000000};
  for (int i = 0; i < 5; i++) {
    struct pidfd_info info = {.mask = PIDFD_INFO_EXIT};
    if (watched->pidfd < 0)
      return -1;
    if (ioctl(watched->pidfd, PIDFD_GET_INFO, &info) == 0 &&
        (info.mask & PIDFD_INFO_EXIT) != 0)
      return info.exit_code;
    int status = status_of_zombie(watched->ring.pid);
    if (status >= 0)
      return status;
    nanosleep(&nap, NULL);
  }
  return -1;
}

static bool is_crash(int status) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,
                              SIGABRT, SIGSYS, SIGTRAP, SIGKILL};
  for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == fatal[i])
      return true;
  }
  return false;
}

static void stall_sampled(void* data, uint32_t place, uint64_t looked_ns,
                          uint64_t held_ns) {
  struct watched* watched = data;
  stall_begin(&watched->stall, &watched->ring, place, looked_ns, held_ns);
}

/* Reports what is left to report, before the process is gone or after. */
static void watched_finish(struct watched* watched) {
  sampling_finish(&watched->sampling, stall_sampled, watched);
  stall_end(&watched->stall, &watched->ring);
}

/* Removes a ring that was saved, or whose program ended by itself; the ring of a program
 * that was ended by a signal such as SIGTERM stays for `rondo dump`. */
static void ended(struct watched* watched) {
  struct live_ring* ring = &watched->ring;
  int status = status_of(watched);
  char written[4096] = "";
  bool left = access(ring->path, F_OK) == 0; /* a normal exit has removed the file */
  ring->alive = false;
  if (status >= 0 && is_crash(status)) {
    if (live_ring_dump(ring, NULL, watched->watcher->options->folder, written,
                       sizeof(written)))
      say_format("process %d ended by signal %d (%s); its last seconds are in %s",
                 ring->pid, WTERMSIG(status), strsignal(WTERMSIG(status)), written);
  } else {
    watched_finish(watched);
  }
  if (left && status >= 0 && (WIFEXITED(status) || *written != '\0'))
    unlink(ring->path);
}

/* The process waits for this word: everything that it reported before has been taken. */
static void ending(struct watched* watched) {
  struct board* board = watched->sampling.board;
  watched_finish(watched);
  if (board == NULL)
    return;
  __atomic_store_n(&board->parted, 1, __ATOMIC_RELEASE);
  (void) syscall(SYS_futex, &board->parted, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static struct watched* watched_of(struct watcher* watcher, uint32_t pid) {
  for (size_t i = 0; i < watcher->count; i++) {
    if (watcher->list[i]->ring.pid == (int) pid)
      return watcher->list[i];
  }
  return NULL;
}

static void watched_forget(struct watcher* watcher, size_t index) {
  struct watched* watched = watcher->list[index];
  if (watched->pidfd >= 0)
    close(watched->pidfd);
  stall_forget(&watched->stall);
  sampling_close(&watched->sampling);
  live_ring_close(&watched->ring);
  free(watched);
  watcher->list[index] = watcher->list[--watcher->count];
}

/* The watcher has held a descriptor of the program from the start. -1: the process has
 * ended, and its number may be another's. */
static int process_open(const struct watcher* watcher, const struct live_ring* ring) {
  if (watcher->program == ring->pid && watcher->program_fd >= 0)
    return fcntl(watcher->program_fd, F_DUPFD_CLOEXEC, OWN_FD_FIRST);
  int fd = (int) syscall(SYS_pidfd_open, ring->pid, 0);
  bool same = ring->board->pid_namespace != ring_pid_namespace() ||
              ring_process_start(ring->pid) == ring->board->process_start ||
              status_of_zombie(ring->pid) >= 0;
  if (fd >= 0 && !same) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* The ring comes with the report: a short program may have removed its file, and be gone,
 * before the report is read. After an exec a process has another ring. */
static void watched_add(struct watcher* watcher, uint32_t pid, int ring_fd) {
  struct watched* watched = calloc(1, sizeof(*watched));
  for (size_t i = watcher->count; i > 0; i--) {
    if (watcher->list[i - 1]->ring.pid == (int) pid)
      watched_forget(watcher, i - 1);
  }
  if (watched == NULL || watcher->count == WATCHED_MOST) {
    close(ring_fd);
    free(watched);
    return;
  }
  if (!live_ring_take(&watched->ring, ring_fd) || watched->ring.pid != (int) pid) {
    live_ring_close(&watched->ring);
    free(watched);
    return;
  }
  watched->pidfd = process_open(watcher, &watched->ring);
  watched->watcher = watcher;
  sampling_open(&watched->sampling, &watched->ring);
  watcher->list[watcher->count++] = watched;
}

static void take_dump(struct watched* watched) {
  char written[4096];
  if (live_ring_dump(&watched->ring, NULL, watched->watcher->options->folder, written,
                     sizeof(written)))
    say_format("the last seconds of process %d are in %s", watched->ring.pid, written);
}

static void take_report(struct watcher* watcher, const struct alarm_report* report,
                        int fd) {
  if (report->kind == ALARM_STARTED && fd >= 0)
    watched_add(watcher, report->pid, fd);
  else if (fd >= 0)
    close(fd);
  struct watched* watched = watched_of(watcher, report->pid);
  if (watched == NULL)
    return;
  if (report->kind == ALARM_STALL)
    stall_begin(&watched->stall, &watched->ring, report->loop % BOARD_LOOPS,
                report->looked_ns, report->held_ns);
  if (report->kind == ALARM_DUMP)
    take_dump(watched);
  if (report->kind == ALARM_ENDING)
    ending(watched);
}

/* --- the loop ------------------------------------------------------------------------
 */

/* The descriptor that came with a datagram; -1: none. */
static int message_descriptor(struct msghdr* message) {
  int fd = -1;
  for (struct cmsghdr* head = CMSG_FIRSTHDR(message); head != NULL;
       head = CMSG_NXTHDR(message, head)) {
    if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(fd)))
      memcpy(&fd, CMSG_DATA(head), sizeof(fd));
  }
  return own_fd_raise(fd);
}

/* The control data has room for one descriptor: the kernel drops others. */
static void take_reports(struct watcher* watcher) {
  for (;;) {
    struct alarm_report report;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&report, sizeof(report)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    ssize_t length = recvmsg(watcher->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (length < 0 && errno != EINTR)
      return;
    int fd = length < 0 ? -1 : message_descriptor(&message);
    if (length == (ssize_t) sizeof(report))
      take_report(watcher, &report, fd);
    else if (fd >= 0)
      close(fd);
  }
}

/* Returns the milliseconds until a program has to be looked at; -1: until a report. */
static int samples_take(struct watcher* watcher) {
  uint64_t soonest = UINT64_MAX;
  for (size_t i = 0; i < watcher->count; i++) {
    struct watched* watched = watcher->list[i];
    uint64_t next = watched->pidfd < 0
                        ? 0
                        : sampling_look(&watched->sampling, stall_sampled, watched);
    uint64_t look = stall_look(&watched->stall, &watched->ring);
    next = look < next ? look : next;
    soonest = next < soonest ? next : soonest;
  }
  return soonest == UINT64_MAX ? -1 : (int) ((soonest + 999999) / 1000000);
}

/* Returns false when no process is left to watch. */
static bool wait_once(struct watcher* watcher) {
  struct pollfd fds[WATCHED_MOST + 2];
  int timeout = samples_take(watcher);
  fds[0] = (struct pollfd){.fd = watcher->socket, .events = POLLIN};
  fds[1] = (struct pollfd){.fd = watcher->program_fd, .events = POLLIN};
  for (size_t i = 0; i < watcher->count; i++)
    fds[i + 2] = (struct pollfd){.fd = watcher->list[i]->pidfd, .events = POLLIN};
  size_t count = watcher->count;
  if (poll(fds, count + 2, timeout) < 0 && errno != EINTR)
    return false;
  say_aim();
  take_reports(watcher);
  for (size_t i = count; i > 0; i--) {
    bool is_over = fds[i + 1].revents != 0 || fds[i + 1].fd < 0;
    if (i > watcher->count || !is_over || watcher->list[i - 1]->pidfd != fds[i + 1].fd)
      continue;
    ended(watcher->list[i - 1]);
    watched_forget(watcher, i - 1);
  }
  if (watcher->program_fd >= 0 && fds[1].revents != 0) {
    close(watcher->program_fd);
    watcher->program_fd = -1;
  }
  return watcher->program_fd >= 0 || watcher->count > 0;
}

static int by_number(const void* left, const void* right) {
  return *(const int*) left - *(const int*) right;
}

/* The program's descriptors are not the watcher's: a pipe, a lock or a socket that the
 * program closes is closed then, as without a watcher. Standard error stays. */
static void descriptors_leave(const struct watcher* watcher) {
  int kept[] = {STDERR_FILENO, watcher->socket, watcher->program_fd, watcher->log};
  const size_t count = sizeof(kept) / sizeof(kept[0]);
  qsort(kept, count, sizeof(kept[0]), by_number);
  for (size_t i = 0; i < count; i++) {
    int first = kept[i] < STDERR_FILENO ? STDERR_FILENO : kept[i];
    unsigned int last = i + 1 < count ? (unsigned int) kept[i + 1] - 1 : ~0U;
    if (kept[i] >= STDERR_FILENO && (unsigned int) first + 1 <= last)
      close_range((unsigned int) first + 1, last, 0);
  }
}

/* Signals that the terminal and the system send to a whole group of processes are the
 * program's. */
static const int signals_ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTTOU};
enum { SIGNALS_IGNORED = sizeof(signals_ignored) / sizeof(signals_ignored[0]) };
static struct sigaction signals_before[SIGNALS_IGNORED];
static struct sigaction child_before;

static void signals_ignore(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction usual = {.sa_handler = SIG_DFL};
  for (size_t i = 0; i < SIGNALS_IGNORED; i++)
    sigaction(signals_ignored[i], &ignore, &signals_before[i]);
  sigaction(SIGCHLD, &usual, &child_before); /* commands are waited for */
}

void watch_signals_restore(void) {
  for (size_t i = 0; i < SIGNALS_IGNORED; i++)
    sigaction(signals_ignored[i], &signals_before[i], NULL);
  sigaction(SIGCHLD, &child_before, NULL);
}

static _Noreturn void watcher_run(struct watcher* watcher) {
  char aside[PATH_MAX];
  const char* folder = watcher->options->folder;
  descriptors_leave(watcher);
  signals_ignore();
  setsid();
  int nothing = own_fd_raise(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  close(nothing);
  snprintf(aside, sizeof(aside), "%s%srondo-%d.log", folder == NULL ? "" : folder,
           folder == NULL ? "" : "/", (int) watcher->program);
  say_open(watcher->log, aside);
  stalls_open(watcher->options);
  while (wait_once(watcher))
    continue;
  unlink(watcher->path);
  say_end();
  _exit(0);
}

/* --- start ----------------------------------------------------------------------------
 */

/* Sockets of watchers that were killed: nobody is there to take what is sent. */
static void sockets_clean(const char* folder) {
  DIR* list = own_fd_list_folder(folder);
  const struct dirent* entry;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strncmp(entry->d_name, "watcher-", 8) != 0 ||
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder,
                 entry->d_name) >= (int) sizeof(address.sun_path))
      continue;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr*) &address, sizeof(address)) != 0 &&
        errno == ECONNREFUSED)
      unlink(address.sun_path);
    if (fd >= 0)
      close(fd);
  }
  if (list != NULL)
    closedir(list);
}

static bool socket_open_in(struct watcher* watcher, const char* folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!ring_folder_is_safe(folder) ||
      snprintf(watcher->path, sizeof(watcher->path), "%s/watcher-%d", folder,
               (int) getpid()) >= (int) sizeof(watcher->path))
    return false;
  sockets_clean(folder);
  memcpy(address.sun_path, watcher->path, sizeof(address.sun_path));
  unlink(watcher->path);
  watcher->socket = own_fd_raise(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (watcher->socket >= 0 &&
      bind(watcher->socket, (struct sockaddr*) &address, sizeof(address)) == 0)
    return true;
  if (watcher->socket >= 0)
    close(watcher->socket);
  return false;
}

static bool socket_open(struct watcher* watcher) {
  char folder[RING_PATH_SIZE];
  for (int turn = 0; turn < RING_FOLDERS; turn++) {
    if (!ring_folder(folder, turn, getenv("XDG_RUNTIME_DIR")))
      continue;
    (void) mkdir(folder, 0700);
    if (socket_open_in(watcher, folder))
      return true;
  }
  return ring_folder_make_spare(folder) && socket_open_in(watcher, folder);
}

/* A folder that isn't there is made. */
static bool folder_is_good(const char* folder) {
  if (folder == NULL || mkdir(folder, 0700) == 0)
    return true;
  if (errno == EEXIST && access(folder, W_OK | X_OK) == 0) {
    struct stat status;
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
      return true;
    errno = ENOTDIR;
  }
  fprintf(stderr, "rondo: %s: %s\n", folder, strerror(errno));
  return false;
}

static bool log_open(struct watcher* watcher, const char* path) {
  watcher->log = -1;
  if (path == NULL)
    return true;
  watcher->log = own_fd_raise(
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600));
  if (watcher->log < 0)
    fprintf(stderr, "rondo: %s: %s\n", path, strerror(errno));
  return watcher->log >= 0;
}

bool watch_start(const struct watch_options* options) {
  struct watcher watcher = {.options = options, .program = getpid()};
  if (!folder_is_good(options->folder) || !log_open(&watcher, options->log))
    return false;
  watcher.program_fd = own_fd_raise((int) syscall(SYS_pidfd_open, watcher.program, 0));
  if (watcher.program_fd < 0 || !socket_open(&watcher) ||
      setenv("RONDO_RECORD_WATCHER", watcher.path, 1) != 0) {
    fprintf(stderr, "rondo: nothing can be watched: %s\n", strerror(errno));
    return true;
  }
  fflush(NULL);
  pid_t between = fork();
  if (between == 0) {
    if (fork() != 0)
      _exit(0);
    watcher_run(&watcher);
  }
  close(watcher.socket);
  close(watcher.program_fd);
  if (watcher.log >= 0)
    close(watcher.log);
  if (between > 0)
    waitpid(between, NULL, 0);
  return true;
}
