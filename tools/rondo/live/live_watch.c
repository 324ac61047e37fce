/* Waits for reports of recorded programs (src/trace/alarm.h) and for their ends. */
#include "live_watch.h"
#include "live_cpu.h"
#include "live_ring.h"
#include "live_sampling.h"
#include "live_words.h"
#include "trace_words.h"

#include "trace/alarm.h"
#include "trace/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

enum {
  WATCHED_MOST = 256,
  FILES_MOST = 10,     /* files saved for the stalls of one process */
  STALL_LOOK_MS = 100, /* interval of the check whether a stall has ended */
};

struct watcher;

struct watched {
  struct live_ring ring;
  struct watcher* watcher;
  struct sampling sampling;
  int pidfd;
  int files;              /* number of files saved */
  uint32_t stalled;       /* the stalled loop's place on the board */
  uint64_t stalled_since; /* its looked_ns; 0: no loop is stalled */
  uint64_t stalled_at;    /* when it was still stalled */
  uint64_t over_next;     /* without a file, the ring isn't read again before */
  char file[4096];        /* file of the stall's recording; "" if none */
};

struct watcher {
  const struct watch_options* options;
  int socket;
  char path[108];
  pid_t program; /* the program that the watcher was started for */
  int program_fd;
  uint64_t started_ns; /* when the watcher was started */
  struct watched* list[WATCHED_MOST];
  size_t count;
};

/* --- reports ------------------------------------------------------------------------ */

/* Writes the whole line at once: the program may be writing to the same terminal. */
static void report_line(const char* text, size_t length) {
  (void) !write(STDERR_FILENO, text, length);
}

static void command_run(const struct watcher* watcher, const struct watched* watched,
                        const char* line) {
  char pid[16];
  if (watcher->options->command == NULL)
    return;
  snprintf(pid, sizeof(pid), "%d", watched->ring.pid);
  pid_t child = fork();
  if (child != 0)
    return; /* SIGCHLD is ignored, so the kernel waits for children */
  setenv("RONDO_STALL_PID", pid, 1);
  setenv("RONDO_STALL_LINE", line, 1);
  setenv("RONDO_STALL_FILE", watched->file, 1);
  unsetenv("RONDO_RECORD");
  unsetenv("RONDO_RECORD_WATCHER");
  signal(SIGCHLD, SIG_DFL);
  execl("/bin/sh", "sh", "-c", watcher->options->command, (char*) NULL);
  _exit(127);
}

static void stall_write_down(struct watched* watched) {
  *watched->file = '\0';
  if (watched->files > FILES_MOST)
    return;
  if (watched->files++ == FILES_MOST) {
    fprintf(
        stderr,
        "rondo: process %d has stalled %d times: no more files are written for that\n",
        watched->ring.pid, FILES_MOST);
    return;
  }
  if (!live_ring_dump(&watched->ring, NULL, watched->file, sizeof(watched->file)))
    *watched->file = '\0';
}

/* A recording saved during the stall has only its beginning, so it is saved again. */
static bool stall_write_again(const struct watched* watched) {
  char written[sizeof(watched->file)];
  return live_ring_dump(&watched->ring, watched->file, written, sizeof(written));
}

/* Reading a full ring takes a while: a program that stalls all the time, and has all its
 * files, must not keep the watcher busy. */
static struct live_stretch stall_over(struct watched* watched, uint32_t number) {
  enum { OVER_PAUSE = 20 };
  struct live_stretch over = {0};
  uint64_t begin = live_now_ns();
  if (*watched->file == '\0' && begin < watched->over_next)
    return over;
  over = live_stretch_over(&watched->ring, number, watched->stalled_at);
  uint64_t end = live_now_ns();
  watched->over_next = end + (end - begin) * OVER_PAUSE;
  return over;
}

/* Only the ring knows how long the stall was, and what its thread had of the processor in
 * all of it. Does nothing while the stall goes on. */
static void stall_end(struct watched* watched) {
  const struct board_loop* live = &watched->ring.board->loops[watched->stalled];
  uint64_t looked = __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE);
  char *line = NULL, time[TIME_SIZE];
  size_t length = 0;
  if (looked == watched->stalled_since)
    return;
  watched->stalled_since = 0;
  struct live_stretch over = stall_over(watched, live->number);
  bool has_news = over.found || *watched->file != '\0';
  FILE* out = has_news ? open_memstream(&line, &length) : NULL;
  if (out == NULL)
    return;
  fprintf(out, "rondo: it is over for process %d", watched->ring.pid);
  if (over.found) {
    fprintf(out, " after %s", time_text(time, over.length_ns));
    write_cpu(out, &over.cpu, over.length_ns);
  }
  if (*watched->file != '\0')
    fprintf(out,
            stall_write_again(watched) ? "; its last seconds are in %s"
                                       : "; %s has its beginning",
            watched->file);
  fputc('\n', out);
  fclose(out);
  report_line(line, length);
  free(line);
}

