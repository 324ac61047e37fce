#include "helper_bursts.h"

#include <sys/uio.h>

struct burst_reader burst_readers[BURST_READS];
int burst_calls;

int burst_file(void) {
  static char bytes[BURST_BLOCK];
  int fd = open("blocks", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  for (unsigned int i = 0; i < BURST_BLOCKS; i++) {
    memset(bytes, (int) (i * 7 + 1), sizeof bytes);
    memcpy(bytes, &i, sizeof i);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
  }
  return fd;
}

bool burst_has_cache(int file) {
  char byte;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  return preadv2(file, &part, 1, 0, RWF_NOWAIT) == 1;
}

void burst_check(const char* buffer, unsigned int block) {
  assert_memory_equal(buffer, &block, sizeof block);
  for (size_t i = sizeof block; i < BURST_BLOCK; i += 97)
    assert_int_equal((unsigned char) buffer[i], (unsigned char) (block * 7 + 1));
}

void burst_begin(struct burst_reader* reader, uv_fs_cb cb) {
  size_t first = reader->block % 3 == 0 ? 100 : BURST_BLOCK;
  uv_buf_t parts[] = {
      uv_buf_init(reader->buffer, (unsigned int) first),
      uv_buf_init(reader->buffer + first, (unsigned int) (BURST_BLOCK - first))};
  memset(reader->buffer, 0, sizeof reader->buffer);
  reader->req.data = reader;
  assert_int_equal(uv_fs_read(reader->loop, &reader->req, reader->file, parts,
                              first == BURST_BLOCK ? 1 : 2,
                              (int64_t) reader->block * BURST_BLOCK, cb),
                   0);
}

void burst_read_on(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  assert_int_equal(req->result, BURST_BLOCK);
  burst_check(reader->buffer, reader->block);
  uv_fs_req_cleanup(req);
  if (reader->left-- > 0) {
    reader->block = (reader->block * 13 + 5) % BURST_BLOCKS;
    burst_begin(reader, burst_read_on);
  }
}

static void (*inside_function)(int file);
static int inside_file;

static void inside_called(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  inside_function(inside_file);
}

void burst_run_inside(void (*function)(int), int file) {
  uv_timer_t timer;
  inside_function = function;
  inside_file = file;
  burst_calls = 0;
  assert_int_equal(uv_timer_init(&files_loop, &timer), 0);
  assert_int_equal(uv_timer_start(&timer, inside_called, 0, 0), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

void burst_whole_or_cancelled(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  burst_calls++;
  if (reader->cancelled) {
    assert_int_equal(req->result, UV_ECANCELED);
  } else {
    assert_int_equal(req->result, BURST_BLOCK);
    burst_check(reader->buffer, reader->block);
  }
  uv_fs_req_cleanup(req);
}

void burst_begin_all(int file, uv_fs_cb cb) {
  for (unsigned int i = 0; i < BURST_READS; i++) {
    burst_readers[i].loop = &files_loop;
    burst_readers[i].file = file;
    burst_readers[i].block = i;
    burst_readers[i].cancelled = false;
    burst_begin(&burst_readers[i], cb);
  }
}

void burst_read_for_long(uv_loop_t* loop, struct burst_reader* some, int file) {
  for (unsigned int i = 0; i < BURST_READS; i++) {
    some[i].loop = loop;
    some[i].file = file;
    some[i].block = i;
    some[i].left = 5 * BURST_ROUNDS;
    burst_begin(&some[i], burst_read_on);
  }
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  for (unsigned int i = 0; i < BURST_READS; i++)
    assert_int_equal(some[i].left, -1u);
}
