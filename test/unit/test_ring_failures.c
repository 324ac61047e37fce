/* Rings that fail after they were made: every file request is called back, by the pool
 * where the kernel doesn't take it. On epoll the same programs show the same. */
#include "forked.h"
#include "helper_files.h"
#include "rondo.h"
#include "sandbox.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* More than a ring takes at once. */
enum { MANY = 300 };

static uv_loop_t loop;
static int file;
static int answered;
static int failed;

static void on_done(uv_fs_t* req) {
  answered++;
  failed += req->result < 0;
}

/* What would have been a hang ends the child. The file is in memory: thousands of syncs
 * wait for a disk that others write to for half a minute. */
static int begin(void) {
  alarm(30);
  answered = failed = 0;
  file = memfd_create("file", MFD_CLOEXEC);
  return file >= 0 && uv_loop_init(&loop) == 0 ? 0 : 1;
}

static void sync_some(uv_fs_t* reqs, int count) {
  for (int i = 0; i < count; i++)
    if (uv_fs_fsync(&loop, &reqs[i], file, on_done) != 0)
      failed++;
}

static int finish(int expected) {
  if (answered != expected || failed != 0)
    return 3;
  return uv_loop_close(&loop) == 0 ? 0 : 4;
}

static int filter_error;

/* Requests that are over, that the kernel has, that only the loop has, and later ones. */
static int with_enter_forbidden(void) {
  static uv_fs_t reqs[3][MANY];
  if (begin() != 0)
    return 1;
  sync_some(reqs[0], 1);
  uv_run(&loop, UV_RUN_DEFAULT);
  sync_some(reqs[0], 3);
  uv_run(&loop, UV_RUN_NOWAIT);
  sync_some(reqs[1], 100);
  if (forbid(SYS_io_uring_enter, filter_error) != 0)
    return 77;
  sync_some(reqs[2], MANY);
  uv_run(&loop, UV_RUN_DEFAULT);
  sync_some(reqs[0], MANY);
  uv_run(&loop, UV_RUN_DEFAULT);
  return finish(1 + 3 + 100 + 2 * MANY);
}

static void requests_outlive_a_filter_on_the_ring(void** state) {
  (void) state;
  static const int errors[] = {EPERM, EACCES, ENOSYS,     EINVAL, EBADF,  EBADFD,
                               ENXIO, EFAULT, EOPNOTSUPP, EAGAIN, ENOMEM, EBUSY,
                               EINTR, EEXIST, EOWNERDEAD, EBADR};
  for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
    filter_error = errors[i];
    assert_in_child(with_enter_forbidden);
  }
}

/* The descriptors of all rings of this process. */
static int rings(int* found, int most) {
  int count = 0;
  for (int fd = 3; fd < 64; fd++) {
    char path[64];
    char link[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, link, sizeof(link) - 1);
    link[length < 0 ? 0 : length] = '\0';
    if (strcmp(link, "anon_inode:[io_uring]") == 0 && count < most)
      found[count++] = fd;
  }
  return count;
}

static void close_rings(void) {
  int found[8];
  int count = rings(found, 8);
  for (int i = 0; i < count; i++)
    close(found[i]);
}

static void on_idle(uv_idle_t* idle) {
  int* turns = idle->data;
  if (--*turns == 0)
    uv_close((uv_handle_t*) idle, NULL);
}

