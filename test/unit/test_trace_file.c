/* The recorder's file, whatever happens to it: its limit, a full disk, a killed process,
 * forks (contract L9), names, and damage. The program goes on in every case. */
#include "trace_test.h"
#include "forked.h"
#include "trace_write.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

static uv_idle_t idle;
static int left;

static void count_down(uv_idle_t* handle) {
  if (--left == 0)
    uv_close((uv_handle_t*) handle, NULL);
}

/* Turns a recorded loop this often. */
static int turn(uv_loop_t* loop, int times) {
  left = times;
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, count_down);
  uv_run(loop, UV_RUN_DEFAULT);
  return left;
}

static void recorded(const char* path, int times) {
  uv_loop_t loop;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_trace_start(&loop, path), 0);
  assert_int_equal(turn(&loop, times), 0);
  assert_int_equal(uv_loop_close(&loop), 0);
}

static long size_of(const char* path) {
  struct stat file;
  assert_int_equal(stat(path, &file), 0);
  return (long) file.st_size;
}

static void quiet_errors(void) {
  int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, 2);
}

/* --- limits --------------------------------------------------------------------------
 */

enum { MANY = 60000 }; /* more records than a piece of the file holds */

static void a_long_recording_grows_and_is_cut_to_its_length(void** state) {
  (void) state;
  struct trace trace;
  int descriptors = open_descriptors();
  recorded(path_of("long"), MANY);
  assert_int_equal(open_descriptors(), descriptors);
  struct trace_loop* record = read_back(&trace, path_of("long"));
  assert_int_equal(count_events(record, EVENT_CALLBACK), MANY);
  struct trace_header header;
  FILE* file = fopen(path_of("long"), "rb");
  assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
  fclose(file);
  assert_int_equal(header.length, size_of(path_of("long")));
  assert_phases_in_order(record);
  trace_free(&trace);
}

static int record_to_limit(void) {
  quiet_errors();
  setenv("RONDO_TRACE_LIMIT", "1K", 1); /* a piece at least is given */
  recorded(path_of("limited"), MANY);
  return 0;
}

static int order_of_times(const struct trace_loop* record) {
  for (size_t i = 1; i < record->event_count; i++) {
    if (record->events[i].start < record->events[i - 1].start)
      return -1;
  }
  return 0;
}

/* The last callback is there, the first isn't, and nothing is counted as lost. */
static void assert_last_part(const struct trace_loop* record) {
  const struct event* last = &record->events[record->event_count - 1];
  assert_int_equal(record->lost, 0);
  assert_true(record->overwritten);
  assert_true(record->begin_ns > 0);
  assert_int_equal(order_of_times(record), 0);
  assert_in_range(count_events(record, EVENT_CALLBACK), 5000, MANY - 1);
  assert_true(record->end_ns - last->start < record->end_ns / 2);
}

static void at_its_limit_it_keeps_the_last_part(void** state) {
  (void) state;
  struct trace trace;
  assert_in_child(record_to_limit);
  struct trace_loop* record = read_back(&trace, path_of("limited"));
  assert_last_part(record);
  assert_in_range(size_of(path_of("limited")), 1 << 19, 2 << 20);
  trace_free(&trace);
}

static int record_without_space(void) {
  struct rlimit limit = {.rlim_cur = 2 << 20, .rlim_max = 2 << 20};
  quiet_errors();
  setrlimit(RLIMIT_FSIZE, &limit);
  recorded(path_of("cramped"), MANY);
  return 0;
}

/* No SIGXFSZ, which would end the program. */
static void at_a_file_size_limit_it_keeps_the_last_part(void** state) {
  (void) state;
  struct trace trace;
  assert_in_child(record_without_space);
  assert_last_part(read_back(&trace, path_of("cramped")));
  trace_free(&trace);
}

/* On a file system of its own that is nearly full. */
static int record_on_full_disk(void) {
  struct trace trace;
  if (unshare(CLONE_NEWNS) != 0 ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", 0, "size=2m") != 0)
    return 77;
  quiet_errors();
  recorded(path_of("full"), MANY);
  const struct trace_loop* record = read_back(&trace, path_of("full"));
  int lost = record->lost == 0 && record->overwritten ? 0 : 1;
  trace_free(&trace);
  /* Not even the first page. */
  uv_loop_t loop;
  FILE* rest = fopen(path_of("rest"), "w");
  while (fputs("all that is left", rest) >= 0 && fflush(rest) == 0)
    ;
  fclose(rest);
  uv_loop_init(&loop);
  int err = rondo_trace_start(&loop, path_of("none"));
  bool there = access(path_of("none"), F_OK) == 0;
  return lost + (err != UV_ENOSPC) + there + turn(&loop, 10) + uv_loop_close(&loop);
}

static void on_a_full_disk_it_keeps_the_last_part(void** state) {
  (void) state;
  assert_in_child(record_on_full_disk);
}

/* --- the end of the process ----------------------------------------------------------
 */

static void kill_itself(uv_idle_t* handle) {
  (void) handle;
  raise(SIGKILL);
}

static int be_killed(void) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  rondo_trace_start(&loop, path_of("killed"));
  turn(&loop, 100);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, kill_itself);
  uv_run(&loop, UV_RUN_DEFAULT);
  return 1;
}