/* Another stall is reported, and may be that of another loop: this one's file is named
 * now, whether it is over or not. */
static void stall_leave(struct watched* watched) {
  if (watched->stalled_since != 0)
    stall_end(watched);
  if (watched->stalled_since != 0 && *watched->file != '\0')
    fprintf(stderr, "rondo: the last seconds of process %d are in %s\n",
            watched->ring.pid, watched->file);
  watched->stalled_since = 0;
}

static void stall_report(struct watcher* watcher, struct watched* watched,
                         const struct alarm_report* report) {
  uint32_t place = report->loop % BOARD_LOOPS;
  char* line = NULL;
  size_t length = 0;
  FILE* out = open_memstream(&line, &length);
  if (out == NULL)
    return;
  stall_leave(watched);
  watched->stalled = place;
  watched->stalled_since = report->looked_ns;
  watched->stalled_at = report->looked_ns + report->held_ns - 1;
  fprintf(out, "rondo: ");
  live_write_stall(out, &watched->ring, place, report->looked_ns, report->held_ns);
  fputc('\n', out);
  fclose(out);
  report_line(line, length);
  line[length - 1] = '\0';
  stall_write_down(watched);
  command_run(watcher, watched, line);
  free(line);
}

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
 * for, Linux 6.15 and later give it; for one that wasn't yet, /proc does. */