/* A busy loop has its wait in a ring, too. */
static void turn_busily(int turns) {
  uv_idle_t idle;
  uv_idle_init(&loop, &idle);
  idle.data = &turns;
  uv_idle_start(&idle, on_idle);
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* A read from an empty pipe stays with the ring until somebody writes. */
static int read_pipe(uv_fs_t* req, int* writing_end) {
  static char byte;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  *writing_end = ends[1];
  uv_buf_t buffer = uv_buf_init(&byte, 1);
  return uv_fs_read(&loop, req, ends[0], &buffer, 1, -1, on_done);
}

static int with_rings_closed(void) {
  static uv_fs_t reqs[2][MANY];
  static uv_fs_t read_req;
  int writing_end;
  if (begin() != 0)
    return 1;
  turn_busily(10);
  if (read_pipe(&read_req, &writing_end) != 0)
    return 2;
  uv_run(&loop, UV_RUN_NOWAIT);
  sync_some(reqs[0], 5);
  close_rings();
  sync_some(reqs[1], MANY);
  if (write(writing_end, "x", 1) != 1)
    return 5;
  uv_run(&loop, UV_RUN_DEFAULT);
  turn_busily(10);
  uv_run(&loop, UV_RUN_DEFAULT);
  return finish(1 + 5 + MANY);
}

static void requests_outlive_a_close_of_the_ring(void** state) {
  (void) state;
  assert_in_child(with_rings_closed);
}

static int polled;

static void on_poll(uv_poll_t* handle, int status, int events) {
  char byte;
  polled += status == 0 && (events & UV_READABLE);
  if (read(*(int*) handle->data, &byte, 1) != 1)
    failed++;
  uv_poll_stop(handle);
}

/* The program has the ring's number for a pipe, and watches it on the same loop. */
static int with_number_in_use(void) {
  static uv_fs_t reqs[MANY];
  uv_poll_t poll_handles[8];
  int found[8];
  int ends[8][2];
  if (begin() != 0)
    return 1;
  turn_busily(10);
  sync_some(reqs, 3);
  uv_run(&loop, UV_RUN_DEFAULT);
  int count = rings(found, 8);
  for (int i = 0; i < count; i++) {
    if (pipe2(ends[i], O_CLOEXEC) != 0 || dup2(ends[i][0], found[i]) != found[i] ||
        uv_poll_init(&loop, &poll_handles[i], found[i]) != 0 ||
        uv_poll_start(&poll_handles[i], UV_READABLE, on_poll) != 0)
      return 2;
    poll_handles[i].data = &found[i];
  }
  sync_some(reqs, MANY);
  for (int i = 0; i < count; i++)
    if (write(ends[i][1], "x", 1) != 1)
      return 5;
  turn_busily(10);
  for (int i = 0; i < count; i++)
    uv_close((uv_handle_t*) &poll_handles[i], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  int result = polled == count ? finish(3 + MANY) : 6;
  for (int i = 0; i < count; i++)
    if (fcntl(found[i], F_GETFD) == -1)
      return 7; /* the library has closed what is the program's */
  return result;
}

static void a_number_of_the_programs_is_left_alone(void** state) {
  (void) state;
  assert_in_child(with_number_in_use);
}

/* All numbers of one loop's rings, each on another ring. */
static int with_another_ring_in_place(void) {
  static uv_fs_t reqs[MANY];
  uv_loop_t other;
  uv_fs_t other_req;
  int found[8];
  if (begin() != 0 || uv_loop_init(&other) != 0)
    return 1;
  uv_fs_fsync(&other, &other_req, file, on_done);
  uv_run(&other, UV_RUN_DEFAULT);
  int before = rings(found, 8);
  turn_busily(10);
  sync_some(reqs, 3);
  uv_run(&loop, UV_RUN_DEFAULT);
  int count = rings(found, 8);
  for (int i = before; i < count; i++)
    dup2(found[0], found[i]);
  sync_some(reqs, MANY);
  turn_busily(10);
  uv_run(&loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&other) != 0)
    return 2;
  return finish(1 + 3 + MANY);
}

static void another_ring_in_place_of_ours_is_noticed(void** state) {
  (void) state;
  assert_in_child(with_another_ring_in_place);
}

/* What is reported, of which everything must be in one line. */
static int report_of(int (*body)(void), char* text, size_t size) {
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  int saved = dup(STDERR_FILENO);
  fflush(stderr);
  dup2(ends[1], STDERR_FILENO);
  setenv("RONDO_DEBUG", "1", 1);
  int result = in_child(body);
  unsetenv("RONDO_DEBUG");
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(ends[1]);
  ssize_t length = read(ends[0], text, size - 1);
  close(ends[0]);
  text[length < 0 ? 0 : length] = '\0';
  return result;
}

static void the_failure_is_reported_once(void** state) {
  (void) state;
  if (strcmp(rondo_backend_name(&files_loop), "uring") != 0)
    skip();
  char text[4096];
  filter_error = EPERM;
  if (report_of(with_enter_forbidden, text, sizeof(text)) == 77)
    skip();
  assert_non_null(strstr(text, "io_uring has failed"));
  assert_non_null(strstr(text, "forbidden"));
  assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(requests_outlive_a_filter_on_the_ring),
      FILES_TEST(requests_outlive_a_close_of_the_ring),
      FILES_TEST(a_number_of_the_programs_is_left_alone),
      FILES_TEST(another_ring_in_place_of_ours_is_noticed),
      FILES_TEST(the_failure_is_reported_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
