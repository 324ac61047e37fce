/* The watcher's look at a ring that isn't all there: the file is gone, or has no memory
 * for loops that were never made. */
#include "live_sampling.h"
#include "trace_test.h"

#include <fcntl.h>

static void stall_refuse(void* data, uint32_t place, uint64_t looked_ns,
                         uint64_t held_ns) {
  (void) data;
  (void) place;
  (void) looked_ns;
  (void) held_ns;
  fail();
}

static void a_ring_that_is_gone_is_left_alone(void** state) {
  (void) state;
  char path[512];
  struct sampling sampling;
  snprintf(path, sizeof(path), "%s", path_of("1.ring"));
  struct live_ring ring = {.path = path, .pid = getpid()};
  sampling_open(&sampling, &ring);
  assert_null(sampling.board);
  assert_true(sampling_look(&sampling, stall_refuse, NULL) == UINT64_MAX);
  sampling_close(&sampling);
}

/* A file that ends behind the first place: whoever touches the others is ended by SIGBUS,
 * as where there is no memory for them. */
static void places_that_were_never_used_are_not_touched(void** state) {
  (void) state;
  char path[512];
  struct stat status;
  struct sampling sampling;
  snprintf(path, sizeof(path), "%s", path_of("1.ring"));
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  size_t end = TRACE_HEADER_SIZE + offsetof(struct board, loops[1]);
  assert_int_equal(ftruncate(fd, (off_t) end), 0);
  assert_int_equal(fstat(fd, &status), 0);
  struct live_ring ring = {.path = path, .pid = getpid(), .inode = status.st_ino};
  sampling_open(&sampling, &ring);
  assert_non_null(sampling.board);
  struct board* board = sampling.board;
  board->places = 1;
  board->threshold_ns = 1000000000000;
  board->loops[0].number = 1;
  board->loops[0].is_watched = 1;
  board->loops[0].looked_ns = live_now_ns();
  uint64_t next = sampling_look(&sampling, stall_refuse, NULL);
  assert_true(next > 0 && next <= board->threshold_ns);
  board->loops[0].looked_ns |= BOARD_ASLEEP;
  sampling.busy_ns = 0; /* long ago: it is time to rest */
  assert_true(sampling_look(&sampling, stall_refuse, NULL) == UINT64_MAX);
  assert_int_equal(board->watcher_idle, 1);
  sampling_close(&sampling);
  close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(a_ring_that_is_gone_is_left_alone),
      trace_test(places_that_were_never_used_are_not_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
