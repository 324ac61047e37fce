/* About this process: its id, priority, parent, executable and working directory, and the
 * descriptors that it was started with. */
#include "base/base.h"
#include "base/strings.h"
#include "uv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/close_range.h>

uv_pid_t uv_os_getpid(void) {
  return getpid();
}

uv_pid_t uv_os_getppid(void) {
  return getppid();
}

int uv_os_getpriority(uv_pid_t pid, int* priority) {
  if (priority == NULL)
    return UV_EINVAL;
  /* -1 is a priority like any other: only errno distinguishes it from a failure. */
  errno = 0;
  int value = getpriority(PRIO_PROCESS, (id_t) pid);
  if (value == -1 && errno != 0)
    return -errno;
  *priority = value;
  return 0;
}

int uv_os_setpriority(uv_pid_t pid, int priority) {
  /* Checked here, because the kernel would take the nearest priority instead. */
  if (priority < UV_PRIORITY_HIGHEST || priority > UV_PRIORITY_LOW)
    return UV_EINVAL;
  return setpriority(PRIO_PROCESS, (id_t) pid, priority) == 0 ? 0 : -errno;
}

/* Unlike the similar functions, this one cuts a path that doesn't fit: libuv's tests
 * require it, and programs rely on it. */
int uv_exepath(char* buffer, size_t* size) {
  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  ssize_t length = 0;
  if (*size > 1)
    length = readlink("/proc/self/exe", buffer, *size - 1);
  if (length < 0)
    return -errno;
  buffer[length] = '\0';
  *size = (size_t) length;
  return 0;
}

int uv_cwd(char* buffer, size_t* size) {
  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  /* The C library allocates, since a path may be longer than PATH_MAX. */
  char* path = getcwd(NULL, 0);
  if (path == NULL)
    return -errno;
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '/')
    length--;
  int err = string_give(path, length, buffer, size);
  free(path);
  return err;
}

int uv_chdir(const char* dir) {
  return chdir(dir) == 0 ? 0 : -errno;
}

uv_os_fd_t uv_get_osfhandle(int fd) {
  return fd;
}

int uv_open_osfhandle(uv_os_fd_t os_fd) {
  return os_fd;
}

void uv_disable_stdio_inheritance(void) {
  /* All open descriptors, in one call. On kernels before 5.11 one by one, up to a number
   * that few processes exceed. */
  if (close_range(0, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
    return;
  int end = int_min((int) sysconf(_SC_OPEN_MAX), 65536);
  for (int fd = 0; fd < end; fd++) {
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0)
      fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
  }
}
