/* uv_library_shutdown and the pool: work that was handed over is finished first; a thread
 * that hangs is left behind, and touches nothing when its call returns after all. */
/* test: threads */
#include "loop_test.h"
#include "sanitizers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

static _Atomic int worked;

static void take_time(uv_work_t* req) {
  (void) req;
  uv_sleep(30);
  atomic_fetch_add(&worked, 1);
}

static void never_called(uv_work_t* req, int status) {
  (void) req, (void) status;
  abort();
}

/* Each in a child, for a process can shut the library down only once. */
static int in_child(int (*story)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    _exit(story());
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int finish_what_is_queued(void) {
  static uv_work_t works[20];
  uv_loop_t* loop = uv_default_loop();
  for (int i = 0; i < 20; i++)
    uv_queue_work(loop, &works[i], take_time, never_called);
  uv_library_shutdown();
  return atomic_load(&worked) == 20 ? 0 : 1;
}

static void queued_work_is_finished(void** state) {
  (void) state;
  assert_int_equal(in_child(finish_what_is_queued), 0);
}

static char fifo[100];

static void opened_late(uv_fs_t* req) {
  (void) req;
  abort();
}

static void hang(uv_work_t* req) {
  char byte;
  int* ends = req->data;
  ssize_t n = read(ends[0], &byte, 1);
  atomic_store(&worked, n == 1 ? 1 : 2);
}

/* One thread hangs in our own call, opening a FIFO that nobody writes to, another in the
 * program's. The program frees its loop's memory afterwards: with the sanitizers a thread
 * that came back and looked at it would end the child. */
static int leave_a_hanging_thread(void) {
  int ends[2];
  uv_loop_t* loop = malloc(sizeof(*loop));
  uv_work_t* work = malloc(sizeof(*work));
  static uv_fs_t open_req;
  if (pipe(ends) != 0 || uv_loop_init(loop) != 0)
    return 2;
  work->data = ends;
  uv_queue_work(loop, work, hang, never_called);
  uv_fs_open(loop, &open_req, fifo, O_RDONLY, 0, opened_late);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_library_shutdown();
  memset(loop, 0xff, sizeof(*loop));
  free(loop);
  free(work);
  /* Both calls return now; their threads must end in silence. */
  int writer = open(fifo, O_WRONLY | O_CLOEXEC);
  if (writer < 0 || write(ends[1], "x", 1) != 1)
    return 3;
  while (atomic_load(&worked) == 0)
    uv_sleep(1);
  for (int i = 0; i < 5000; i++) {
    DIR* tasks = opendir("/proc/self/task");
    int count = 0;
    while (readdir(tasks) != NULL)
      count++;
    closedir(tasks);
    if (count <= 3) /* ".", ".." and this thread */
      return 0;
    uv_sleep(1);
  }
  return UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER
             ? 0
             : 4; /* a sanitizer may have a thread of its own */
}

static void a_hanging_thread_is_left_behind(void** state) {
  (void) state;
  /* The request is freed while the thread hangs in it, on purpose. */
  if (UNDER_THREAD_SANITIZER)
    skip();
  char folder[] = "/tmp/rondo-fifo-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  assert_int_equal(in_child(leave_a_hanging_thread), 0);
  unlink(fifo);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(queued_work_is_finished),
      cmocka_unit_test(a_hanging_thread_is_left_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
