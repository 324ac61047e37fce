/* Tries one feature in a child, and finds out who forbids it. A filter of system calls
 * can't be read from inside, nor can the rules of a security module: where only one of
 * them can be the cause, the answer names it; where several can, it is worded as a guess.
 */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ATTEMPT_SECONDS = 10 };

/* Returns what waitpid reports of a child that made the attempt; -1 without a child. */
static int attempt_in_child(const struct doctor_feature* feature) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    alarm(ATTEMPT_SECONDS);
    int err = feature->attempt();
    _exit(err < 0 || err > 255 ? 255 : err);
  }
  if (pid < 0)
    return -1;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      return -1;
  }
  return status;
}

static unsigned int version_number(const char* text) {
  char* rest;
  unsigned long major = strtoul(text, &rest, 10);
  unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
  return (unsigned int) (major * 1000 + minor);
}

/* Errors of a kernel that doesn't know a call, a flag, an operation or a file of /proc.
 */
static bool is_unknown_to_kernel(int err) {
  return err == ENOSYS || err == EINVAL || err == EOPNOTSUPP || err == ENOTTY ||
         err == ENOENT;
}

static const char* security_modules(void) {
  static char names[128];
  if (!doctor_read_line("/sys/kernel/security/lsm", names, sizeof(names)))
    names[0] = '\0';
  return names;
}

static void blame_refusal(struct doctor_result* result) {
  const char* modules = security_modules();
  const char* what = strerror(result->err);
  if (doctor_filter_mode() == 2)
    snprintf(result->by, sizeof(result->by),
             "%s: probably the seccomp filter that this process has (a container's "
             "profile, or systemd's SystemCallFilter)",
             what);
  else if (*modules != '\0')
    snprintf(result->by, sizeof(result->by),
             "%s: no seccomp filter is on, so a security module may do it (here are: "
             "%s), or rights are missing",
             what, modules);
  else
    snprintf(result->by, sizeof(result->by),
             "%s: no seccomp filter is on, so rights are missing, or a security module "
             "does it",
             what);
}

static void blame_missing(struct doctor_result* result) {
  const char* what = strerror(result->err);
  if (doctor_filter_mode() == 2)
    snprintf(result->by, sizeof(result->by),
             "%s, though this kernel is new enough: probably the seccomp filter that "
             "this process has, or a kernel that was built without it",
             what);
  else
    snprintf(result->by, sizeof(result->by),
             "%s, though this kernel is new enough: it was built without it, the file "
             "system here hasn't it, or it is no Linux underneath (gVisor, an emulator)",
             what);
}

static void blame(const struct doctor_feature* feature, struct doctor_result* result) {
  const int err = result->err;
  const bool is_old = doctor_kernel() < version_number(feature->since);
  if (feature->setting != NULL && feature->setting(err, result->by, sizeof(result->by))) {
    result->state = DOCTOR_FORBIDDEN;
  } else if (is_old && is_unknown_to_kernel(err)) {
    result->state = DOCTOR_TOO_OLD;
    snprintf(result->by, sizeof(result->by),
             "this kernel is older: it came with Linux %s", feature->since);
  } else if (err == EPERM || err == EACCES) {
    result->state = DOCTOR_FORBIDDEN;
    blame_refusal(result);
  } else if (is_unknown_to_kernel(err)) {
    result->state = DOCTOR_MISSING;
    blame_missing(result);
  } else if (err == EMFILE || err == ENFILE) {
    snprintf(result->by, sizeof(result->by), "no descriptors left: see ulimit -n");
  } else if (err == ENOMEM) {
    snprintf(result->by, sizeof(result->by),
             "no memory: see the memory limits and, before Linux 5.12, ulimit -l");
  } else {
    snprintf(result->by, sizeof(result->by), "%s", strerror(err));
  }
}

void doctor_try(const struct doctor_feature* feature, struct doctor_result* result) {
  int status = attempt_in_child(feature);
  *result = (struct doctor_result){.state = DOCTOR_FAILED};
  if (status == -1) {
    snprintf(result->by, sizeof(result->by), "not tried: no process can be made: %s",
             strerror(errno));
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
    result->state = DOCTOR_FORBIDDEN;
    snprintf(result->by, sizeof(result->by),
             "a seccomp filter, which ends whoever tries it (SIGSYS)");
  } else if (WIFSIGNALED(status)) {
    snprintf(result->by, sizeof(result->by), "the attempt was ended by signal %d (%s)",
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) == 0) {
    result->state = DOCTOR_WORKS;
  } else {
    result->err = WEXITSTATUS(status);
    blame(feature, result);
  }
}

const char* doctor_state_word(enum doctor_state state) {
  static const char* const words[] = {[DOCTOR_WORKS] = "works",
                                      [DOCTOR_TOO_OLD] = "too old",
                                      [DOCTOR_FORBIDDEN] = "forbidden",
                                      [DOCTOR_MISSING] = "missing",
                                      [DOCTOR_FAILED] = "fails"};
  return words[state];
}