static void a_killed_process_leaves_all_it_did(void** state) {
  (void) state;
  struct trace trace;
  assert_int_equal(in_child(be_killed), 100 + SIGKILL);
  struct trace_loop* record = read_back(&trace, path_of("killed"));
  assert_int_equal(count_events(record, EVENT_CALLBACK), 101);
  const struct event* last = find_callback(record, "kill_itself");
  assert_non_null(last);
  assert_int_equal(last->start + last->duration, record->end_ns);
  trace_free(&trace);
}

/* As some do that become daemons; one of their new ones has the number of ours. */
static int lose_descriptors(void) {
  enum { MORE = 32 };
  uv_loop_t loop;
  uv_loop_init(&loop);
  rondo_trace_start(&loop, path_of("lost"));
  close_range(3, ~0u, 0);
  for (int i = 0; i < MORE; i++) {
    int fd = open(path_of("own"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (write(fd, "mine", 4) != 4)
      return 1;
  }
  rondo_trace_stop(&loop);
  for (int fd = 3; fd < 3 + MORE; fd++) {
    if (fcntl(fd, F_GETFD) < 0)
      return 2;
  }
  return 0;
}

static void a_descriptor_of_the_programs_is_not_written_to(void** state) {
  (void) state;
  assert_in_child(lose_descriptors);
  assert_int_equal(size_of(path_of("own")), 4);
}

/* --- forks -----------------------------------------------------------------------------
 */

static uv_loop_t forked_loop;

static int go_on_in_child(void) {
  if (uv_loop_fork(&forked_loop) != 0)
    return 1;
  int not_turned = turn(&forked_loop, 300);
  return not_turned + uv_loop_close(&forked_loop);
}

static int leave_it(void) {
  return uv_loop_close(&forked_loop); /* also lets go of the parent's file */
}

/* Covers L9. */
static void a_forked_child_has_a_file_of_its_own(void** state) {
  (void) state;
  struct trace trace;
  uv_loop_init(&forked_loop);
  assert_int_equal(rondo_trace_start(&forked_loop, path_of("family")), 0);
  turn(&forked_loop, 10);
  assert_in_child(leave_it);
  assert_in_child(go_on_in_child);
  turn(&forked_loop, 10);
  assert_int_equal(uv_loop_close(&forked_loop), 0);
  assert_int_equal(files_in_folder(), 2);
  struct trace_loop* record = read_back(&trace, path_of("family"));
  assert_int_equal(count_events(record, EVENT_CALLBACK), 20);
  assert_int_equal(record->pid, getpid());
  trace_free(&trace);
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL &&
         (entry->d_name[0] == '.' || strcmp(entry->d_name, "family") == 0))
    ;
  record = read_back(&trace, path_of(entry->d_name));
  assert_int_equal(count_events(record, EVENT_CALLBACK), 300);
  assert_int_not_equal(record->pid, getpid());
  trace_free(&trace);
  closedir(directory);
}

static int turn_and_close_the_parents(void) {
  turn(&forked_loop, 7);
  return uv_loop_close(&forked_loop);
}

/* Covers L9: a child that just leaves its parent's loop, without uv_loop_fork. */
static void a_child_that_closes_the_loop_leaves_the_file_alone(void** state) {
  (void) state;
  struct trace trace;
  assert_int_equal(uv_loop_init(&forked_loop), 0);
  assert_int_equal(rondo_trace_start(&forked_loop, path_of("parents")), 0);
  assert_int_equal(turn(&forked_loop, 5), 0);
  assert_in_child(turn_and_close_the_parents);
  assert_int_equal(turn(&forked_loop, 5), 0);
  assert_int_equal(uv_loop_close(&forked_loop), 0);
  struct trace_loop* record = read_back(&trace, path_of("parents"));
  assert_int_equal(count_events(record, EVENT_CALLBACK), 10);
  trace_free(&trace);
}

static int record_without_standard_error(void) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  close(2);
  int err = rondo_trace_start(&loop, path_of("silent"));
  bool theirs = write(2, "what a program says", 19) >= 0;
  turn(&loop, 5);
  return err != 0 || theirs || uv_loop_close(&loop) != 0;
}

