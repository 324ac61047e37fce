/* Settings of this machine and for this process, as far as loops and tools depend on it:
 * versions, limits, switches. A fact has a worry only if something that Rondo does is
 * less good for it. */
#include "doctor.h"
#include "exec.h"

#include "trace/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

bool doctor_read_line(const char* path, char* text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return false;
  text[length] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return true;
}

unsigned int doctor_kernel(void) {
  struct utsname about;
  char* rest;
  if (uname(&about) != 0)
    return 0;
  unsigned long major = strtoul(about.release, &rest, 10);
  unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
  return (unsigned int) (major * 1000 + minor);
}

/* The text behind "NAME:" in /proc/self/status; false if there is none. */
static bool status_field(const char* name, char* text, size_t size) {
  char whole[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, whole, sizeof(whole) - 1);
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return false;
  whole[length] = '\0';
  char wanted[40];
  snprintf(wanted, sizeof(wanted), "\n%s:", name);
  const char* at = strstr(whole, wanted);
  if (at == NULL)
    return false;
  at += strlen(wanted);
  at += strspn(at, "\t ");
  snprintf(text, size, "%.*s", (int) strcspn(at, "\n"), at);
  return true;
}

int doctor_filter_mode(void) {
  char text[16];
  return status_field("Seccomp", text, sizeof(text)) ? (int) strtol(text, NULL, 10) : -1;
}

bool doctor_has_capability(unsigned int number) {
  char text[32];
  return status_field("CapEff", text, sizeof(text)) &&
         (strtoull(text, NULL, 16) >> number & 1) != 0;
}

/* --- one fact after the other --------------------------------------------------------
 */

static __attribute__((format(printf, 3, 4))) struct doctor_fact*
fact_add(struct doctor_facts* facts, const char* name, const char* format, ...) {
  static struct doctor_fact spare;
  struct doctor_fact* fact =
      facts->count < DOCTOR_FACTS ? &facts->list[facts->count++] : &spare;
  va_list list;
  va_start(list, format);
  vsnprintf(fact->text, sizeof(fact->text), format, list);
  va_end(list);
  fact->name = name;
  fact->worry[0] = '\0';
  return fact;
}

static __attribute__((format(printf, 2, 3))) void fact_worry(struct doctor_fact* fact,
                                                             const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(fact->worry, sizeof(fact->worry), format, list);
  va_end(list);
}

static void look_at_system(struct doctor_facts* facts) {
  struct utsname about;
  char text[DOCTOR_TEXT] = "";
  char line[256];
  if (uname(&about) == 0) {
    struct doctor_fact* fact = fact_add(facts, "kernel", "%s %s, %s", about.sysname,
                                        about.release, about.machine);
    if (doctor_kernel() < 4018)
      fact_worry(fact, "Rondo is made for Linux 4.18 and newer");
  }
  FILE* file = fopen("/etc/os-release", "re");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "PRETTY_NAME=\"%255[^\"]", text) == 1)
      fact_add(facts, "system", "%s", text);
  }
  if (file != NULL)
    fclose(file);
  size_t length = confstr(_CS_GNU_LIBC_VERSION, text, sizeof(text));
  fact_add(facts, "C library", "%s", length > 0 ? text : "not glibc");
  fact_add(facts, "page size", "%ld bytes", sysconf(_SC_PAGESIZE));
}

static void look_at_processors(struct doctor_facts* facts) {
  cpu_set_t set;
  char quota[64] = "";
  int allowed = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  bool limited = doctor_read_line("/sys/fs/cgroup/cpu.max", quota, sizeof(quota)) &&
                 strncmp(quota, "max", 3) != 0;
  struct doctor_fact* fact =
      fact_add(facts, "processors", "%d of %ld%s%s", allowed > 0 ? allowed : (int) all,
               all, limited ? ", cpu.max " : "", limited ? quota : "");
  if (allowed == 1)
    fact_worry(fact, "with one processor no loop spins, and the pool's threads take the "
                     "loop's time");
}

