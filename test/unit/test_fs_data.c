/* Open files: reading and writing in all forms, truncating, syncing, sending. */
#include "helper_files.h"

#include "forked.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

static int open_file(const char* path, int flags) {
  int fd = open(path, flags | O_CLOEXEC, 0644);
  assert_true(fd >= 0);
  return fd;
}

static void what_is_written_is_read_again(void** state) {
  (void) state;
  uv_fs_t req;
  char text[] = "the quick brown fox";
  uv_buf_t whole = uv_buf_init(text, sizeof(text) - 1);
  int fd = open_file("file", O_RDWR | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &whole, 1, 0), 19);
  assert_int_equal(uv_fs_get_type(&req), UV_FS_WRITE);
  uv_fs_req_cleanup(&req);
  files_expect("file", "the quick brown fox", 19);

  char back[32] = "";
  uv_buf_t into = uv_buf_init(back, sizeof(back));
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 0), 19);
  assert_string_equal(back, "the quick brown fox");
  uv_fs_req_cleanup(&req);

  memset(back, 0, sizeof(back));
  assert_int_equal(SYNC(req, uv_fs_read, fd, &into, 1, 4), 15);
  assert_string_equal(back, "quick brown fox");
  assert_int_equal(uv_fs_get_result(&req), 15);
  uv_fs_req_cleanup(&req);
  close(fd);
}

static void many_buffers_are_one_stretch_of_the_file(void** state) {
  (void) state;
  uv_fs_t req;
  char text[] = "abcdefghijklmnopqrstuvwxyz";
  uv_buf_t out[7];
  for (int i = 0; i < 7; i++)
    out[i] = uv_buf_init(text + i * 3, 3);
  out[3].len = 0;
  int fd = open_file("file", O_RDWR | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, out, 7, 2), 18);
  uv_fs_req_cleanup(&req);
  files_expect("file", "\0\0abcdefghimnopqrstu", 20);

  char first[5];
  char second[100];
  uv_buf_t in[] = {uv_buf_init(first, 5), uv_buf_init(second, 100)};
  assert_int_equal(ASYNC(req, uv_fs_read, fd, in, 2, 2), 18);
  assert_memory_equal(first, "abcde", 5);
  assert_memory_equal(second, "fghimnopqrstu", 13);
  uv_fs_req_cleanup(&req);
  close(fd);
}

/* Without an offset the file's own position is used and moved; with one it isn't. */
static void the_position_moves_only_without_an_offset(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "0123456789", 10);
  int fd = open_file("file", O_RDWR);
  char piece[3];
  uv_buf_t into = uv_buf_init(piece, 3);
  const struct {
    int64_t offset;
    const char* expected;
  } steps[] = {{-1, "012"}, {7, "789"}, {-1, "345"}, {0, "012"}, {-1, "678"}};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, steps[i].offset), 3);
    assert_memory_equal(piece, steps[i].expected, 3);
    uv_fs_req_cleanup(&req);
  }
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, -1), 1);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, -1), 0);
  assert_int_equal(lseek(fd, 0, SEEK_CUR), 10);

  uv_buf_t out = uv_buf_init("ab", 2);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &out, 1, 3), 2);
  assert_int_equal(lseek(fd, 0, SEEK_CUR), 10);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &out, 1, -1), 2);
  assert_int_equal(lseek(fd, 0, SEEK_CUR), 12);
  files_expect("file", "012ab56789ab", 12);
  close(fd);
}

static void appending_ignores_where_it_is(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "one", 3);
  int fd = open_file("file", O_WRONLY | O_APPEND);
  uv_buf_t out = uv_buf_init("two", 3);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &out, 1, -1), 3);
  assert_int_equal(SYNC(req, uv_fs_write, fd, &out, 1, 0), 3);
  files_expect("file", "onetwotwo", 9);
  close(fd);
}

static void reading_past_the_end_is_no_error(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "short", 5);
  int fd = open_file("file", O_RDONLY);
  char back[100];
  uv_buf_t into = uv_buf_init(back, sizeof(back));
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 5), 0);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 1000000), 0);
  assert_int_equal(SYNC(req, uv_fs_read, fd, &into, 1, 4), 1);
  files_make("empty", "", 0);
  int empty = open_file("empty", O_RDONLY);
  assert_int_equal(ASYNC(req, uv_fs_read, empty, &into, 1, -1), 0);
  uv_buf_t nothing = uv_buf_init(back, 0);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &nothing, 1, 0), 0);
  close(empty);
  close(fd);
}

