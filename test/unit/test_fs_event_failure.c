/* A descriptor of inotify's that can't be read: every handle is called back with the
 * error, and the loop doesn't spin on what it can't take. */
#include "forked.h"
#include "helper_files.h"
#include "sandbox.h"

#include <sys/syscall.h>

static uv_loop_t loop;
static uv_fs_event_t watched;
static uv_timer_t timer;
static uv_prepare_t prepare;
static unsigned int watch_flags;
static int turns;
static int failures;

static void on_event(uv_fs_event_t* handle, const char* name, int events, int status) {
  (void) handle;
  if (name == NULL && events == 0 && status == UV_EIO)
    failures++;
}

static void on_timer(uv_timer_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
  uv_close((uv_handle_t*) &prepare, NULL);
  uv_close((uv_handle_t*) &watched, NULL);
}

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  turns++;
}

static int with_reads_refused(void) {
  alarm(30);
  turns = failures = 0;
  if (uv_loop_init(&loop) != 0 || uv_fs_event_init(&loop, &watched) != 0 ||
      uv_fs_event_start(&watched, on_event, ".", watch_flags) != 0)
    return 1;
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 50, 0);
  uv_prepare_init(&loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  if (forbid(SYS_read, EIO) != 0)
    return 77;
  close(open("made", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  uv_run(&loop, UV_RUN_DEFAULT);
  if (failures != 1)
    return 2;
  if (turns > 20)
    return 3;
  return uv_loop_close(&loop) == 0 ? 0 : 4;
}

static void a_watched_directory_reports_the_failure(void** state) {
  (void) state;
  watch_flags = 0;
  assert_in_child(with_reads_refused);
}

static void a_watched_tree_reports_the_failure(void** state) {
  (void) state;
  watch_flags = UV_FS_EVENT_RECURSIVE;
  assert_in_child(with_reads_refused);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_watched_directory_reports_the_failure),
      FILES_TEST(a_watched_tree_reports_the_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
