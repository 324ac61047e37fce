/* Reads the flight recorder's options and sets what the recorder reads: see
 * exec_record.h. */
#include "exec_record.h"

#include "exec.h"
#include "live_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char exec_record_usage[] =
    "\n"
    "  --record[=size]  keep the last seconds of its loops in memory, 16M unless said,\n"
    "                   for rondo top, rondo why and rondo dump; a crash writes them "
    "down\n"
    "  --stall time     report a loop that is held up for longer than that, such as "
    "50ms,\n"
    "                   at once and with its stack, and write the last seconds down\n"
    "  --stall-run cmd  and run this command, with RONDO_STALL_LINE, RONDO_STALL_FILE "
    "and\n"
    "                   RONDO_STALL_PID in its environment\n"
    "  --names          also name what brings a Node http requests, with method, path\n"
    "                   and handler; in Python and Neovim, what the loop calls back\n"
    "  --dump-on signal write the last seconds down when the program gets it: USR2\n";

/* Whether the size is "" or a number with an optional K, M or G. */
static bool size_is_good(const char* size) {
  size_t digits = strspn(size, "0123456789");
  const char* unit = size + digits;
  return *size == '\0' ||
         (digits > 0 &&
          (*unit == '\0' || (strchr("KMGkmg", *unit) != NULL && unit[1] == '\0')));
}

/* Reads "50ms", "0.5s" or "50", as milliseconds; 0 if it is none of these. */
static unsigned int time_read(const char* text) {
  char* unit;
  double number = strtod(text, &unit);
  double ms = strcmp(unit, "s") == 0 ? number * 1000 : number;
  bool good = unit != text &&
              (*unit == '\0' || strcmp(unit, "ms") == 0 || strcmp(unit, "s") == 0);
  return good && ms >= 1 && ms <= 3600000 ? (unsigned int) ms : 0;
}

/* Reads "USR2", "SIGUSR2" or a number; 0 unless a program can handle that signal. */
static int signal_read(const char* text) {
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
  return takeable ? (int) number : 0;
}

static bool value_take(struct exec_record* record, const char* option, const char* value,
                       const char** problem) {
  *problem = "an argument is missing after ";
  if (value == NULL)
    return false;
  if (strncmp(option, "--stall-run", 11) == 0) {
    record->command = value;
    return true;
  }
  if (strncmp(option, "--stall", 7) == 0) {
    *problem = "no such time: ";
    record->stall = time_read(value);
    return record->stall > 0;
  }
  *problem = "no such signal, or none that can be used: ";
  record->signal = signal_read(value);
  return record->signal > 0;
}

int exec_record_option(struct exec_record* record, int argc, char** argv, int* next,
                       const char** problem) {
  static const char* const valued[] = {"--stall-run", "--stall", "--dump-on"};
  const char* option = argv[*next];
  size_t length = strcspn(option, "=");
  if (strncmp(option, "--record", length) == 0 && length == strlen("--record")) {
    record->on = true;
    record->size = option[length] == '=' ? option + length + 1 : "";
    *problem = "no such size: ";
    return size_is_good(record->size) ? 1 : -1;
  }
  if (strcmp(option, "--names") == 0) {
    record->on = record->names = true;
    return 1;
  }
  for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++) {
    if (strlen(valued[i]) != length || strncmp(option, valued[i], length) != 0)
      continue;
    const char* value = option[length] == '=' ? option + length + 1
                        : *next + 1 < argc    ? argv[++*next]
                                              : NULL;
    record->on = true;
    return value_take(record, option, value, problem) ? 1 : -1;
  }
  return 0;
}

static bool set_number(const char* name, unsigned int number) {
  char text[16];
  snprintf(text, sizeof(text), "%u", number);
  return number == 0 ? unsetenv(name) == 0 : setenv(name, text, 1) == 0;
}

/* If the watcher can't be started, the program is recorded without. */
bool exec_record_start(const struct exec_record* record, char*** argv) {
  static struct watch_options options; /* the watcher has a copy */
  if (!record->on)
    return true;
  options.command = record->command;
  if (setenv("RONDO_RECORD", record->size == NULL ? "" : record->size, 1) != 0 ||
      !set_number("RONDO_RECORD_STALL", record->stall) ||
      !set_number("RONDO_RECORD_NAMES", record->names) ||
      !set_number("RONDO_RECORD_SIGNAL", (unsigned int) record->signal)) {
    fputs("rondo: no memory\n", stderr);
    return false;
  }
  *argv = exec_name_functions(*argv);
  (void) watch_start(&options);
  return true;
}