static void offsets_beyond_four_gigabytes_work(void** state) {
  (void) state;
  uv_fs_t req;
  const int64_t far = (INT64_C(5) << 30) + 123;
  uv_buf_t out = uv_buf_init("far", 3);
  int fd = open_file("file", O_RDWR | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &out, 1, far), 3);
  char back[8] = "";
  uv_buf_t into = uv_buf_init(back, sizeof(back));
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, far), 3);
  assert_memory_equal(back, "far", 3);
  assert_int_equal(ASYNC(req, uv_fs_fstat, fd), 0);
  assert_int_equal(req.statbuf.st_size, far + 3);
  assert_int_equal(ASYNC(req, uv_fs_ftruncate, fd, far + 1), 0);
  assert_int_equal(SYNC(req, uv_fs_fstat, fd), 0);
  assert_int_equal(req.statbuf.st_size, far + 1);
  close(fd);
}

/* More buffers than one system call takes: a write goes on until all is written. */
static void very_many_buffers_are_all_written(void** state) {
  (void) state;
  enum { COUNT = 5000 };
  uv_fs_t req;
  uv_buf_t* out = calloc(COUNT, sizeof(*out));
  char* bytes = malloc(COUNT * 3);
  for (int i = 0; i < COUNT; i++) {
    memcpy(bytes + i * 3, (char[]){(char) i, (char) (i >> 8), '.'}, 3);
    out[i] = uv_buf_init(bytes + i * 3, 3);
  }
  int fd = open_file("file", O_RDWR | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, out, COUNT, 0), COUNT * 3);
  uv_fs_req_cleanup(&req);
  files_expect("file", bytes, COUNT * 3);
  assert_int_equal(SYNC(req, uv_fs_write, fd, out, COUNT, -1), COUNT * 3);
  uv_fs_req_cleanup(&req);
  files_expect("file", bytes, COUNT * 3);

  char* back = malloc(COUNT * 3);
  for (int i = 0; i < COUNT; i++)
    out[i].base = back + i * 3;
  assert_int_equal(ASYNC(req, uv_fs_read, fd, out, COUNT, 0), IOV_MAX * 3);
  assert_memory_equal(back, bytes, IOV_MAX * 3);
  uv_fs_req_cleanup(&req);
  free(back);
  free(bytes);
  free(out);
  close(fd);
}

static void a_large_file_comes_whole(void** state) {
  (void) state;
  enum { SIZE = 3 * 1000 * 1000 };
  uv_fs_t req;
  char* bytes = malloc(SIZE);
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (char) (i * 7 + i / 251);
  uv_buf_t out = uv_buf_init(bytes, SIZE);
  int fd = open_file("file", O_RDWR | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &out, 1, 0), SIZE);
  char* back = calloc(1, SIZE);
  uv_buf_t into = uv_buf_init(back, SIZE);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 0), SIZE);
  assert_memory_equal(back, bytes, SIZE);
  free(back);
  free(bytes);
  close(fd);
}

/* Part of it in memory and part not: the parts make one answer, by offset and by
 * position. */
static void a_half_cached_file_comes_whole(void** state) {
  (void) state;
  enum { SIZE = 200 * 1024, WARM = 64 * 1024 };
  uv_fs_t req;
  char* bytes = malloc(SIZE);
  char* back = malloc(SIZE);
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (char) (i * 13 + i / 4096);
  files_make("file", bytes, SIZE);
  int fd = open_file("file", O_RDONLY);
  (void) posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  for (int by_position = 0; by_position < 2; by_position++) {
    if (!files_make_cold(fd, SIZE))
      skip();
    assert_int_equal(pread(fd, back, WARM, 0), WARM);
    memset(back, 0, SIZE);
    uv_buf_t into[] = {uv_buf_init(back, 1000), uv_buf_init(back + 1000, SIZE - 1000)};
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(ASYNC(req, uv_fs_read, fd, into, 2, by_position ? -1 : 0), SIZE);
    assert_memory_equal(back, bytes, SIZE);
    uv_fs_req_cleanup(&req);
  }
  assert_int_equal(lseek(fd, 0, SEEK_CUR), SIZE);
  free(back);
  free(bytes);
  close(fd);
}

static void direct_files_work(void** state) {
  (void) state;
  uv_fs_t req;
  char* block = aligned_alloc(4096, 8192);
  memset(block, 'x', 8192);
  files_make("file", block, 8192);
  int fd = open("file", O_RDWR | O_DIRECT | O_CLOEXEC);
  if (fd < 0) {
    free(block);
    skip(); /* not on this file system */
  }
  memset(block, 0, 8192);
  uv_buf_t into = uv_buf_init(block, 4096);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 4096), 4096);
  assert_int_equal(block[0], 'x');
  memset(block, 'y', 4096);
  assert_int_equal(ASYNC(req, uv_fs_write, fd, &into, 1, 0), 4096);
  memset(block, 0, 8192);
  assert_int_equal(SYNC(req, uv_fs_read, fd, &into, 1, 0), 4096);
  assert_int_equal(block[4095], 'y');
  close(fd);
  free(block);
}

