// A file is written, copied piece by piece and read back, each step in the callback of
// the one before. Shown: open, write, read, close, unlink, and what a request leaves
// behind for uv_fs_req_cleanup.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { PIECE = 1000, LENGTH = 2500 };

// One request serves for all steps: it is free again in its callback, after clean-up.
static struct copy {
  uv_fs_t request;
  char from[64];
  char to[80];
  uv_file source;
  uv_file target;
  int64_t position;
  char piece[PIECE];
} copy;

static void read_piece(void);

// The result of a step; an error ends the program.
static ssize_t result_of(uv_fs_t* request, const char* step) {
  ssize_t result = request->result;
  uv_fs_req_cleanup(request);
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", step, uv_strerror((int) result));
    exit(1);
  }
  return result;
}

static void on_unlinked(uv_fs_t* request) {
  result_of(request, "unlink");
}

static void on_closed(uv_fs_t* request) {
  result_of(request, "close");
  printf("copied %d bytes\n", (int) copy.position);
  // Without a callback a call waits for its result: fine in a tool, not in a server.
  uv_fs_close(request->loop, request, copy.source, NULL);
  uv_fs_unlink(request->loop, request, copy.from, NULL);
  uv_fs_unlink(request->loop, request, copy.to, on_unlinked);
}

static void on_piece_written(uv_fs_t* request) {
  ssize_t written = result_of(request, "write");
  printf("  %d bytes at %d\n", (int) written, (int) copy.position);
  copy.position += written;
  read_piece();
}

static void on_piece_read(uv_fs_t* request) {
  ssize_t length = result_of(request, "read");
  if (length == 0) { // the end of the file
    uv_fs_close(request->loop, request, copy.target, on_closed);
    return;
  }
  uv_buf_t buffer = uv_buf_init(copy.piece, (unsigned int) length);
  uv_fs_write(request->loop, request, copy.target, &buffer, 1, copy.position,
              on_piece_written);
}

static void read_piece(void) {
  uv_buf_t buffer = uv_buf_init(copy.piece, PIECE);
  uv_fs_read(uv_default_loop(), &copy.request, copy.source, &buffer, 1, copy.position,
             on_piece_read);
}

static void on_target_open(uv_fs_t* request) {
  copy.target = (uv_file) result_of(request, "open for writing");
  read_piece();
}

static void on_source_open(uv_fs_t* request) {
  copy.source = (uv_file) result_of(request, "open for reading");
  uv_fs_open(request->loop, request, copy.to, O_WRONLY | O_CREAT | O_TRUNC, 0644,
             on_target_open);
}

// Synchronous, to have something to copy.
static void make_source(uv_loop_t* loop) {
  static char text[LENGTH];
  uv_buf_t buffer = uv_buf_init(text, LENGTH);
  memset(text, 'x', LENGTH);
  uv_file file =
      uv_fs_open(loop, &copy.request, copy.from, O_WRONLY | O_CREAT, 0644, NULL);
  result_of(&copy.request, "make the source");
  uv_fs_write(loop, &copy.request, file, &buffer, 1, 0, NULL);
  result_of(&copy.request, "fill the source");
  uv_fs_close(loop, &copy.request, file, NULL);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  snprintf(copy.from, sizeof(copy.from), "/tmp/rondo-example-%d", (int) getpid());
  snprintf(copy.to, sizeof(copy.to), "%s.copy", copy.from);
  make_source(loop);
  uv_fs_open(loop, &copy.request, copy.from, O_RDONLY, 0, on_source_open);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