static int status_of(const struct watched* watched) {
  const struct timespec nap = {0, 5000000};
  for (int i = 0; i < 20; i++) {
    struct pidfd_info info = {.mask = PIDFD_INFO_EXIT};
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

/* Removes a ring that was saved, or whose program ended by itself; the ring of a program
 * that was ended by a signal such as SIGTERM stays for `rondo dump`. */
static void ended(struct watched* watched) {
  struct live_ring* ring = &watched->ring;
  int status = status_of(watched);
  char written[4096] = "";
  bool left = access(ring->path, F_OK) == 0; /* a normal exit has removed the file */
  ring->alive = false;
  if (status >= 0 && is_crash(status)) {
    if (live_ring_dump(ring, NULL, written, sizeof(written)))
      fprintf(stderr,
              "rondo: process %d ended by signal %d (%s); its last seconds are "
              "in %s\n",
              ring->pid, WTERMSIG(status), strsignal(WTERMSIG(status)), written);
  }
  if (left && status >= 0 && (WIFEXITED(status) || *written != '\0'))
    unlink(ring->path);
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
  close(watched->pidfd);
  sampling_close(&watched->sampling);
  live_ring_close(&watched->ring);
  free(watched);
  watcher->list[index] = watcher->list[--watcher->count];
}

/* A program that has ended already is recognized by its ring; the watcher has held a
 * descriptor of it from the start. */
static bool is_of_process(const struct watcher* watcher, const struct live_ring* ring,
                          uint32_t pid) {
  return ring->pid == (int) pid &&
         (ring->alive || (watcher->program == (pid_t) pid &&
                          ring->header->start_ns >= watcher->started_ns));
}

static int process_open(const struct watcher* watcher, uint32_t pid) {
  if (watcher->program == (pid_t) pid && watcher->program_fd >= 0)
    return fcntl(watcher->program_fd, F_DUPFD_CLOEXEC, 3);
  return (int) syscall(SYS_pidfd_open, (pid_t) pid, 0);
}

/* After an exec a process has another ring. */
static void watched_add(struct watcher* watcher, uint32_t pid) {
  struct live_ring* list;
  struct watched* watched = calloc(1, sizeof(*watched));
  for (size_t i = watcher->count; i > 0; i--) {
    if (watcher->list[i - 1]->ring.pid == (int) pid)
      watched_forget(watcher, i - 1);
  }
  size_t count = live_rings(&list);
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    bool wanted = !found && is_of_process(watcher, &list[i], pid);
    if (wanted && watched != NULL)
      watched->ring = list[i];
    else
      live_ring_close(&list[i]);
    found = found || wanted;
  }
  free(list);
  if (watched == NULL)
    return;
  watched->pidfd = found ? process_open(watcher, pid) : -1;
  if (watched->pidfd < 0 || watcher->count == WATCHED_MOST) {
    if (found)
      live_ring_close(&watched->ring);
    free(watched);
    return;
  }
  watched->watcher = watcher;
  sampling_open(&watched->sampling, &watched->ring);
  watcher->list[watcher->count++] = watched;
}

static void take_report(struct watcher* watcher, const struct alarm_report* report) {
  char written[4096];
  if (report->kind == ALARM_STARTED)
    watched_add(watcher, report->pid);
  struct watched* watched = watched_of(watcher, report->pid);
  if (watched == NULL)
    return;
  if (report->kind == ALARM_STALL)
    stall_report(watcher, watched, report);
  if (report->kind == ALARM_DUMP &&
      live_ring_dump(&watched->ring, NULL, written, sizeof(written)))
    fprintf(stderr, "rondo: the last seconds of process %d are in %s\n",
            watched->ring.pid, written);
}

/* --- the loop ------------------------------------------------------------------------
 */

static void take_reports(struct watcher* watcher) {
  struct alarm_report report;
  while (recv(watcher->socket, &report, sizeof(report), MSG_DONTWAIT) ==
         (ssize_t) sizeof(report))
    take_report(watcher, &report);
}

static void stall_sampled(void* data, uint32_t place, uint64_t looked_ns,
                          uint64_t held_ns) {
  struct watched* watched = data;
  struct alarm_report report = {
      .loop = place, .looked_ns = looked_ns, .held_ns = held_ns};
  stall_report(watched->watcher, watched, &report);
}

/* Returns the milliseconds until a program has to be looked at; -1: until a report. */
static int samples_take(struct watcher* watcher) {
  uint64_t soonest = UINT64_MAX;
  for (size_t i = 0; i < watcher->count; i++) {
    struct watched* watched = watcher->list[i];
    uint64_t next = sampling_look(&watched->sampling, stall_sampled, watched);
    if (watched->stalled_since != 0 && next > STALL_LOOK_MS * 1000000ull)
      next = STALL_LOOK_MS * 1000000ull;
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
  for (size_t i = 0; i < count; i++) {
    if (watcher->list[i]->stalled_since != 0)
      stall_end(watcher->list[i]);
  }
  take_reports(watcher);
  for (size_t i = count; i > 0; i--) {
    if (i > watcher->count || fds[i + 1].revents == 0 ||
        watcher->list[i - 1]->pidfd != fds[i + 1].fd)
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

/* The program's descriptors are not the watcher's: a pipe, a lock or a socket that the
 * program closes is closed then, as without a watcher. Standard error stays. */
static void descriptors_leave(struct watcher* watcher) {
  int first =
      watcher->socket < watcher->program_fd ? watcher->socket : watcher->program_fd;
  int second = watcher->socket + watcher->program_fd - first;
  if (first > 3)
    close_range(3, (unsigned int) first - 1, 0);
  if (second > first + 1)
    close_range((unsigned int) first + 1, (unsigned int) second - 1, 0);
  close_range((unsigned int) second + 1, ~0U, 0);
}

static _Noreturn void watcher_run(struct watcher* watcher) {
  descriptors_leave(watcher);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTOU, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  setsid();
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  while (wait_once(watcher))
    continue;
  unlink(watcher->path);
  _exit(0);
}

/* --- start ----------------------------------------------------------------------------
 */

/* Sockets of watchers that were killed: nobody is there to take what is sent. */
static void sockets_clean(const char* folder) {
  DIR* list = opendir(folder);
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

static bool socket_open(struct watcher* watcher) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char folder[RING_PATH_SIZE];
  for (int turn = 0; turn < RING_FOLDERS; turn++) {
    if (!ring_folder(folder, turn, getenv("XDG_RUNTIME_DIR")))
      continue;
    (void) mkdir(folder, 0700);
    if (!ring_folder_is_safe(folder) ||
        snprintf(watcher->path, sizeof(watcher->path), "%s/watcher-%d", folder,
                 (int) getpid()) >= (int) sizeof(watcher->path))
      continue;
    sockets_clean(folder);
    memcpy(address.sun_path, watcher->path, sizeof(address.sun_path));
    unlink(watcher->path);
    watcher->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (watcher->socket >= 0 &&
        bind(watcher->socket, (struct sockaddr*) &address, sizeof(address)) == 0)
      return true;
    if (watcher->socket >= 0)
      close(watcher->socket);
  }
  return false;
}

bool watch_start(const struct watch_options* options) {
  struct watcher watcher = {
      .options = options, .program = getpid(), .started_ns = live_now_ns()};
  watcher.program_fd = (int) syscall(SYS_pidfd_open, watcher.program, 0);
  if (watcher.program_fd < 0 || !socket_open(&watcher) ||
      setenv("RONDO_RECORD_WATCHER", watcher.path, 1) != 0) {
    fprintf(stderr, "rondo: nothing can be watched: %s\n", strerror(errno));
    return false;
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
  if (between > 0)
    waitpid(between, NULL, 0);
  return between > 0;
}
