/* Runs a program in which system calls fail on demand. A seccomp filter hands the chosen
 * calls to this process before the kernel does them; it lets them go on, or answers with
 * an error in the kernel's place. Only calls between the program's two marks (faults.h)
 * fail or are counted, and only those of the program's own threads and of its children
 * before they execute another program.
 *
 * inject [--limit SECONDS] --count PROGRAM [ARGUMENT]...
 * inject [--limit SECONDS] --call NAME --nth N --errno NUMBER --times N PROGRAM ...
 *
 * The last line on stderr is the verdict: how the program ended, and what it was given.
 * Exit code 0 if the program could be run, whatever became of it; 77 where the kernel
 * has no such filters. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { NUMBERS = 512, THREADS = 256 };

struct call {
  const char* name;
  int number;
};

#define CALL(name)                                                                       \
  { #name, SYS_##name }

/* Every call that a libuv program may make, by its name in the manual. */
static const struct call calls[] = {
    CALL(accept4),
    CALL(bind),
    CALL(chdir),
    CALL(clone),
    CALL(clone3),
    CALL(close),
    CALL(close_range),
    CALL(connect),
    CALL(copy_file_range),
    CALL(dup3),
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_pwait),
    CALL(epoll_pwait2),
    CALL(eventfd2),
    CALL(execve),
    CALL(faccessat),
    CALL(faccessat2),
    CALL(fchmod),
    CALL(fchmodat),
    CALL(fchown),
    CALL(fcntl),
    CALL(fdatasync),
    CALL(flock),
    CALL(fstatfs),
    CALL(fsync),
    CALL(ftruncate),
    CALL(futex),
    CALL(getdents64),
    CALL(getpeername),
    CALL(getrandom),
    CALL(getsockname),
    CALL(getsockopt),
    CALL(inotify_add_watch),
    CALL(inotify_init1),
    CALL(inotify_rm_watch),
    CALL(io_uring_enter),
    CALL(io_uring_register),
    CALL(io_uring_setup),
    CALL(ioctl),
    CALL(kill),
    CALL(linkat),
    CALL(listen),
    CALL(lseek),
    CALL(madvise),
    CALL(membarrier),
    CALL(mkdirat),
    CALL(mmap),
    CALL(mprotect),
    CALL(munmap),
    CALL(newfstatat),
    CALL(openat),
    CALL(openat2),
    CALL(pidfd_open),
    CALL(pidfd_send_signal),
    CALL(pipe2),
    CALL(ppoll),
    CALL(prctl),
    CALL(pread64),
    CALL(preadv),
    CALL(preadv2),
    CALL(prlimit64),
    CALL(pwrite64),
    CALL(pwritev),
    CALL(pwritev2),
    CALL(read),
    CALL(readlinkat),
    CALL(readv),
    CALL(recvfrom),
    CALL(recvmmsg),
    CALL(recvmsg),
    CALL(renameat2),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(sched_getaffinity),
    CALL(sched_setaffinity),
    CALL(sendfile),
    CALL(sendmmsg),
    CALL(sendmsg),
    CALL(sendto),
    CALL(setsockopt),
    CALL(shutdown),
    CALL(socket),
    CALL(socketpair),
    CALL(statx),
    CALL(symlinkat),
    CALL(timerfd_create),
    CALL(timerfd_settime),
    CALL(unlinkat),
    CALL(utimensat),
    CALL(wait4),
    CALL(waitid),
    CALL(write),
    CALL(writev),
#ifdef SYS_open /* processors that have the older names, too */
    CALL(access),
    CALL(chmod),
    CALL(dup2),
    CALL(epoll_wait),
    CALL(fork),
    CALL(fstat),
    CALL(link),
    CALL(lstat),
    CALL(mkdir),
    CALL(open),
    CALL(poll),
    CALL(readlink),
    CALL(rename),
    CALL(rmdir),
    CALL(stat),
    CALL(symlink),
    CALL(unlink),
    CALL(vfork),
#endif
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

struct order {
  int number; /* -1: only count */
  unsigned long nth;
  unsigned long times;
  int error;
  int limit;
};

struct run {
  struct order order;
  pid_t pid;
  int listener;
  bool marked;
  dev_t device; /* of the program's file */
  ino_t inode;
  pid_t threads[THREADS];
  int thread_count;
  unsigned long counts[NUMBERS];
  unsigned long injected;
};

