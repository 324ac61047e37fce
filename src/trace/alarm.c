/* Reports to the watching command: see alarm.h. */
#include "trace/alarm.h"

#include "base/own_fd.h"
#include "loop/loop.h"
#include "system/system.h"
#include "trace/board.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static bool alarm_is_watched;            /* the report of the start was accepted */
static struct sockaddr_un alarm_address; /* without a family: no socket is known */

/* The socket is closed after each report, because programs close descriptors that they
 * don't know. `shared`: a descriptor for the watcher, or -1. */
static bool report_send(const struct alarm_report* report, int shared) {
  int saved = errno;
  ssize_t sent = -1;
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr head;
  } rights = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                       .cmsg_level = SOL_SOCKET,
                       .cmsg_type = SCM_RIGHTS}};
  struct iovec part = {(void*) (uintptr_t) report, sizeof(*report)};
  struct msghdr message = {.msg_name = &alarm_address,
                           .msg_namelen = sizeof(alarm_address),
                           .msg_iov = &part,
                           .msg_iovlen = 1};
  if (alarm_address.sun_family != AF_UNIX)
    return false;
  if (shared >= 0) {
    memcpy(CMSG_DATA(&rights.head), &shared, sizeof(shared));
    message.msg_control = &rights;
    message.msg_controllen = sizeof(rights);
  }
  int fd = own_fd_raise(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (fd >= 0) {
    sent = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(fd);
  }
  errno = saved;
  return sent == (ssize_t) sizeof(*report);
}

bool alarm_has_watcher(void) {
  return alarm_is_watched;
}

void alarm_send(enum alarm_kind kind) {
  struct alarm_report report = {.pid = (uint32_t) getpid(), .kind = (uint32_t) kind};
  (void) report_send(&report, -1);
}

void alarm_stall(uint32_t loop, uint64_t looked_ns, uint64_t held_ns) {
  struct alarm_report report = {.pid = (uint32_t) getpid(),
                                .kind = ALARM_STALL,
                                .loop = loop,
                                .looked_ns = looked_ns,
                                .held_ns = held_ns};
  (void) report_send(&report, -1);
}

static void alarm_dump(int number) {
  (void) number;
  alarm_send(ALARM_DUMP);
}

static void alarm_signal_take(int number) {
  struct sigaction before;
  struct sigaction action = {.sa_handler = alarm_dump, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) != 0 ||
      (before.sa_handler != SIG_DFL && before.sa_handler != alarm_dump) ||
      sigaction(number, &action, NULL) != 0)
    fprintf(stderr, "rondo: signal %d is the program's own: it writes nothing down\n",
            number);
}

/* The word is a futex in shared memory; a wait on it ends early if the watcher answers
 * first, or by a signal. */
void alarm_part(struct board* board) {
  const uint64_t patience_ns = 250000000;
  struct alarm_report report = {.pid = (uint32_t) getpid(), .kind = ALARM_ENDING};
  int saved = errno;
  if (!alarm_is_watched || board->stall_ns == 0 || !report_send(&report, -1))
    return;
  uint64_t now = clock_now_ns(), until = now + patience_ns;
  for (; now < until && __atomic_load_n(&board->parted, __ATOMIC_ACQUIRE) == 0;
       now = clock_now_ns()) {
    struct timespec left = {0, (long) (until - now)};
    if (syscall(SYS_futex, &board->parted, FUTEX_WAIT, 0, &left, NULL, 0) != 0 &&
        errno != EINTR && errno != EAGAIN)
      break;
  }
  errno = saved;
}

void alarm_prepare(int ring_fd) {
  const char* path = system_setting("RONDO_RECORD_WATCHER");
  const char* text = system_setting("RONDO_RECORD_SIGNAL");
  long number = text == NULL ? 0 : strtol(text, NULL, 10);
  if (path != NULL && *path == '/' && strlen(path) < sizeof(alarm_address.sun_path)) {
    memcpy(alarm_address.sun_path, path, strlen(path) + 1);
    alarm_address.sun_family = AF_UNIX;
  }
  if (alarm_address.sun_family == AF_UNIX && number > 0 && number < NSIG)
    alarm_signal_take((int) number);
  struct alarm_report started = {.pid = (uint32_t) getpid(), .kind = ALARM_STARTED};
  alarm_is_watched = report_send(&started, ring_fd);
}