static void look_at_container(struct doctor_facts* facts) {
  char text[64] = "";
  const char* container = getenv("container");
  int mode = doctor_filter_mode();
  if (container == NULL && access("/.dockerenv", F_OK) == 0)
    container = "docker (there is /.dockerenv)";
  if (container == NULL && access("/run/.containerenv", F_OK) == 0)
    container = "podman (there is /run/.containerenv)";
  if (container != NULL)
    fact_add(facts, "container", "%s", container);
  if (mode == 0)
    fact_add(facts, "seccomp", "no filter of system calls");
  else if (mode > 0)
    fact_add(facts, "seccomp", "%s", mode == 2 ? "a filter of system calls" : "strict");
  else
    fact_worry(fact_add(facts, "/proc", "not mounted"),
               "rondo top, why and sim need it; adopting and recording go without");
  if (status_field("NoNewPrivs", text, sizeof(text)) && *text == '1')
    fact_add(facts, "no_new_privs", "on");
}

static void look_at_user(struct doctor_facts* facts) {
  const unsigned int cap_sys_ptrace = 19, cap_sys_admin = 21;
  fact_add(facts, "user", "%u%s%s", (unsigned int) geteuid(),
           doctor_has_capability(cap_sys_admin) ? ", CAP_SYS_ADMIN" : "",
           doctor_has_capability(cap_sys_ptrace) ? ", CAP_SYS_PTRACE" : "");
}

static const char* limit_text(char* text, size_t size, rlim_t limit, unsigned int unit) {
  if (limit == RLIM_INFINITY)
    snprintf(text, size, "unlimited");
  else
    snprintf(text, size, "%llu", (unsigned long long) limit / unit);
  return text;
}

static void look_at_limits(struct doctor_facts* facts) {
  struct rlimit limit;
  char soft[32], hard[32];
  const rlim_t few_descriptors = 1024, little_memory = 64 << 10;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    struct doctor_fact* fact =
        fact_add(facts, "descriptors", "%s (ulimit -n), %s at most",
                 limit_text(soft, sizeof(soft), limit.rlim_cur, 1),
                 limit_text(hard, sizeof(hard), limit.rlim_max, 1));
    if (limit.rlim_cur < few_descriptors)
      fact_worry(fact, "a loop takes up to five; each connection takes one");
  }
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
    struct doctor_fact* fact =
        fact_add(facts, "locked memory", "%s KiB (ulimit -l)",
                 limit_text(soft, sizeof(soft), limit.rlim_cur, 1024));
    if (doctor_kernel() < 5012 && limit.rlim_cur <= little_memory)
      fact_worry(fact, "before Linux 5.12 rings count as locked memory");
  }
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    fact_worry(fact_add(facts, "size of files", "%s bytes (ulimit -f)",
                        limit_text(soft, sizeof(soft), limit.rlim_cur, 1)),
               "a recording ends when its file would become larger");
}

static void look_at_sysctls(struct doctor_facts* facts) {
  static const struct {
    const char *path, *name;
  } list[] = {
      {"/proc/sys/kernel/io_uring_disabled", "kernel.io_uring_disabled"},
      {"/proc/sys/kernel/yama/ptrace_scope", "kernel.yama.ptrace_scope"},
      {"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces"},
      {"/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone"},
      {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
       "kernel.apparmor_restrict_unprivileged_userns"},
      {"/proc/sys/vm/memfd_noexec", "vm.memfd_noexec"},
      {"/proc/sys/fs/inotify/max_user_watches", "fs.inotify.max_user_watches"},
      {"/proc/sys/fs/inotify/max_user_instances", "fs.inotify.max_user_instances"}};
  char level[32];
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if (doctor_read_line(list[i].path, level, sizeof(level)))
      fact_add(facts, list[i].name, "%s", level);
  }
}

/* Where a ring of `rondo exec --record` would be: in the first folder of ring.h that can
 * be made, or that is there already. */
