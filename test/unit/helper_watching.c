/* What the tests of watching share: see helper_watching.h. */
#include "helper_watching.h"

#include <sched.h>

enum { AWAIT_MS = 10000 };

void recorder_cb(uv_fs_event_t* handle, const char* filename, int events, int status) {
  struct recorder* recorder = handle->data;
  if ((recorder->count & (recorder->count - 1)) == 0) {
    size_t capacity = recorder->count == 0 ? 1 : recorder->count * 2;
    recorder->told = realloc(recorder->told, capacity * sizeof(*recorder->told));
    assert_non_null(recorder->told);
  }
  recorder->told[recorder->count++] =
      (struct told){.filename = filename == NULL ? NULL : strdup(filename),
                    .events = events,
                    .status = status};
}

int recorder_start(struct recorder* recorder, const char* path, unsigned int flags) {
  memset(recorder, 0, sizeof(*recorder));
  assert_int_equal(uv_fs_event_init(&files_loop, &recorder->handle), 0);
  recorder->handle.data = recorder;
  return uv_fs_event_start(&recorder->handle, recorder_cb, path, flags);
}

void recorder_forget(struct recorder* recorder) {
  for (size_t i = 0; i < recorder->count; i++)
    free(recorder->told[i].filename);
  free(recorder->told);
  recorder->told = NULL;
  recorder->count = 0;
}

void recorder_close(struct recorder* recorder) {
  if (!uv_is_closing((uv_handle_t*) &recorder->handle))
    uv_close((uv_handle_t*) &recorder->handle, NULL);
  uv_run(&files_loop, UV_RUN_NOWAIT);
  recorder_forget(recorder);
}

size_t recorder_count(const struct recorder* recorder, const char* filename, int events) {
  size_t count = 0;
  for (size_t i = 0; i < recorder->count; i++) {
    const struct told* told = &recorder->told[i];
    count += told->filename != NULL && strcmp(told->filename, filename) == 0 &&
             told->events == events && told->status == 0;
  }
  return count;
}

size_t recorder_count_below(const struct recorder* recorder, const char* prefix) {
  size_t count = 0;
  for (size_t i = 0; i < recorder->count; i++)
    count += recorder->told[i].filename != NULL &&
             strncmp(recorder->told[i].filename, prefix, strlen(prefix)) == 0;
  return count;
}

static void give_up(uv_timer_t* timer) {
  (void) timer;
  fail_msg("waited in vain");
}

static void timer_closed(uv_handle_t* timer) {
  *(bool*) timer->data = true;
}

/* Turns the loop until `done` says so. */
static void await(struct recorder* recorder, const char* filename, int number,
                  bool (*done)(const struct recorder*, const char*, int)) {
  uv_timer_t timer;
  uv_timer_init(&files_loop, &timer);
  uv_timer_start(&timer, give_up, AWAIT_MS, 0);
  while (!done(recorder, filename, number))
    uv_run(&files_loop, UV_RUN_ONCE);
  bool closed = false;
  timer.data = &closed;
  uv_close((uv_handle_t*) &timer, timer_closed);
  while (!closed)
    uv_run(&files_loop, UV_RUN_NOWAIT);
}

static bool was_told(const struct recorder* recorder, const char* filename, int events) {
  return recorder_count(recorder, filename, events) > 0;
}

static bool had_status(const struct recorder* recorder, const char* filename,
                       int status) {
  (void) filename;
  for (size_t i = 0; i < recorder->count; i++) {
    if (recorder->told[i].status == status)
      return true;
  }
  return false;
}

static bool overflowed(const struct recorder* recorder, const char* filename,
                       int events) {
  (void) filename;
  for (size_t i = 0; i < recorder->count; i++) {
    const struct told* told = &recorder->told[i];
    if (told->filename == NULL && told->events == events && told->status == 0)
      return true;
  }
  return false;
}

void recorder_await(struct recorder* recorder, const char* filename, int events) {
  await(recorder, filename, events, was_told);
}

void recorder_await_status(struct recorder* recorder, int status) {
  await(recorder, NULL, status, had_status);
}

void recorder_await_overflow(struct recorder* recorder) {
  await(recorder, NULL, UV_RENAME | UV_CHANGE, overflowed);
}

void recorder_sync(struct recorder* recorder, const char* path, const char* name) {
  size_t before = recorder_count(recorder, name, UV_RENAME);
  assert_int_equal(before, 0);
  make_file(path);
  recorder_await(recorder, name, UV_RENAME);
}

/* --- the disk -------------------------------------------------------------------- */

void make_directory(const char* path) {
  assert_int_equal(mkdir(path, 0755), 0);
}

void make_directories(const char* path) {
  char part[4096];
  snprintf(part, sizeof(part), "%s", path);
  for (char* slash = strchr(part, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    assert_true(mkdir(part, 0755) == 0 || errno == EEXIST);
    *slash = '/';
  }
  assert_true(mkdir(part, 0755) == 0 || errno == EEXIST);
}

void make_file(const char* path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  assert_true(fd >= 0);
  close(fd);
}

void change_file(const char* path) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "x", 1), 1);
  close(fd);
}

void move(const char* from, const char* to) {
  assert_int_equal(rename(from, to), 0);
}

static unsigned int queue_length(void) {
  unsigned int length = 0;
  FILE* file = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
  if (file == NULL || fscanf(file, "%u", &length) != 1)
    length = 0;
  if (file != NULL)
    fclose(file);
  return length;
}

/* Turn about, because the kernel makes one event of two equal ones in a row. */
bool overflow_queue(const char* directory) {
  unsigned int length = queue_length();
  if (length == 0 || length > 100000)
    return false;
  char paths[2][4096];
  for (int i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof(paths[i]), "%s/noise%d", directory, i);
    make_file(paths[i]);
  }
  for (unsigned int i = 0; i < length + 16; i++)
    assert_int_equal(chmod(paths[i % 2], 0644), 0);
  return true;
}

/* --- limits ---------------------------------------------------------------------- */

static bool limit(const char* file, unsigned int most) {
  char number[16];
  int length = snprintf(number, sizeof(number), "%u", most);
  if (unshare(CLONE_NEWUSER) != 0)
    return false;
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool written = write(fd, number, (size_t) length) == length;
  close(fd);
  return written;
}

bool limit_watches(unsigned int most) {
  return limit("/proc/sys/user/max_inotify_watches", most);
}

bool limit_descriptors(unsigned int most) {
  return limit("/proc/sys/user/max_inotify_instances", most);
}