/* At the file's own position, which moves with each, also past the cache. */
static void direct_files_have_a_position(void** state) {
  (void) state;
  enum { BLOCKS = 64, BLOCK = 4096 };
  uv_fs_t req;
  char* block = aligned_alloc(BLOCK, BLOCKS * BLOCK);
  for (int i = 0; i < BLOCKS; i++)
    memset(block + i * BLOCK, i, BLOCK);
  files_make("file", block, BLOCKS * BLOCK);
  int fd = open("file", O_RDWR | O_DIRECT | O_CLOEXEC);
  if (fd < 0) {
    free(block);
    skip(); /* not on this file system */
  }
  uv_buf_t into = uv_buf_init(block, BLOCK);
  for (int i = 0; i < BLOCKS; i++) {
    assert_int_equal(lseek(fd, 0, SEEK_CUR), i * BLOCK);
    if (i % 2 == 0)
      assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, -1), BLOCK);
    else
      assert_int_equal(ASYNC(req, uv_fs_write, fd, &into, 1, -1), BLOCK);
    assert_int_equal(block[0], i - i % 2);
  }
  assert_int_equal(lseek(fd, 0, SEEK_CUR), BLOCKS * BLOCK);
  close(fd);
  free(block);
}

static void truncating_and_syncing(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "0123456789", 10);
  int fd = open_file("file", O_RDWR);
  assert_int_equal(ASYNC(req, uv_fs_ftruncate, fd, 4), 0);
  files_expect("file", "0123", 4);
  assert_int_equal(SYNC(req, uv_fs_ftruncate, fd, 6), 0);
  files_expect("file", "0123\0\0", 6);
  assert_int_equal(ASYNC(req, uv_fs_fsync, fd), 0);
  assert_int_equal(SYNC(req, uv_fs_fsync, fd), 0);
  assert_int_equal(ASYNC(req, uv_fs_fdatasync, fd), 0);
  assert_int_equal(SYNC(req, uv_fs_fdatasync, fd), 0);
  assert_int_equal(ASYNC(req, uv_fs_ftruncate, fd, -1), UV_EINVAL);
  close(fd);
}

static void sending_between_files_and_sockets(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("from", "0123456789", 10);
  int from = open_file("from", O_RDONLY);
  int to = open_file("to", O_WRONLY | O_CREAT);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, from, 2, 100), 8);
  files_expect("to", "23456789", 8);
  assert_int_equal(SYNC(req, uv_fs_sendfile, to, from, 0, 2), 2);
  files_expect("to", "2345678901", 10);
  assert_int_equal(lseek(from, 0, SEEK_CUR), 0);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, from, 50, 5), 0);
  close(to);

  /* copy_file_range(2) takes no output that appends. */
  to = open_file("to", O_WRONLY | O_APPEND);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, from, 5, 3), UV_EBADF);
  files_expect("to", "2345678901", 10);
  close(to);

  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, pair[0], from, 0, 10), 10);
  char got[10];
  assert_int_equal(read(pair[1], got, 10), 10);
  assert_memory_equal(got, "0123456789", 10);
  close(pair[0]);
  close(pair[1]);
  close(from);
}

/* What has no positions is read from where it is; no offset is below 0. */
static void sending_from_a_pipe(void** state) {
  (void) state;
  uv_fs_t req;
  int pair[2];
  int to = open_file("to", O_WRONLY | O_CREAT);
  assert_int_equal(pipe2(pair, O_CLOEXEC | O_NONBLOCK), 0);
  assert_int_equal(write(pair[1], "0123456789", 10), 10);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, pair[0], -1, 4), UV_EINVAL);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, pair[0], 5, 4), 4);
  assert_int_equal(SYNC(req, uv_fs_sendfile, to, pair[0], 0, 100), 6);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, to, pair[0], 0, 100), UV_EAGAIN);
  files_expect("to", "0123456789", 10);
  close(pair[0]);
  close(pair[1]);
  close(to);
}

static void read_all(void* argument) {
  char piece[5000];
  size_t* got = argument;
  int fd = (int) *got;
  *got = 0;
  for (ssize_t n; (n = read(fd, piece, sizeof(piece))) > 0;)
    *got += (size_t) n;
}