_Noreturn static void give_up(int code, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(code);
}

/* --- the filter ------------------------------------------------------------------ */

static long filter_install(const struct sock_fprog* program) {
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                    flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);
  if (fd < 0 && errno == EINVAL) /* Linux before 5.19 */
    fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
  return fd;
}

/* Hands over the marks and the chosen call, or every call that can be chosen. */
static long filter_begin(int number) {
  static struct sock_filter filter[2 * CALLS + 8];
  unsigned short length = 0;
  filter[length++] = (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                   offsetof(struct seccomp_data, nr));
  for (int i = 0; i < CALLS; i++) {
    if (number >= 0 && calls[i].number != number && calls[i].number != SYS_prctl)
      continue;
    filter[length++] = (struct sock_filter) BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, (unsigned int) calls[i].number, 0, 1);
    filter[length++] =
        (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  }
  filter[length++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {.len = length, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return filter_install(&program);
}

/* --- whose call it is ------------------------------------------------------------ */

static pid_t group_of(pid_t thread) {
  char path[64];
  char line[256];
  int group = 0;
  snprintf(path, sizeof(path), "/proc/%d/status", thread);
  FILE* file = fopen(path, "re");
  if (file == NULL)
    return 0;
  while (fgets(line, sizeof(line), file) != NULL)
    if (sscanf(line, "Tgid: %d", &group) == 1)
      break;
  fclose(file);
  return group;
}

static bool is_programs_thread(const struct run* run, pid_t thread) {
  for (int i = 0; i < run->thread_count; i++)
    if (run->threads[i] == thread)
      return true;
  return false;
}

/* A child is the library's until it executes something else. */
static bool runs_the_program(const struct run* run, pid_t thread) {
  char path[64];
  struct stat facts;
  snprintf(path, sizeof(path), "/proc/%d/exe", thread);
  return stat(path, &facts) == 0 && facts.st_dev == run->device &&
         facts.st_ino == run->inode;
}

static bool is_ours(struct run* run, pid_t thread) {
  if (is_programs_thread(run, thread))
    return true;
  if (group_of(thread) != run->pid)
    return runs_the_program(run, thread);
  if (run->thread_count < THREADS)
    run->threads[run->thread_count++] = thread;
  return true;
}

/* --- answering ------------------------------------------------------------------- */

static bool is_mark(const struct seccomp_notif* asked, unsigned long mark) {
  return asked->data.nr == SYS_prctl && asked->data.args[0] == FAULTS_PRCTL &&
         asked->data.args[1] == mark;
}

/* A wait may end for no reason; a wake can't fail in a program that has its memory. */
static bool is_waking(const struct seccomp_notif* asked) {
  int operation = (int) asked->data.args[1] & FUTEX_CMD_MASK;
  return asked->data.nr == SYS_futex && operation != FUTEX_WAIT &&
         operation != FUTEX_WAIT_BITSET;
}

static bool has_to_fail(const struct run* run, unsigned long count) {
  return count >= run->order.nth && count - run->order.nth < run->order.times;
}

/* Zero, or the error that the call is to give. */
static int decide(struct run* run, const struct seccomp_notif* asked) {
  if (is_mark(asked, FAULTS_BEGIN) || is_mark(asked, FAULTS_END)) {
    run->marked = is_mark(asked, FAULTS_BEGIN);
    return 0;
  }
  int number = asked->data.nr;
  if (!run->marked || number < 0 || number >= NUMBERS || is_waking(asked) ||
      !is_ours(run, (pid_t) asked->pid))
    return 0;
  unsigned long count = ++run->counts[number];
  if (run->order.number != number || !has_to_fail(run, count))
    return 0;
  run->injected++;
  return run->order.error;
}

/* ENOENT: the caller was killed, or a signal interrupted its call. */
static void answer_one(struct run* run) {
  struct seccomp_notif asked;
  memset(&asked, 0, sizeof(asked));
  if (ioctl(run->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
    return;
  int error = decide(run, &asked);
  struct seccomp_notif_resp answer = {.id = asked.id, .error = -error};
  if (error == 0)
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(run->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the program has ended, or its time is over. True: ended by itself. */
static bool serve(struct run* run, int pidfd) {
  int64_t end = now_ms() + (int64_t) run->order.limit * 1000;
  struct pollfd fds[2] = {{.fd = run->listener, .events = POLLIN},
                          {.fd = pidfd, .events = POLLIN}};
  for (;;) {
    int64_t left = end - now_ms();
    if (left <= 0)
      return false;
    poll(fds, 2, (int) left);
    if (fds[1].revents != 0)
      return true;
    if (fds[0].revents & POLLIN)
      answer_one(run);
    else if (fds[0].revents != 0)
      fds[0].fd = -1;
  }
}

/* --- running --------------------------------------------------------------------- */

/* The child writes the listener's number to memory that both see and waits in the next
 * mark until somebody listens. */
static pid_t start(struct run* run, char** argv, int* pidfd) {
  int* shared =
      mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    give_up(1, "mmap: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    long fd = filter_begin(run->order.number);
    __atomic_store_n(shared, fd < 0 ? -1 : (int) fd, __ATOMIC_SEQ_CST);
    if (fd < 0)
      _exit(77);
    prctl(FAULTS_PRCTL, 0, 0, 0, 0);
    execv(argv[0], argv);
    _exit(127);
  }
  if (pid < 0)
    give_up(1, "fork: %s", strerror(errno));
  int theirs;
  while ((theirs = __atomic_load_n(shared, __ATOMIC_SEQ_CST)) == 0)
    usleep(200);
  *pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
  run->listener = theirs < 0 ? -1 : (int) syscall(SYS_pidfd_getfd, *pidfd, theirs, 0);
  if (run->listener < 0) {
    kill(pid, SIGKILL);
    give_up(77, "SKIP: system calls can't be filtered here");
  }
  return pid;
}

static void report(const struct run* run, bool by_itself, int status,
                   const struct rusage* usage) {
  long cpu = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
             (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
  unsigned long seen = 0;
  for (int i = 0; i < CALLS; i++) {
    unsigned long count = run->counts[calls[i].number];
    if (run->order.number < 0 && count > 0)
      fprintf(stderr, "count %s %lu\n", calls[i].name, count);
    if (run->order.number == calls[i].number)
      seen = count;
  }
  const char* end = !by_itself ? "hang" : WIFSIGNALED(status) ? "signal" : "exit";
  int code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  fprintf(stderr, "verdict end=%s code=%d seen=%lu injected=%lu cpu=%ld\n", end, code,
          seen, run->injected, cpu);
}

static int number_of(const char* name) {
  for (int i = 0; i < CALLS; i++)
    if (strcmp(calls[i].name, name) == 0)
      return calls[i].number;
  give_up(2, "inject: no system call %s in the table", name);
}

static char** read_arguments(struct order* order, char** argv) {
  *order = (struct order){.number = -1, .nth = 1, .times = 1, .error = EIO, .limit = 30};
  for (argv++; *argv != NULL && strncmp(*argv, "--", 2) == 0; argv++) {
    const char* option = *argv;
    if (strcmp(option, "--count") == 0)
      continue;
    if (*++argv == NULL)
      give_up(2, "inject: %s takes a value", option);
    if (strcmp(option, "--call") == 0)
      order->number = number_of(*argv);
    else if (strcmp(option, "--nth") == 0)
      order->nth = strtoul(*argv, NULL, 10);
    else if (strcmp(option, "--times") == 0)
      order->times = strtoul(*argv, NULL, 10);
    else if (strcmp(option, "--errno") == 0)
      order->error = atoi(*argv);
    else if (strcmp(option, "--limit") == 0)
      order->limit = atoi(*argv);
    else
      give_up(2, "inject: no option %s", option);
  }
  if (*argv == NULL)
    give_up(2, "inject: which program?");
  return argv;
}

int main(int argc, char** argv) {
  (void) argc;
  static struct run run;
  struct stat facts;
  struct rusage usage;
  int pidfd;
  int status;
  argv = read_arguments(&run.order, argv);
  if (stat(argv[0], &facts) != 0)
    give_up(2, "inject: %s: %s", argv[0], strerror(errno));
  run.device = facts.st_dev;
  run.inode = facts.st_ino;
  run.pid = start(&run, argv, &pidfd);
  bool by_itself = serve(&run, pidfd);
  if (!by_itself)
    kill(run.pid, SIGKILL);
  while (wait4(run.pid, &status, 0, &usage) < 0 && errno == EINTR)
    ;
  report(&run, by_itself, status, &usage);
  return 0;
}