static void standard_error_is_never_the_file(void** state) {
  (void) state;
  struct trace trace;
  assert_in_child(record_without_standard_error);
  assert_int_equal(count_events(read_back(&trace, path_of("silent")), EVENT_CALLBACK), 5);
  trace_free(&trace);
}

/* --- names and refusals
 * ------------------------------------------------------------------ */

/* What the file in the folder is called. */
static const char* only_file(void) {
  static char name[256];
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL && entry->d_name[0] == '.')
    ;
  snprintf(name, sizeof(name), "%s", entry == NULL ? "" : entry->d_name);
  closedir(directory);
  return name;
}

static const char* asked;

static int record_by_environment(void) {
  uv_loop_t loops[2];
  setenv("RONDO_TRACE", path_of(asked), 1);
  for (int i = 0; i < 2; i++) {
    uv_loop_init(&loops[i]);
    turn(&loops[i], 5);
    uv_loop_close(&loops[i]);
  }
  uv_loop_init(&loops[0]); /* one that isn't closed */
  turn(&loops[0], 5);
  return 0;
}

/* Also those that were made when the others had been closed. */
static void the_environment_asks_for_one_file_for_the_process(void** state) {
  (void) state;
  struct trace trace = {0};
  asked = "asked-%p";
  assert_in_child(record_by_environment);
  assert_int_equal(files_in_folder(), 1);
  assert_null(trace_read(&trace, path_of(only_file())));
  assert_false(trace.damaged);
  assert_int_equal(trace.process_count, 1);
  assert_int_equal(trace.count, 3);
  for (unsigned int i = 0; i < 3; i++) {
    assert_sound(&trace.loops[i]);
    assert_int_equal(trace.loops[i].number, i + 1);
    assert_int_equal(count_events(&trace.loops[i], EVENT_CALLBACK), 5);
    assert_non_null(find_callback(&trace.loops[i], "count_down"));
  }
  trace_free(&trace);
}

static void the_environment_may_ask_for_a_file_for_each_loop(void** state) {
  (void) state;
  asked = "asked-%p-%l";
  assert_in_child(record_by_environment);
  assert_int_equal(files_in_folder(), 3);
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL) {
    struct trace trace;
    if (entry->d_name[0] == '.')
      continue;
    struct trace_loop* record = read_back(&trace, path_of(entry->d_name));
    assert_int_equal(count_events(record, EVENT_CALLBACK), 5);
    trace_free(&trace);
  }
  closedir(directory);
}

static int record_beside_the_environment(void) {
  uv_loop_t first, second;
  setenv("RONDO_TRACE", path_of("both-%p"), 1);
  uv_loop_init(&first);
  unsetenv("RONDO_TRACE");
  const char* path = path_of(only_file());
  uv_loop_init(&second);
  bool refused = rondo_trace_start(&second, path) == UV_EBUSY;
  turn(&first, MANY);
  uv_loop_close(&first);
  bool free_then = rondo_trace_start(&second, path) == 0;
  uv_loop_close(&second);
  return refused && free_then ? 0 : 1;
}

/* Two that write to one file would overwrite each other, or die where it is cut. */
static void a_file_that_the_environment_named_is_taken_too(void** state) {
  (void) state;
  assert_in_child(record_beside_the_environment);
  assert_int_equal(files_in_folder(), 1);
}

static int record_nowhere(void) {
  uv_loop_t loop;
  quiet_errors();
  setenv("RONDO_TRACE", path_of("no/such/folder"), 1);
  int err = uv_loop_init(&loop);
  return err != 0 || rondo_trace_active(&loop) || turn(&loop, 5) != 0 ||
         uv_loop_close(&loop) != 0;
}

static void what_cannot_be_written_is_refused(void** state) {
  (void) state;
  uv_loop_t loop, other;
  int descriptors = open_descriptors();
  assert_in_child(record_nowhere);
  uv_loop_init(&loop);
  uv_loop_init(&other);
  assert_int_equal(rondo_trace_start(&loop, NULL), UV_EINVAL);
  assert_int_equal(rondo_trace_start(&loop, ""), UV_EINVAL);
  assert_int_equal(rondo_trace_start(&loop, path_of("no/such")), UV_ENOENT);
  assert_int_equal(rondo_trace_start(&loop, folder), UV_EISDIR);
  assert_int_equal(rondo_trace_start(&loop, "/dev/null"), UV_EINVAL);
  rondo_trace_stop(&loop); /* there is nothing to be stopped */
  assert_int_equal(rondo_trace_start(&loop, path_of("one")), 0);
  assert_int_equal(rondo_trace_start(&other, path_of("one")), UV_EBUSY);
  rondo_trace_stop(&loop);
  assert_int_equal(rondo_trace_start(&other, path_of("one")), 0);
  uv_loop_close(&loop);
  uv_loop_close(&other);
  assert_int_equal(open_descriptors(), descriptors);
}