/* A full pipe, told not to wait, is waited for by the thread that sends. */
static void all_is_sent_to_a_slow_reader(void** state) {
  (void) state;
  enum { SIZE = 300000 };
  uv_fs_t req;
  int pair[2];
  uv_thread_t reader;
  char* bytes = calloc(1, SIZE);
  assert_non_null(bytes);
  files_make("from", bytes, SIZE);
  free(bytes);
  int from = open_file("from", O_RDONLY);
  assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
  assert_int_equal(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
  size_t got = (size_t) pair[0];
  assert_int_equal(uv_thread_create(&reader, read_all, &got), 0);
  assert_int_equal(ASYNC(req, uv_fs_sendfile, pair[1], from, 0, SIZE), SIZE);
  close(pair[1]);
  assert_int_equal(uv_thread_join(&reader), 0);
  assert_int_equal(got, SIZE);
  close(pair[0]);
  close(from);
}

static int send_beyond_the_limit(void) {
  struct rlimit limit = {.rlim_cur = 20000, .rlim_max = 20000};
  uv_fs_t req;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  int from = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  int to = open("to", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  int result = uv_fs_sendfile(NULL, &req, to, from, 0, 40000, NULL);
  return result == UV_EFBIG && lseek(to, 0, SEEK_END) == 20000 ? 0 : 1;
}

/* Some of it went out, nobody knows how much: no count would be true. */
static void sending_that_fails_halfway_is_an_error(void** state) {
  (void) state;
  assert_in_child(send_beyond_the_limit);
}

/* A page at a time, if it is told not to wait. */
static void endless_devices_fill_every_buffer(void** state) {
  (void) state;
  enum { SIZE = 50000 };
  uv_fs_t req;
  char* bytes = malloc(SIZE);
  assert_non_null(bytes);
  int zero = open_file("/dev/zero", O_RDONLY);
  for (int64_t offset = -1; offset < 2; offset++) {
    memset(bytes, 'x', SIZE);
    uv_buf_t halves[] = {uv_buf_init(bytes, SIZE / 2),
                         uv_buf_init(bytes + SIZE / 2, SIZE / 2)};
    assert_int_equal(ASYNC(req, uv_fs_read, zero, halves, 2, offset), SIZE);
    assert_null(memchr(bytes, 'x', SIZE));
  }
  close(zero);
  free(bytes);
}

static void an_empty_buffer_still_asks_the_descriptor(void** state) {
  (void) state;
  uv_fs_t req;
  uv_buf_t nothing = uv_buf_init(NULL, 0);
  int directory = open_file(".", O_RDONLY);
  assert_int_equal(ASYNC(req, uv_fs_read, directory, &nothing, 1, 0), UV_EISDIR);
  assert_int_equal(SYNC(req, uv_fs_read, directory, &nothing, 1, -1), UV_EISDIR);
  close(directory);
  int full = open_file("/dev/full", O_WRONLY);
  assert_int_equal(ASYNC(req, uv_fs_write, full, &nothing, 1, 0), UV_ENOSPC);
  assert_int_equal(SYNC(req, uv_fs_write, full, &nothing, 1, -1), UV_ENOSPC);
  close(full);
}

static void errors_are_told(void** state) {
  (void) state;
  uv_fs_t req;
  char byte = 'x';
  uv_buf_t buffer = uv_buf_init(&byte, 1);
  const int bad = 987654;
  assert_int_equal(ASYNC(req, uv_fs_read, bad, &buffer, 1, 0), UV_EBADF);
  assert_int_equal(uv_fs_get_system_error(&req), EBADF);
  assert_int_equal(ASYNC(req, uv_fs_write, bad, &buffer, 1, -1), UV_EBADF);
  assert_int_equal(ASYNC(req, uv_fs_fsync, bad), UV_EBADF);
  assert_int_equal(ASYNC(req, uv_fs_fdatasync, bad), UV_EBADF);
  assert_int_equal(ASYNC(req, uv_fs_ftruncate, bad, 0), UV_EBADF);
  assert_int_equal(ASYNC(req, uv_fs_fstat, bad), UV_EBADF);
  assert_int_equal(ASYNC(req, uv_fs_close, bad), UV_EBADF);
  assert_int_equal(SYNC(req, uv_fs_read, bad, &buffer, 1, 0), UV_EBADF);
  assert_int_equal(SYNC(req, uv_fs_close, bad), UV_EBADF);

  int directory = open_file(".", O_RDONLY | O_DIRECTORY);
  assert_int_equal(ASYNC(req, uv_fs_read, directory, &buffer, 1, -1), UV_EISDIR);
  assert_int_equal(SYNC(req, uv_fs_read, directory, &buffer, 1, 0), UV_EISDIR);
  close(directory);

  files_make("file", "x", 1);
  int reader = open_file("file", O_RDONLY);
  assert_int_equal(ASYNC(req, uv_fs_write, reader, &buffer, 1, 0), UV_EBADF);
  close(reader);
  int writer = open_file("file", O_WRONLY);
  assert_int_equal(ASYNC(req, uv_fs_read, writer, &buffer, 1, 0), UV_EBADF);
  close(writer);
}

static void a_full_disk_is_told(void** state) {
  (void) state;
  uv_fs_t req;
  char bytes[4096] = "";
  uv_buf_t buffer = uv_buf_init(bytes, sizeof(bytes));
  int full = open("/dev/full", O_RDWR | O_CLOEXEC);
  if (full < 0)
    skip();
  assert_int_equal(ASYNC(req, uv_fs_write, full, &buffer, 1, -1), UV_ENOSPC);
  assert_int_equal(SYNC(req, uv_fs_write, full, &buffer, 1, -1), UV_ENOSPC);
  assert_int_equal(ASYNC(req, uv_fs_read, full, &buffer, 1, -1), 4096);
  close(full);
}

static void pipes_give_what_they_have(void** state) {
  (void) state;
  uv_fs_t req;
  int ends[2];
  char back[10];
  uv_buf_t into = uv_buf_init(back, sizeof(back));
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "abc", 3), 3);
  assert_int_equal(ASYNC(req, uv_fs_read, ends[0], &into, 1, -1), 3);
  assert_memory_equal(back, "abc", 3);
  uv_buf_t out = uv_buf_init("xyz", 3);
  assert_int_equal(ASYNC(req, uv_fs_write, ends[1], &out, 1, -1), 3);
  assert_int_equal(SYNC(req, uv_fs_read, ends[0], &into, 1, -1), 3);
  assert_int_equal(ASYNC(req, uv_fs_read, ends[0], &into, 1, 0), UV_ESPIPE);

  assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  assert_int_equal(ASYNC(req, uv_fs_read, ends[0], &into, 1, -1), UV_EAGAIN);
  close(ends[1]);
  assert_int_equal(ASYNC(req, uv_fs_read, ends[0], &into, 1, -1), 0);
  close(ends[0]);
}

