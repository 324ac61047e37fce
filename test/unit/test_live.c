/* The watcher's look at a ring that isn't all there: the file is gone, or has no memory
 * for loops that were never made. And what wakes the watcher. */
#include "live_sampling.h"
#include "live_title.h"
#include "trace_test.h"

#include "trace/alarm.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

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
  struct sampling sampling;
  struct live_ring ring = {.pid = getpid(), .fd = -1};
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
  struct sampling sampling;
  snprintf(path, sizeof(path), "%s", path_of("1.ring"));
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  size_t end = TRACE_HEADER_SIZE + offsetof(struct board, loops[1]);
  assert_int_equal(ftruncate(fd, (off_t) end), 0);
  struct live_ring ring = {.pid = getpid(), .fd = fd};
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

/* --- what wakes it ------------------------------------------------------------------
 */

static int watcher_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s/watcher", folder);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(fd, (const struct sockaddr*) &address, sizeof(address)), 0);
  setenv("RONDO_RECORD_WATCHER", address.sun_path, 1);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  setenv("RONDO_RECORD", "1M", 1);
  return fd;
}

static uint32_t next_report(int fd) {
  struct alarm_report report = {0};
  return recv(fd, &report, sizeof(report), MSG_DONTWAIT) == (ssize_t) sizeof(report)
             ? report.kind
             : 0;
}

/* Elsewhere a thread samples the loop. */
static bool is_watched_here(void) {
  struct live_ring* list;
  bool watched = false;
  size_t count = live_rings(&list);
  for (size_t i = 0; i < count; i++) {
    const struct board_loop* live = live_place(&list[i], 0);
    watched =
        watched || (list[i].pid == getpid() && live != NULL && live->is_watched != 0);
    live_ring_close(&list[i]);
  }
  free(list);
  return watched;
}

/* The report of the start comes before there is a loop to look at: a watcher that has
 * looked by then would sleep through the loop's first second. */
static void a_loop_that_begins_wakes_the_watcher(void** state) {
  (void) state;
  char path[128];
  uv_loop_t loop;
  int fd = watcher_socket();
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(next_report(fd), ALARM_STARTED);
  if (is_watched_here())
    assert_int_equal(next_report(fd), ALARM_AWAKE);
  assert_int_equal(next_report(fd), 0);
  assert_int_equal(uv_loop_close(&loop), 0);
  snprintf(path, sizeof(path), "%s/rondo/%d.ring", folder, (int) getpid());
  unlink(path);
  snprintf(path, sizeof(path), "%s/rondo", folder);
  rmdir(path);
  close(fd);
}

#define COMMAND(text) text, sizeof(text)

/* Of a script the interpreter's path says nothing. */
static void a_process_is_called_after_its_script(void** state) {
  static const struct {
    const char* command;
    size_t size;
    const char *title, *line;
  } known[] = {
      {COMMAND("/opt/node/bin/node\0/app/server.js\0--port\0"
               "80\0"),
       "server.js (node)", "node /app/server.js --port 80"},
      {COMMAND("node\0--require\0./a.js\0--max-old-space-size=90\0bin/www\0"),
       "www (node)", "node --require ./a.js --max-old-space-size=90 bin/www"},
      {COMMAND("/usr/bin/node\0-e\0code\0"), "node", "node -e code"},
      {COMMAND("/usr/bin/nvim\0notes.txt\0"), "nvim", "nvim notes.txt"},
      {COMMAND("./tool\0main.py\0"), "main.py (tool)", "tool main.py"},
      {COMMAND("server\0"), "server", "server"},
      {COMMAND(""), "", ""},
  };
  (void) state;
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    char command[256] = {0};
    memcpy(command, known[i].command, known[i].size);
    char* title = live_title(command, sizeof(command));
    char* line = live_command_line(command, sizeof(command));
    assert_string_equal(title, known[i].title);
    assert_string_equal(line, known[i].line);
    free(title);
    free(line);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_process_is_called_after_its_script),
      trace_test(a_ring_that_is_gone_is_left_alone),
      trace_test(places_that_were_never_used_are_not_touched),
      trace_test(a_loop_that_begins_wakes_the_watcher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
