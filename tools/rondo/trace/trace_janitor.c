/* Cleaning up behind a command that was killed: see trace_janitor.h. */
#include "trace_janitor.h"

#include "base/own_fd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

static char* path_in(const char* folder, const char* name) {
  char* path = NULL;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

bool recording_is_being_written(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0)
    close(fd);
  return locked;
}

/* Calls back for each file; false once one call was. */
static bool each_recording(const char* folder, bool (*look)(const char* path)) {
  DIR* list = opendir(folder);
  const struct dirent* entry;
  bool good = true;
  while (list != NULL && good && (entry = readdir(list)) != NULL) {
    char* path = entry->d_name[0] == '.' ? NULL : path_in(folder, entry->d_name);
    good = path == NULL || look(path);
    free(path);
  }
  if (list != NULL)
    closedir(list);
  return good;
}

static bool file_remove(const char* path) {
  (void) unlink(path);
  return true;
}

static bool file_is_left(const char* path) {
  return !recording_is_being_written(path);
}

void recordings_remove(const char* folder) {
  (void) each_recording(folder, file_remove);
  (void) rmdir(folder);
}

/* --- the janitor
 * ------------------------------------------------------------------------
 */

/* The program goes on without its command: its recording stays until it has ended, since
 * it is the program's memory. */
static void janitor_clean(const char* folder) {
  while (!each_recording(folder, file_is_left))
    sleep(1);
  recordings_remove(folder);
}

/* The janitor holds nothing open that a shell might wait for, and isn't ended by the
 * signals that end the command. */
static _Noreturn void janitor_run(int end, const char* folder) {
  static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  char byte;
  ssize_t count;
  for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
    signal(ignored[i], SIG_IGN);
  for (long fd = sysconf(_SC_OPEN_MAX) < 4096 ? sysconf(_SC_OPEN_MAX) : 4096; fd-- > 0;) {
    if (fd != end)
      close((int) fd);
  }
  setsid();
  (void) !chdir("/");
  do
    count = read(end, &byte, 1);
  while (count < 0 && errno == EINTR);
  if (count == 0)
    janitor_clean(folder);
  _exit(0);
}

struct janitor janitor_start(const char* folder) {
  struct janitor none = {.fd = -1};
  int ends[2];
  char* absolute = realpath(folder, NULL);
  if (absolute == NULL || pipe2(ends, O_CLOEXEC) != 0) {
    free(absolute);
    return none;
  }
  pid_t pid = fork();
  if (pid == 0)
    janitor_run(ends[0], absolute);
  free(absolute);
  close(ends[0]);
  if (pid > 0)
    return (struct janitor){.fd = ends[1], .pid = pid};
  close(ends[1]);
  return none;
}

void janitor_dismiss(struct janitor* janitor) {
  if (janitor->fd < 0)
    return;
  (void) !write(janitor->fd, "", 1);
  close(janitor->fd);
  janitor->fd = -1;
  while (waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR)
    ;
}
