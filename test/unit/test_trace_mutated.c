/* Recordings that were changed at random: whatever is in a file, the reader ends, reads
 * only what is there, and what it makes of it can be written in every form. With the
 * sanitizers this finds what a hostile file could do. RONDO_TEST_ROUNDS is how many. */
#include "trace_test.h"
#include "trace_samples.h"
#include "trace_write.h"
#include "trace/trace.h"

static void nothing(uv_timer_t* timer) {
  (void) timer;
}

static void work(uv_work_t* request) {
  (void) request;
}

static void worked(uv_work_t* request, int status) {
  (void) status;
  int span = rondo_trace_begin(request->loop, "a script's function");
  rondo_trace_repeated(request->loop, span, 3);
  rondo_trace_name(request->loop, "another");
  rondo_trace_end(request->loop, span);
}

/* A recording with most kinds of records in it. */
static char* record_some(size_t* size) {
  uv_loop_t loop;
  uv_timer_t timers[3];
  uv_work_t requests[3];
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_trace_start(&loop, path_of("whole")), 0);
  for (size_t i = 0; i < 3; i++) {
    uv_timer_init(&loop, &timers[i]);
    uv_timer_start(&timers[i], nothing, i, 0);
    uv_queue_work(&loop, &requests[i], work, worked);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  for (size_t i = 0; i < 3; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  FILE* file = fopen(path_of("whole"), "rb");
  fseek(file, 0, SEEK_END);
  *size = (size_t) ftell(file);
  rewind(file);
  char* bytes = malloc(*size);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static uint64_t seed;

static size_t random_below(size_t most) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t) (seed % most);
}

/* Where something is written: most of a file is empty room. */
static size_t somewhere(const char* bytes, size_t size) {
  size_t at = random_below(size);
  for (int i = 0; i < 64 && bytes[at] == 0; i++)
    at = random_below(size);
  return at;
}

static void mutate(char* bytes, size_t size) {
  static const uint64_t edges[] = {0,          1,          7,         0x7fffffff,
                                   0x80000000, UINT32_MAX, INT64_MAX, UINT64_MAX};
  for (size_t left = 1 + random_below(6); left > 0; left--) {
    size_t at = somewhere(bytes, size);
    size_t word = at / 8 * 8;
    switch (random_below(4)) {
    case 0:
      bytes[at] = (char) random_below(256);
      break;
    case 1:
      bytes[at] ^= (char) (1 << random_below(8));
      break;
    case 2:
      if (word + 8 <= size)
        memcpy(bytes + word, &edges[random_below(8)], 1 + random_below(8));
      break;
    default:
      if (word + 24 <= size && at + 24 <= size)
        memmove(bytes + word, bytes + somewhere(bytes, size - 24) / 8 * 8, 24);
    }
  }
}

static void write_everything(struct trace* trace) {
  FILE* out = fopen("/dev/null", "w");
  assert_non_null(out);
  assert_true(write_text(out, trace, true));
  assert_true(write_events(out, trace));
  fclose(out);
}

static void any_bytes_can_be_read(void** state) {
  (void) state;
  size_t size;
  char* whole = record_some(&size);
  const char* rounds = getenv("RONDO_TEST_ROUNDS");
  for (int left = rounds == NULL ? 2000 : atoi(rounds); left > 0; left--) {
    seed = 0x9e3779b97f4a7c15u * (uint64_t) left + 1;
    /* To its very end, so that a sanitizer sees what is read beyond it. */
    size_t used = random_below(8) == 0 ? 1 + random_below(size) : size;
    char* bytes = malloc(used);
    memcpy(bytes, whole, used);
    mutate(bytes, used);
    struct trace trace = {0};
    if (trace_read_bytes(&trace, bytes, used) == NULL) {
      trace_sort(&trace);
      for (size_t i = 0; i < trace.count; i++)
        assert_sound(&trace.loops[i]);
      write_everything(&trace);
    }
    trace_free(&trace);
    free(bytes);
  }
  free(whole);
}

/* A sample's frame is any number, and a loop may have no events. */
static void frames_and_loops_of_nothing(void** state) {
  (void) state;
  uint32_t names[] = {0, 1, INT32_MAX, (uint32_t) INT32_MAX + 1, UINT32_MAX};
  struct trace_loop loop = {0};
  samples_add(&loop, 1, names, 5);
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(sample_frame(&loop, &loop.samples[0], i), "?");
  free(loop.samples);
  free(loop.frames);
  memset(&loop, 0, sizeof(loop));
  loop_reader_end(loop_reader_make(&loop, 0, false), &loop, 0);
  assert_int_equal(loop.event_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(any_bytes_can_be_read),
      trace_test(frames_and_loops_of_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
