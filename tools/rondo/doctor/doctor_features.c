/* The list of what Rondo asks of the kernel beyond Linux 4.18: since when Linux has it,
 * its purpose, and what is done without it. Wherever the sources fall back because a call
 * is missing or forbidden, the call has a row here; test/doctor/check compares. An
 * attempt runs in a child of its own and may leave anything open. */
#include "doctor.h"
#include "sim_isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Newer than Debian's headers. */
#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x00000100
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000u
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif

static int error_of(long result) {
  return result < 0 ? errno : 0;
}

/* --- loops ---------------------------------------------------------------------------
 */

static int ring_make(struct io_uring_params* params) {
  *params = (struct io_uring_params){.flags = IORING_SETUP_SINGLE_ISSUER |
                                              IORING_SETUP_DEFER_TASKRUN |
                                              IORING_SETUP_TASKRUN_FLAG};
  return (int) syscall(SYS_io_uring_setup, 4, params);
}

static int try_rings(void) {
  struct io_uring_params params;
  return error_of(ring_make(&params));
}

static bool setting_of_rings(int err, char* by, size_t size) {
  char level[16];
  if ((err != EPERM && err != EACCES) ||
      !doctor_read_line("/proc/sys/kernel/io_uring_disabled", level, sizeof(level)) ||
      *level == '0')
    return false;
  if (*level == '2')
    snprintf(by, size,
             "sysctl kernel.io_uring_disabled is 2: forbidden for everyone (cure, as "
             "root: sysctl kernel.io_uring_disabled=0)");
  else
    snprintf(by, size,
             "sysctl kernel.io_uring_disabled is %s: allowed to the superuser and the "
             "group of kernel.io_uring_group only",
             level);
  return true;
}

static int try_set_in_ring(void) {
  enum { OPCODE_EPOLL_WAIT = 59, OPCODES = 128 };
  struct io_uring_params params;
  struct io_uring_probe* probe =
      calloc(1, sizeof(*probe) + OPCODES * sizeof(struct io_uring_probe_op));
  int ring = ring_make(&params);
  int err = 0;
  if (ring < 0 || probe == NULL ||
      syscall(SYS_io_uring_register, ring, IORING_REGISTER_PROBE, probe, OPCODES) < 0)
    err = errno;
  else if (probe->last_op < OPCODE_EPOLL_WAIT ||
           (probe->ops[OPCODE_EPOLL_WAIT].flags & IO_URING_OP_SUPPORTED) == 0)
    err = EOPNOTSUPP;
  free(probe);
  return err;
}

static int try_fine_wait(void) {
  struct epoll_event event;
  struct timespec none = {0, 0};
  int set = epoll_create1(EPOLL_CLOEXEC);
  return set < 0 ? errno
                 : error_of(syscall(SYS_epoll_pwait2, set, &event, 1, &none, NULL, 8));
}

/* --- files ---------------------------------------------------------------------------
 */

static int own_file(void) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  return fd >= 0 ? fd : open("/bin/sh", O_RDONLY | O_CLOEXEC); /* without /proc */
}

static int try_cached_read(void) {
  char byte;
  struct iovec vector = {&byte, 1};
  int fd = own_file();
  if (fd < 0)
    return errno;
  int err = error_of(preadv2(fd, &vector, 1, 0, RWF_NOWAIT));
  return err == EAGAIN ? 0 : err; /* it isn't in memory */
}

static int try_cached_walk(void) {
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
  int err = error_of(syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how)));
  return err == EAGAIN ? 0 : err;
}

static int try_access_by_descriptor(void) {
  int fd = open("/", O_PATH | O_CLOEXEC);
  return fd < 0 ? errno : error_of(syscall(SYS_faccessat2, fd, "", R_OK, AT_EMPTY_PATH));
}

static int try_statx(void) {
  struct statx about;
  return error_of(
      syscall(SYS_statx, AT_FDCWD, "/", 0, STATX_BASIC_STATS | STATX_BTIME, &about));
}

static int try_mount_id(void) {
  struct statx about;
  if (syscall(SYS_statx, AT_FDCWD, "/", 0, STATX_MNT_ID_UNIQUE, &about) < 0)
    return errno;
  return (about.stx_mask & STATX_MNT_ID_UNIQUE) != 0 ? 0 : EOPNOTSUPP;
}

static int try_copy(void) {
  int from = memfd_create("rondo-doctor", MFD_CLOEXEC);
  int to = memfd_create("rondo-doctor", MFD_CLOEXEC);
  if (from < 0 || to < 0 || write(from, "x", 1) != 1)
    return errno;
  return error_of(syscall(SYS_copy_file_range, from, &(int64_t){0}, to, NULL, 1, 0));
}

static int try_quiet_write(void) {
  int ends[2];
  struct iovec vector = {"x", 1};
  if (pipe2(ends, O_CLOEXEC) < 0)
    return errno;
  return error_of(pwritev2(ends[1], &vector, 1, -1, RWF_NOSIGNAL));
}

