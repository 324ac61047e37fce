/* Sets what the flight recorder reads: see exec_record.h. */
#include "exec_record.h"

#include "exec.h"
#include "live_watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Reads "USR2", "SIGUSR2" or a number. */
bool exec_record_signal(const char* text, void* into) {
  char* end;
  long number = strtol(text, &end, 10);
  number = *end == '\0' ? number : 0;
  const char* name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
  for (int i = 1; number == 0 && i < NSIG; i++) {
    const char* known = sigabbrev_np(i);
    if (known != NULL && strcasecmp(known, name) == 0)
      number = i;
  }
  bool takeable = number > 0 && number < NSIG && number != SIGKILL && number != SIGSTOP &&
                  number != SIGURG && number != SIGSEGV && number != SIGCHLD;
  *(int*) into = (int) number;
  return takeable;
}

/* 0 is nothing to set. */
static bool set_number(const char* name, uint64_t number) {
  char text[24];
  snprintf(text, sizeof(text), "%" PRIu64, number);
  return number == 0 ? unsetenv(name) == 0 : setenv(name, text, 1) == 0;
}

bool exec_record_start(const struct exec_record* record, char*** argv) {
  static struct watch_options options; /* the watcher has a copy */
  if (!record->on)
    return true;
  options = (struct watch_options){.command = record->command,
                                   .environment = record->environment,
                                   .folder = record->folder,
                                   .log = record->log};
  if (setenv("RONDO_RECORD", "", 1) != 0 ||
      (record->size > 0 && !set_number("RONDO_RECORD", record->size)) ||
      !set_number("RONDO_RECORD_STALL", record->stall_ns / 1000000) ||
      !set_number("RONDO_RECORD_NAMES", record->names) ||
      !set_number("RONDO_RECORD_SIGNAL", (uint64_t) record->signal)) {
    fputs("rondo: no memory\n", stderr);
    return false;
  }
  *argv = exec_name_functions(*argv);
  return watch_start(&options);
}