static void bad_arguments_are_refused(void** state) {
  (void) state;
  uv_fs_t req;
  uv_buf_t none = uv_buf_init(NULL, 0);
  assert_int_equal(uv_fs_read(&files_loop, &req, 0, NULL, 0, -1, files_called),
                   UV_EINVAL);
  assert_null(req.bufs);
  assert_null(req.path);
  assert_null(req.new_path);
  assert_null(req.ptr);
  uv_fs_req_cleanup(&req);
  assert_int_equal(uv_fs_write(&files_loop, &req, 0, &none, 0, -1, files_called),
                   UV_EINVAL);
  assert_int_equal(uv_fs_read(&files_loop, NULL, 0, &none, 1, -1, files_called),
                   UV_EINVAL);
  assert_int_equal(uv_fs_read(NULL, &req, 0, &none, 1, -1, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_close(NULL, NULL, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_fsync(NULL, NULL, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_fdatasync(NULL, NULL, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_ftruncate(NULL, NULL, 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_sendfile(NULL, NULL, 0, 0, 0, 0, NULL), UV_EINVAL);
  assert_false(uv_loop_alive(&files_loop));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(what_is_written_is_read_again),
      FILES_TEST(many_buffers_are_one_stretch_of_the_file),
      FILES_TEST(the_position_moves_only_without_an_offset),
      FILES_TEST(appending_ignores_where_it_is),
      FILES_TEST(reading_past_the_end_is_no_error),
      FILES_TEST(offsets_beyond_four_gigabytes_work),
      FILES_TEST(very_many_buffers_are_all_written),
      FILES_TEST(a_large_file_comes_whole),
      FILES_TEST(a_half_cached_file_comes_whole),
      FILES_TEST(direct_files_work),
      FILES_TEST(direct_files_have_a_position),
      FILES_TEST(truncating_and_syncing),
      FILES_TEST(sending_between_files_and_sockets),
      FILES_TEST(sending_from_a_pipe),
      FILES_TEST(all_is_sent_to_a_slow_reader),
      FILES_TEST(sending_that_fails_halfway_is_an_error),
      FILES_TEST(endless_devices_fill_every_buffer),
      FILES_TEST(an_empty_buffer_still_asks_the_descriptor),
      FILES_TEST(errors_are_told),
      FILES_TEST(a_full_disk_is_told),
      FILES_TEST(pipes_give_what_they_have),
      FILES_TEST(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