static int try_inotify(void) {
  int fd = inotify_init1(IN_CLOEXEC);
  return fd < 0 ? errno : error_of(inotify_add_watch(fd, "/", IN_CREATE));
}

/* --- children ------------------------------------------------------------------------
 */

static int child_end(void* status) {
  _exit(*(int*) status);
}

/* A child that ends with status 3; returns its pid, with its pidfd. */
static pid_t child_with_pidfd(int* pidfd) {
  static _Alignas(16) char stack[16384];
  static int status = 3;
  return clone(child_end, stack + sizeof(stack), CLONE_PIDFD | SIGCHLD, &status, pidfd);
}

static int try_pidfd(void) {
  siginfo_t info = {0};
  int pidfd = -1;
  pid_t pid = child_with_pidfd(&pidfd);
  if (pid < 0)
    return errno;
  if (pidfd < 0) /* a kernel that ignored the flag */
    return ENOSYS;
  if (waitid(P_PIDFD, (id_t) pidfd, &info, WEXITED) < 0)
    return errno;
  return info.si_status == 3 ? 0 : EINVAL;
}

static int try_status_of_pidfd(void) {
  struct {
    uint64_t mask, cgroup;
    uint32_t ids[11];
    int32_t exit_code;
  } info = {.mask = UINT64_C(1) << 3};
  int pidfd = -1;
  pid_t pid = child_with_pidfd(&pidfd);
  if (pid < 0 || pidfd < 0)
    return pid < 0 ? errno : ENOSYS;
  if (waitpid(pid, NULL, 0) < 0 || ioctl(pidfd, _IOWR(0xff, 11, info), &info) < 0)
    return errno;
  return (info.mask & UINT64_C(1) << 3) != 0 ? 0 : EOPNOTSUPP;
}

static int try_close_range(void) {
  const unsigned int far = 1U << 30;
  const unsigned int close_on_exec = 1 << 2;
  return error_of(syscall(SYS_close_range, far, far, close_on_exec));
}

/* --- adopting ------------------------------------------------------------------------
 */

static int try_code_from_memory(void) {
  int fd = memfd_create("rondo-doctor", MFD_CLOEXEC | 0x10U); /* MFD_EXEC */
  if (fd < 0 && errno == EINVAL)
    fd = memfd_create("rondo-doctor", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, 1) < 0)
    return errno;
  void* code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  return code == MAP_FAILED ? errno : 0;
}

static bool setting_of_memory(int err, char* by, size_t size) {
  char level[16];
  if ((err != EPERM && err != EACCES) ||
      !doctor_read_line("/proc/sys/vm/memfd_noexec", level, sizeof(level)) ||
      *level != '2')
    return false;
  snprintf(by, size, "sysctl vm.memfd_noexec is 2: no memory file may be executed");
  return true;
}

static int try_text_write(void) {
  size_t page = (size_t) sysconf(_SC_PAGESIZE);
  char* text = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (text == MAP_FAILED || memory < 0)
    return errno;
  if (pwrite(memory, "x", 1, (off_t) (uintptr_t) text) != 1)
    return errno;
  return *text == 'x' ? 0 : EIO;
}

static bool setting_of_text(int err, char* by, size_t size) {
  char line[4096];
  if (err == 0 || !doctor_read_line("/proc/cmdline", line, sizeof(line)) ||
      strstr(line, "proc_mem.force_override=") == NULL)
    return false;
  snprintf(by, size, "the kernel's command line has proc_mem.force_override");
  return true;
}

static int try_place(void) {
  size_t page = (size_t) sysconf(_SC_PAGESIZE);
  void* taken = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* again = mmap(taken, page, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (again != MAP_FAILED)
    return EOPNOTSUPP;
  return errno == EEXIST ? 0 : errno;
}

/* --- tools ---------------------------------------------------------------------------
 */

/* Of a process that isn't below this one, as a recorded program isn't below its watcher.
 */
static int try_other_call(void) {
  char path[64], text[256];
  pid_t other = fork();
  if (other == 0) {
    alarm(5);
    for (;;)
      pause();
  }
  pid_t looking = other < 0 ? -1 : fork();
  if (looking == 0) {
    snprintf(path, sizeof(path), "/proc/%d/syscall", (int) other);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    _exit(fd < 0 || read(fd, text, sizeof(text)) < 0 ? errno : 0);
  }
  int err = looking < 0 ? errno : 0, status = 0;
  if (looking > 0 && waitpid(looking, &status, 0) == looking)
    err = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
  if (other > 0) {
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
  }
  return err;
}

static bool setting_of_other_call(int err, char* by, size_t size) {
  const unsigned int cap_sys_ptrace = 19;
  char level[16];
  if ((err != EPERM && err != EACCES) || doctor_has_capability(cap_sys_ptrace) ||
      !doctor_read_line("/proc/sys/kernel/yama/ptrace_scope", level, sizeof(level)) ||
      *level == '0')
    return false;
  snprintf(by, size,
           "Yama: sysctl kernel.yama.ptrace_scope is %s (cure: 0, or CAP_SYS_PTRACE)",
           level);
  return true;
}

static int try_schedstat(void) {
  char text[96];
  return doctor_read_line("/proc/self/schedstat", text, sizeof(text)) ? 0 : ENOENT;
}

static int try_question(void) {
  siginfo_t info = {.si_signo = SIGURG, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  return error_of(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGURG, &info));
}

static int try_isolation(void) {
  char folder[] = "/dev/shm/rondo-doctor-XXXXXX";
  char spare[] = "/tmp/rondo-doctor-XXXXXX";
  char* own = mkdtemp(folder) != NULL ? folder : mkdtemp(spare);
  if (own == NULL)
    return errno;
  int err = sim_isolate_try(own);
  rmdir(own);
  return err;
}

static bool setting_of_isolation(int err, char* by, size_t size) {
  static const struct {
    const char *path, *name;
    char forbids;
  } list[] = {{"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", '0'},
              {"/proc/sys/kernel/unprivileged_userns_clone",
               "kernel.unprivileged_userns_clone", '0'},
              {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
               "kernel.apparmor_restrict_unprivileged_userns", '1'}};
  char level[16];
  if (err != EPERM && err != EACCES && err != ENOSPC)
    return false;
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if (!doctor_read_line(list[i].path, level, sizeof(level)) || strlen(level) != 1 ||
        level[0] != list[i].forbids)
      continue;
    snprintf(by, size, "sysctl %s is %s", list[i].name, level);
    return true;
  }
  return false;
}