/* --- damage
 * ------------------------------------------------------------------------------ */

static void write_bytes(const char* path, const unsigned char* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/* Refused, or read as far as it makes sense; then it can also be shown. */
static void read_damaged(const unsigned char* bytes, size_t size) {
  char path[512];
  struct trace trace = {0};
  snprintf(path, sizeof(path), "%s", path_of("damaged"));
  write_bytes(path, bytes, size);
  if (trace_read(&trace, path) == NULL) {
    for (size_t i = 0; i < trace.count; i++)
      assert_sound(&trace.loops[i]);
    FILE* out = fopen("/dev/null", "w");
    trace_sort(&trace);
    assert_true(write_text(out, &trace, true));
    assert_true(write_events(out, &trace));
    write_model(out, &trace);
    fclose(out);
  }
  trace_free(&trace);
}

static unsigned int next_random(unsigned int* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static void a_damaged_file_is_read_up_to_its_good_end(void** state) {
  (void) state;
  unsigned char bytes[20000], damaged[20000];
  unsigned int seed = 1;
  recorded(path_of("good"), 60);
  FILE* file = fopen(path_of("good"), "rb");
  size_t size = fread(bytes, 1, sizeof(bytes) / 2, file);
  fclose(file);
  assert_true(size > TRACE_HEADER_SIZE + 3000);
  for (size_t length = 0; length < size; length += length < TRACE_HEADER_SIZE ? 511 : 7)
    read_damaged(bytes, length);
  for (int round = 0; round < 400; round++) {
    memcpy(damaged, bytes, size);
    for (unsigned int i = next_random(&seed) % 8; i > 0; i--)
      damaged[next_random(&seed) % size] ^= (unsigned char) next_random(&seed);
    for (unsigned int i = next_random(&seed) % 8; i > 0; i--)
      damaged[TRACE_HEADER_SIZE + next_random(&seed) % (size - TRACE_HEADER_SIZE)] =
          (unsigned char) (next_random(&seed) % 17); /* kinds, with luck */
    read_damaged(damaged, size);
  }
}

static void join(const char* whole, const char* part) {
  char buffer[4096];
  size_t n;
  FILE* out = fopen(whole, "ab");
  FILE* in = fopen(path_of(part), "rb");
  while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
    fwrite(buffer, 1, n, out);
  fclose(in);
  fclose(out);
}

/* Also one that was never closed, with zeros at its end. */
static void files_can_be_joined(void** state) {
  (void) state;
  char whole[512];
  snprintf(whole, sizeof(whole), "%s", path_of("whole"));
  recorded(path_of("part"), 10);
  join(whole, "part");
  assert_int_equal(in_child(be_killed), 100 + SIGKILL);
  join(whole, "killed");
  recorded(path_of("part"), 11);
  join(whole, "part");
  struct trace trace = {0};
  assert_null(trace_read(&trace, path_of("whole")));
  assert_int_equal(trace.count, 3);
  assert_int_equal(count_events(&trace.loops[0], EVENT_CALLBACK), 10);
  assert_int_equal(count_events(&trace.loops[1], EVENT_CALLBACK), 101);
  assert_int_equal(count_events(&trace.loops[2], EVENT_CALLBACK), 11);
  trace_free(&trace);
  assert_non_null(trace_read(&trace, "/dev/null"));
  assert_non_null(trace_read(&trace, folder));
  assert_non_null(trace_read(&trace, path_of("missing")));
  trace_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(a_long_recording_grows_and_is_cut_to_its_length),
      trace_test(at_its_limit_it_keeps_the_last_part),
      trace_test(at_a_file_size_limit_it_keeps_the_last_part),
      trace_test(on_a_full_disk_it_keeps_the_last_part),
      trace_test(a_killed_process_leaves_all_it_did),
      trace_test(a_descriptor_of_the_programs_is_not_written_to),
      trace_test(a_forked_child_has_a_file_of_its_own),
      trace_test(standard_error_is_never_the_file),
      trace_test(a_child_that_closes_the_loop_leaves_the_file_alone),
      trace_test(the_environment_asks_for_one_file_for_the_process),
      trace_test(the_environment_may_ask_for_a_file_for_each_loop),
      trace_test(a_file_that_the_environment_named_is_taken_too),
      trace_test(what_cannot_be_written_is_refused),
      trace_test(a_damaged_file_is_read_up_to_its_good_end),
      trace_test(files_can_be_joined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
