/* RONDO_DEBUG: reports of the library about itself. Each line is one write, to standard
 * error or, appended, to the file that RONDO_DEBUG_OUTPUT names. So lines of several
 * threads and processes don't mix, and a program that closes or reads its standard error
 * can be examined too. */
#include "base/own_fd.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool debug_wants(const char* word) {
  const char* words = system_setting("RONDO_DEBUG");
  return words != NULL && strstr(words, word) != NULL;
}

static int debug_open(void) {
  const char* path = system_setting("RONDO_DEBUG_OUTPUT");
  if (path == NULL || *path == '\0')
    return STDERR_FILENO;
  return own_fd_raise(
      open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
}

void debug_report(const char* format, ...) {
  char line[1100] = "rondo: ";
  int saved = errno;
  size_t start = strlen(line);
  va_list arguments;
  va_start(arguments, format);
  int added = vsnprintf(line + start, sizeof(line) - start - 1, format, arguments);
  va_end(arguments);
  size_t length = start + (size_t) (added < 0 ? 0 : added);
  length = length > sizeof(line) - 2 ? sizeof(line) - 2 : length;
  line[length++] = '\n';
  int fd = debug_open();
  ssize_t written = fd < 0 ? 0 : write(fd, line, length);
  (void) written; /* there is nobody to report it to */
  if (fd > STDERR_FILENO)
    close(fd);
  errno = saved;
}
