/* The watcher's lines: see live_say.h. */
#include "live_say.h"

#include "base/own_fd.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>

static struct {
  bool is_file;        /* standard error is a file of ours now */
  int terminal;        /* a second descriptor of it; -1: there is none */
  bool aside;          /* lines go to the file beside, */
  int aside_fd;        /* which is open; -1: not yet */
  unsigned int hidden; /* lines there that the terminal doesn't know of */
  char aside_path[PATH_MAX];
} said = {.terminal = -1, .aside_fd = -1};

void say_open(int log, const char* aside) {
  snprintf(said.aside_path, sizeof(said.aside_path), "%s", aside);
  if (log >= 0) {
    dup2(log, STDERR_FILENO);
    close(log);
    said.is_file = true;
  } else if (isatty(STDERR_FILENO)) {
    said.terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, OWN_FD_FIRST);
  }
}

/* A program that reads keys one by one has switched off both. */
static bool terminal_is_taken(void) {
  struct termios settings;
  return said.terminal >= 0 && tcgetattr(said.terminal, &settings) == 0 &&
         (settings.c_lflag & (ICANON | ECHO)) == 0;
}

static bool aside_open(void) {
  if (said.aside_fd < 0)
    said.aside_fd = open(said.aside_path,
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  return said.aside_fd >= 0;
}

static void aside_report(void) {
  if (said.hidden == 0)
    return;
  dprintf(said.terminal, "rondo: %u %s while the screen was in use: see %s\n",
          said.hidden, said.hidden == 1 ? "line was written" : "lines were written",
          said.aside_path);
  said.hidden = 0;
}

void say_aim(void) {
  bool taken = terminal_is_taken();
  if (said.terminal < 0 || (taken && said.aside) || (!taken && !said.aside))
    return;
  if (taken && !aside_open())
    return; /* a line in the wrong place is better than none */
  dup2(taken ? said.aside_fd : said.terminal, STDERR_FILENO);
  said.aside = said.is_file = taken;
  if (!taken)
    aside_report();
}

void say_end(void) {
  if (said.terminal >= 0 && said.aside)
    aside_report();
}

static void time_write(char* text, const char* format) {
  struct timespec now;
  struct tm local;
  clock_gettime(CLOCK_REALTIME, &now);
  localtime_r(&now.tv_sec, &local);
  size_t length = strftime(text, SAY_TIME_SIZE, format, &local);
  snprintf(text + length, SAY_TIME_SIZE - length, ".%03ld", now.tv_nsec / 1000000);
}

const char* say_time(char* text) {
  time_write(text, "%H:%M:%S");
  return text;
}

/* One write: the program may be writing to the same place. */
void say(const char* text) {
  char time[SAY_TIME_SIZE];
  char* line = NULL;
  time_write(time, said.is_file ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S");
  int length = said.is_file ? asprintf(&line, "%s rondo: %s\n", time, text)
                            : asprintf(&line, "rondo: %s %s\n", time, text);
  if (length < 0)
    return;
  (void) !write(STDERR_FILENO, line, (size_t) length);
  free(line);
  said.hidden += said.aside;
}

void say_format(const char* format, ...) {
  char* text = NULL;
  va_list list;
  va_start(list, format);
  int length = vasprintf(&text, format, list);
  va_end(list);
  if (length < 0)
    return;
  say(text);
  free(text);
}
