/* The process's title, as `ps` shows it. The kernel reads it from the memory in which it
 * passed the arguments, so a new title is written over them, and uv_setup_args() gives
 * the program a copy of its arguments. The title can be as long as the arguments were; a
 * longer one is cut. */
#include "base/alloc.h"
#include "base/base.h"
#include "base/own_fd.h"
#include "base/strings.h"
#include "system/system.h"
#include "uv.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t title_lock = PTHREAD_MUTEX_INITIALIZER;

/* All of this is guarded by title_lock. */
static struct {
  char* memory;  /* the memory of the arguments; NULL before uv_setup_args() */
  size_t room;   /* the size of `memory`, terminator included */
  size_t length; /* of the present title */
  char** copy;   /* what uv_setup_args() gave to the program */
} title;

/* The kernel stores the arguments one behind the other. If a program has replaced some of
 * the pointers, only the contiguous ones at the beginning are used. */
static size_t arguments_room(int argc, char** argv) {
  char* end = argv[0];
  for (int i = 0; i < argc && argv[i] == end; i++)
    end += strlen(argv[i]) + 1;
  return (size_t) (end - argv[0]);
}

/* The pointers, their NULL, and the strings, in one block. */
static char** arguments_copy(int argc, char** argv) {
  size_t count = (size_t) argc;
  size_t size = (count + 1) * sizeof(char*);
  for (size_t i = 0; i < count; i++)
    size += strlen(argv[i]) + 1;
  char** copy = mem_alloc(size);
  if (copy == NULL)
    return NULL;
  char* next = (char*) (copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    size_t bytes = strlen(argv[i]) + 1;
    copy[i] = memcpy(next, argv[i], bytes);
    next += bytes;
  }
  copy[count] = NULL;
  return copy;
}

char** uv_setup_args(int argc, char** argv) {
  if (argc <= 0 || argv == NULL || argv[0] == NULL)
    return argv;
  pthread_mutex_lock(&title_lock);
  /* On a second call the arguments passed in are the copy, which isn't shown by `ps`. */
  if (title.memory == NULL) {
    char** copy = arguments_copy(argc, argv);
    if (copy != NULL) {
      title.memory = argv[0];
      title.room = arguments_room(argc, argv);
      title.length = strlen(argv[0]);
      title.copy = copy;
      argv = copy;
    }
  }
  pthread_mutex_unlock(&title_lock);
  return argv;
}

/* The short name, which `top` and `ps -o comm` show, belongs to the main thread; through
 * this file any thread may set it. A failure (a sandbox without /proc) doesn't affect the
 * title. */
static void set_short_name(const char* name) {
  int fd = own_fd_raise(open("/proc/self/comm", O_WRONLY | O_CLOEXEC));
  if (fd < 0)
    return;
  ssize_t written = write(fd, name, strlen(name));
  (void) written;
  close(fd);
}

int uv_set_process_title(const char* text) {
  pthread_mutex_lock(&title_lock);
  if (title.memory == NULL) {
    pthread_mutex_unlock(&title_lock);
    return UV_ENOBUFS;
  }
  size_t length = size_min(strlen(text), title.room - 1);
  memcpy(title.memory, text, length);
  /* Cleared to the end; otherwise the rest of the old arguments would still be shown. */
  memset(title.memory + length, 0, title.room - length);
  title.length = length;
  set_short_name(title.memory);
  pthread_mutex_unlock(&title_lock);
  return 0;
}

int uv_get_process_title(char* buffer, size_t size) {
  if (buffer == NULL || size == 0)
    return UV_EINVAL;
  pthread_mutex_lock(&title_lock);
  int err = UV_ENOBUFS;
  if (title.memory != NULL)
    err = string_give(title.memory, title.length, buffer, &size);
  pthread_mutex_unlock(&title_lock);
  return err;
}

void system_shutdown(void) {
  pthread_mutex_lock(&title_lock);
  mem_free(title.copy);
  title.copy = NULL;
  title.memory = NULL;
  pthread_mutex_unlock(&title_lock);
}
