/* A thread of another process, by its files in /proc: see live_task.h. */
#include "live_task.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t task_read(int pid, uint32_t thread, const char* name, char* text, size_t size) {
  char path[80];
  snprintf(path, sizeof(path), "/proc/%d/task/%u/%s", pid, thread, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0)
    close(fd);
  text[length > 0 ? length : 0] = '\0';
  return length;
}

char task_state(int pid, uint32_t thread) {
  char text[512];
  if (task_read(pid, thread, "stat", text, sizeof(text)) <= 0)
    return '\0';
  const char* state = strrchr(text, ')'); /* behind the name, which may hold anything */
  return state != NULL && state[1] == ' ' ? state[2] : '\0';
}

bool task_is_stopped(int pid) {
  char state = task_state(pid, (uint32_t) pid);
  return state == 'T' || state == 't';
}
