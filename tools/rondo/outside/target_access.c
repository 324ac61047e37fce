/* Whether a process may be looked into, and if not, what is missing and the command that
 * would give it. The kernel says only EPERM: the reason is found by asking for each. */
#include "target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The contents of /proc/PID/status. */
struct status {
  int tgid, tracer, parent;
  char state;
  char name[32];
  unsigned int uids[4];
  bool is_kernel; /* a thread of the kernel has no memory */
  unsigned long long permitted;
};

static bool status_read(struct status* status, const char* pid) {
  char path[64], line[512];
  *status = (struct status){.is_kernel = true};
  snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
  FILE* file = fopen(path, "re");
  if (file == NULL)
    return false;
  while (fgets(line, sizeof(line), file) != NULL) {
    (void) sscanf(line, "Name: %31[^\n]", status->name);
    (void) sscanf(line, "State: %c", &status->state);
    (void) sscanf(line, "Tgid: %d", &status->tgid);
    (void) sscanf(line, "PPid: %d", &status->parent);
    (void) sscanf(line, "TracerPid: %d", &status->tracer);
    (void) sscanf(line, "Uid: %u %u %u %u", &status->uids[0], &status->uids[1],
                  &status->uids[2], &status->uids[3]);
    (void) sscanf(line, "CapPrm: %llx", &status->permitted);
    if (strncmp(line, "VmSize:", 7) == 0)
      status->is_kernel = false;
  }
  fclose(file);
  return status->tgid != 0;
}

enum { CAPABILITY_PTRACE = 19 };

static int yama_scope(void) {
  char text[8] = "0";
  int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  ssize_t length = read(fd, text, sizeof(text) - 1);
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  return (int) strtol(text, NULL, 10);
}

static void user_text(char* text, size_t size, unsigned int uid) {
  const struct passwd* user = getpwuid(uid);
  if (user == NULL)
    snprintf(text, size, "user %u", uid);
  else
    snprintf(text, size, "%.60s", user->pw_name);
}

static bool same_user(const struct status* own, const struct status* other) {
  for (int i = 0; i < 3; i++) {
    if (other->uids[i] != own->uids[0])
      return false;
  }
  return true;
}

static bool is_user_namespace_other(int pid) {
  char path[48], own[64], other[64];
  snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
  ssize_t a = readlink("/proc/self/ns/user", own, sizeof(own) - 1);
  ssize_t b = readlink(path, other, sizeof(other) - 1);
  return a > 0 && b > 0 && (a != b || memcmp(own, other, (size_t) a) != 0);
}

/* Called when the memory can't be read. */
static void refusal_text(char* text, int pid, const struct status* other) {
  struct status own = {0};
  char user[64];
  (void) status_read(&own, "self");
  bool may_trace = (own.permitted >> CAPABILITY_PTRACE & 1) != 0;
  int scope = yama_scope();
  user_text(user, sizeof(user), other->uids[0]);
  if (scope >= 3)
    snprintf(text, TARGET_WHY_NOT,
             "process %d can't be looked into: kernel.yama.ptrace_scope is %d, which "
             "forbids it to everybody until the machine starts anew; a core file can be "
             "read: rondo why core.%d",
             pid, scope, pid);
  else if (may_trace)
    snprintf(text, TARGET_WHY_NOT,
             "process %d can't be looked into, though this command has CAP_SYS_PTRACE: "
             "%s; run it where the process's container was started",
             pid,
             is_user_namespace_other(pid) ? "the process is in another user namespace"
                                          : "a sandbox or security module forbids it");
  else if (geteuid() == 0)
    snprintf(text, TARGET_WHY_NOT,
             "process %d can't be looked into: CAP_SYS_PTRACE is missing here; run it on "
             "the host, or in a container started with --cap-add=SYS_PTRACE",
             pid);
  else if (!same_user(&own, other) && other->uids[0] != own.uids[0])
    snprintf(text, TARGET_WHY_NOT, "process %d belongs to %s: run sudo rondo why %d", pid,
             user, pid);
  else if (scope >= 1)
    snprintf(text, TARGET_WHY_NOT,
             "process %d can't be looked into: kernel.yama.ptrace_scope is %d; run sudo "
             "rondo why %d%s",
             pid, scope, pid,
             scope == 1 ? ", or sudo sysctl kernel.yama.ptrace_scope=0 first" : "");
  else
    snprintf(text, TARGET_WHY_NOT,
             "process %d can't be looked into: it has, or had, more rights than its user "
             "(set-user-ID, capabilities, or it is not dumpable); run sudo rondo why %d",
             pid, pid);
}

/* The program's first bytes: of its class and machine only one is known here. */
static bool is_own_kind(int pid) {
  char path[48];
  unsigned char head[20] = {0}, own[20] = {0};
  snprintf(path, sizeof(path), "/proc/%d/exe", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC),
      self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool known = fd >= 0 && self >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
               read(self, own, sizeof(own)) == sizeof(own);
  if (fd >= 0)
    close(fd);
  if (self >= 0)
    close(self);
  return !known || (head[4] == own[4] && head[18] == own[18] && head[19] == own[19]);
}

/* Opening the file asks for the same right as reading the memory, and needs no address.
 */
static int memory_refused(int pid) {
  char path[48];
  snprintf(path, sizeof(path), "/proc/%d/mem", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

bool target_access(int pid, int* tracer, char* why_not) {
  struct status status;
  char number[24];
  snprintf(number, sizeof(number), "%d", pid);
  *why_not = '\0';
  if (!status_read(&status, number)) {
    snprintf(why_not, TARGET_WHY_NOT,
             access("/proc/self", F_OK) == 0
                 ? "there is no process %d"
                 : "process %d can't be looked into: /proc is not mounted",
             pid);
    return false;
  }
  *tracer = status.tracer;
  if (status.state == 'Z' || status.state == 'X')
    snprintf(why_not, TARGET_WHY_NOT,
             "process %d (%s) has ended: its parent, process %d, has not waited for it",
             pid, status.name, status.parent);
  else if (status.tgid != pid)
    snprintf(why_not, TARGET_WHY_NOT, "%d is a thread of process %d: run rondo why %d",
             pid, status.tgid, status.tgid);
  else if (status.is_kernel && status.parent <= 2 && status.uids[0] == 0)
    snprintf(why_not, TARGET_WHY_NOT,
             "process %d (%s) is the kernel's own, or ends just now", pid, status.name);
  else if (status.is_kernel)
    snprintf(why_not, TARGET_WHY_NOT,
             "process %d (%s) ends just now: it has no memory left", pid, status.name);
  else if (memory_refused(pid) != 0)
    refusal_text(why_not, pid, &status);
  else if (!is_own_kind(pid))
    snprintf(why_not, TARGET_WHY_NOT,
             "process %d (%s) is a program for another kind of processor", pid,
             status.name);
  for (char* at = why_not; *at != '\0'; at++) {
    if (iscntrl((unsigned char) *at))
      *at = '?';
  }
  return *why_not == '\0';
}
