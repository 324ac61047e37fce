/* Reports to the watching command: see alarm.h. */
#include "trace/alarm.h"

#include "system/system.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool alarm_is_watched;            /* the report of the start was accepted */
static struct sockaddr_un alarm_address; /* without a family: no socket is known */

/* The socket is closed after each report, because programs close descriptors that they
 * don't know. */
static bool report_send(const struct alarm_report* report) {
  int saved = errno;
  ssize_t sent = -1;
  if (alarm_address.sun_family != AF_UNIX)
    return false;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    sent = sendto(fd, report, sizeof(*report), MSG_DONTWAIT | MSG_NOSIGNAL,
                  (const struct sockaddr*) &alarm_address, sizeof(alarm_address));
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
  (void) report_send(&report);
}

void alarm_stall(uint32_t loop, uint64_t looked_ns, uint64_t held_ns) {
  struct alarm_report report = {.pid = (uint32_t) getpid(),
                                .kind = ALARM_STALL,
                                .loop = loop,
                                .looked_ns = looked_ns,
                                .held_ns = held_ns};
  (void) report_send(&report);
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

void alarm_prepare(void) {
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
  alarm_is_watched = report_send(&started);
}