static void look_at_ring_folder(struct doctor_facts* facts) {
  char folder[RING_PATH_SIZE];
  for (int turn = 0; turn < RING_FOLDERS_USUAL; turn++) {
    if (!ring_folder(folder, turn, getenv("XDG_RUNTIME_DIR")))
      continue;
    bool is_there = ring_folder_is_safe(folder);
    char* slash = strrchr(folder, '/');
    *slash = '\0';
    bool can_be_made = access(folder, W_OK | X_OK) == 0;
    struct statvfs space = {0};
    if ((!is_there && !can_be_made) || statvfs(folder, &space) != 0)
      continue;
    *slash = '/';
    unsigned long long free_mib =
        (unsigned long long) space.f_bavail * space.f_frsize >> 20;
    struct doctor_fact* fact =
        fact_add(facts, "rings of recordings", "%.200s, %llu MiB free", folder, free_mib);
    if (strncmp(folder, "/tmp/", 5) == 0)
      fact_worry(fact, "no folder in memory was found ($XDG_RUNTIME_DIR, /run/user, "
                       "/dev/shm): if /tmp is on a disk, rings are written to it");
    else if (free_mib < 64)
      fact_worry(fact, "a recorded process takes 16 MiB unless --record says otherwise");
    return;
  }
  fact_worry(fact_add(facts, "rings of recordings", "no folder for them"),
             "rondo exec --record and RONDO_RECORD keep nothing (cure: a writable "
             "/dev/shm or /tmp, or $XDG_RUNTIME_DIR)");
}

static void look_at_backend(struct doctor_facts* facts,
                            const struct doctor_result* rings) {
  const char* asked = getenv("RONDO_BACKEND");
  const char* use = getenv("UV_USE_IO_URING");
  bool by_name = asked != NULL && strcmp(asked, "uring") == 0;
  if (asked != NULL && strcmp(asked, "epoll") == 0)
    fact_add(facts, "backend", "epoll, as RONDO_BACKEND says");
  else if (!by_name && use != NULL && strcmp(use, "0") == 0)
    fact_add(facts, "backend", "epoll, as UV_USE_IO_URING=0 says");
  else if (rings->state == DOCTOR_WORKS && doctor_kernel() >= 6001)
    fact_add(facts, "backend", "io_uring");
  else
    fact_add(facts, "backend", "epoll: %s", rings->by);
}

/* Variables that change what a program does under Rondo. */
static void look_at_environment(struct doctor_facts* facts) {
  static const char* const prefixes[] = {
      "RONDO_", "UV_", "LD_PRELOAD=", "LD_LIBRARY_PATH=", "NODE_OPTIONS="};
  char text[DOCTOR_TEXT] = "";
  size_t used = 0;
  for (char** each = environ; *each != NULL; each++) {
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
      if (strncmp(*each, prefixes[i], strlen(prefixes[i])) == 0 && used < sizeof(text))
        used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%s",
                                  used > 0 ? " " : "", *each);
    }
  }
  fact_add(facts, "environment", "%s", used > 0 ? text : "nothing of ours is set");
}

static void look_at_objects(struct doctor_facts* facts) {
  static const struct {
    const char *name, *without;
  } list[] = {{"librondo-adopt.so", "a libuv that is built in can't be adopted"},
              {"librondo-sampler.so", "recordings have no stacks"},
              {"librondo-sim.so", "rondo sim leaves clocks real"},
              {"librondo-js.so", "rondo app.js can't run; exec, trace and sim can"}};
  char folder[PATH_MAX], path[PATH_MAX + 32];
  if (!exec_find_library(folder)) {
    fact_worry(fact_add(facts, "library", "no libuv.so.1 beside this command"),
               "rondo exec has nothing to put programs on: install it again");
    return;
  }
  fact_add(facts, "library", "%.280s/libuv.so.1", folder);
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    snprintf(path, sizeof(path), "%s/%s", folder, list[i].name);
    if (access(path, R_OK) != 0)
      fact_worry(fact_add(facts, list[i].name, "missing"), "%s", list[i].without);
  }
}

void doctor_look(struct doctor_facts* facts, const struct doctor_result* rings) {
  facts->count = 0;
  look_at_system(facts);
  look_at_backend(facts, rings);
  look_at_processors(facts);
  look_at_user(facts);
  look_at_container(facts);
  look_at_limits(facts);
  look_at_sysctls(facts);
  look_at_ring_folder(facts);
  look_at_objects(facts);
  look_at_environment(facts);
}