/* --- the list ------------------------------------------------------------------------
 */

const struct doctor_feature doctor_features[] = {
    {"io_uring rings", "6.1",
     "a busy loop waits without system calls; files without a pool",
     "loops wait with epoll, and files take the thread pool: everything works, with more "
     "system calls",
     try_rings, setting_of_rings},
    {"io_uring waits for an epoll set", "6.15",
     "one request for each wait of a busy loop",
     "the ring polls the set, and a system call fetches the events", try_set_in_ring,
     setting_of_rings},
    {"epoll_pwait2", "5.11", "sleeps end on the microsecond",
     "sleeps end on the next millisecond; no timer is early", try_fine_wait, NULL},
    {"preadv2 with RWF_NOWAIT", "4.14", "reads from the page cache on the loop's thread",
     "each read takes a ring or the pool", try_cached_read, NULL},
    {"openat2 with RESOLVE_CACHED", "5.12",
     "stat, open and access of known paths at once", "they take a ring or the pool",
     try_cached_walk, NULL},
    {"faccessat2 by descriptor", "5.8", "access of known paths at once",
     "access takes the pool", try_access_by_descriptor, NULL},
    {"statx", "4.11", "times of birth, and answers that don't ask a server",
     "fstatat: the time of birth is that of the last change", try_statx, NULL},
    {"unique numbers of mounts", "6.8", "which mounts are local, on any file system",
     "only file systems on a block device count as local", try_mount_id, NULL},
    {"copy_file_range", "4.5", "copies within the kernel", "reads and writes", try_copy,
     NULL},
    {"writes with RWF_NOSIGNAL", "6.18", "pipes are written without SIGPIPE",
     "the signal is blocked around the write", try_quiet_write, NULL},
    {"inotify", "2.6.27", "files and directories are watched",
     "uv_fs_event_start fails; uv_fs_poll_start works", try_inotify, NULL},
    {"pidfd", "5.4", "a child's end is an event of its own",
     "SIGCHLD, and a look at each child", try_pidfd, NULL},
    {"exit status kept by a pidfd", "6.15",
     "the status of a child that other code has waited for", "that status is unknown",
     try_status_of_pidfd, NULL},
    {"close_range", "5.11", "all descriptors become close-on-exec in one call",
     "one call for each", try_close_range, NULL},
    {"code in a memory file", "3.17", "trampolines of an adopted libuv",
     "pages are written, then made executable", try_code_from_memory, setting_of_memory},
    {"writes to /proc/self/mem", "2.6.39", "an adopted libuv's functions get their jumps",
     "text is made writable meanwhile; where that is forbidden, too, nothing is adopted",
     try_text_write, setting_of_text},
    {"MAP_FIXED_NOREPLACE", "4.17", "trampolines near a program's text",
     "the address is a wish, and checked", try_place, NULL},
    {"schedstat", "2.6.23",
     "stalls name who had the processor; rondo sim waits for quiet",
     "stalls have no cause of that kind, and rondo sim is less sure that nobody works",
     try_schedstat, NULL},
    {"signals with a question", "2.6.31", "a watcher asks a running thread for its stack",
     "only the threads' states are known", try_question, NULL},
    {"system calls of other processes", "2.6.27", "where a blocked thread is blocked",
     "a blocked thread shows as blocked, without the place", try_other_call,
     setting_of_other_call},
    {"namespaces of a run's own", "5.11", "rondo sim runs many schedules side by side",
     "runs that share a port or a file go on one at a time", try_isolation,
     setting_of_isolation},
};
const size_t doctor_feature_count = sizeof(doctor_features) / sizeof(doctor_features[0]);
const struct doctor_feature* const doctor_rings = &doctor_features[0];
