/* test: threads */
/* Children in numbers and on bad days: waves of them beside a SIGCHLD handler of the
 * program, signals raining on us while we spawn, somebody else waiting for our children,
 * kernels without pidfds, forks, a full descriptor table, and a large parent. */
#include "spawning.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "sanitizers.h"

enum { CHILDREN = 1000, WAVE = 50 };

struct small_child {
  uv_process_t process;
  int exits;
  int expected;
};

static struct small_child children[WAVE];
static int exits_in_total;
static volatile sig_atomic_t foreign_signals;

static void foreign_handler(int signum) {
  (void) signum;
  foreign_signals++;
}

static void small_exited(uv_process_t* process, int64_t status, int signal) {
  struct small_child* small = process->data;
  assert_int_equal(0, small->exits);
  assert_int_equal(small->expected, status);
  assert_int_equal(0, signal);
  small->exits++;
  exits_in_total++;
  uv_close((uv_handle_t*) process, NULL);
}

static int spawn_small(uv_loop_t* where, struct small_child* small, int status) {
  char code[16];
  char* args[] = {(char*) "sh", (char*) "-c", (char*) "exit $0", code, NULL};
  uv_process_options_t options;
  memset(&options, 0, sizeof options);
  snprintf(code, sizeof code, "%d", status);
  options.file = "/bin/sh";
  options.args = args;
  options.exit_cb = small_exited;
  small->process.data = small;
  small->exits = 0;
  small->expected = status;
  return uv_spawn(where, &small->process, &options);
}

static void run_waves(uv_loop_t* where, int total) {
  exits_in_total = 0;
  for (int started = 0; started < total; started += WAVE) {
    for (int i = 0; i < WAVE; i++)
      assert_int_equal(0, spawn_small(where, &children[i], (started + i) % 200));
    uv_run(where, UV_RUN_DEFAULT);
    for (int i = 0; i < WAVE; i++)
      assert_int_equal(1, children[i].exits);
  }
  assert_int_equal(total, exits_in_total);
}

static void a_thousand_exits_are_each_seen_once(void** state) {
  struct sigaction action;
  struct sigaction before;
  struct sigaction after;
  (void) state;
  memset(&action, 0, sizeof action);
  action.sa_handler = foreign_handler;
  action.sa_flags = SA_RESTART;
  assert_int_equal(0, sigaction(SIGCHLD, &action, &before));
  foreign_signals = 0;
  int descriptors = open_descriptors();
  run_waves(&loop, UNDER_THREAD_SANITIZER ? CHILDREN / 10 : CHILDREN);
  assert_int_equal(descriptors, open_descriptors());
  assert_true(foreign_signals > 0);
  assert_int_equal(0, sigaction(SIGCHLD, &before, &after));
  assert_true(after.sa_handler == foreign_handler); /* nobody touched it */
}

/* --- a storm of signals ---------------------------------------------------------------
 */

static int caught;

static void count_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  assert_int_equal(SIGUSR1, signum);
  caught++;
}

static void rain(void* argument) {
  bool* done = argument;
  while (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) {
    kill(getpid(), SIGUSR1);
    uv_sleep(0);
  }
}

/* A handler that ran in a child before its exec would act on our memory; one child that
 * was hit by the default action would end with a signal. */
static void signals_rain_while_we_spawn(void** state) {
  uv_signal_t signal_handle;
  uv_thread_t thread;
  bool done = false;
  (void) state;
  caught = 0;
  assert_int_equal(0, uv_signal_init(&loop, &signal_handle));
  assert_int_equal(0, uv_signal_start(&signal_handle, count_signal, SIGUSR1));
  uv_unref((uv_handle_t*) &signal_handle);
  assert_int_equal(0, uv_thread_create(&thread, rain, &done));
  run_waves(&loop, 2 * WAVE);
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  uv_thread_join(&thread);
  assert_true(caught > 0);
  uv_close((uv_handle_t*) &signal_handle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* --- several loops
 * ----------------------------------------------------------------------- */

enum { SPAWNERS = 4 };

struct spawner {
  uv_thread_t thread;
  struct small_child children[10];
  int exits;
  int failures;
};

static void spawner_exited(uv_process_t* process, int64_t status, int signal) {
  struct spawner* spawner = process->loop->data;
  const struct small_child* small = process->data;
  spawner->failures += status != small->expected || signal != 0;
  spawner->exits++;
  uv_close((uv_handle_t*) process, NULL);
}

static void spawn_in_thread(void* argument) {
  struct spawner* spawner = argument;
  uv_loop_t own = {.data = spawner};
  spawner->failures += uv_loop_init(&own) != 0;
  for (int wave = 0; wave < 5; wave++) {
    for (int i = 0; i < 10; i++) {
      spawner->failures += spawn_small(&own, &spawner->children[i], i) != 0;
      spawner->children[i].process.exit_cb = spawner_exited;
    }
    uv_run(&own, UV_RUN_DEFAULT);
  }
  spawner->failures += uv_loop_close(&own) != 0;
}

/* Each loop sees the ends of its own children, though all are children of the process. */
static void loops_in_many_threads_spawn_at_once(void** state) {
  static struct spawner spawners[SPAWNERS];
  (void) state;
  memset(spawners, 0, sizeof spawners);
  for (int i = 0; i < SPAWNERS; i++)
    assert_int_equal(
        0, uv_thread_create(&spawners[i].thread, spawn_in_thread, &spawners[i]));
  for (int i = 0; i < SPAWNERS; i++) {
    uv_thread_join(&spawners[i].thread);
    assert_int_equal(50, spawners[i].exits);
    assert_int_equal(0, spawners[i].failures);
  }
}

/* --- others who wait for our children
 * --------------------------------------------------- */

static struct child child;

/* Newer kernels still tell how it ended; on older ones it is told that nobody knows. */
static void expect_known_or_unknown(int status) {
  assert_int_equal(1, child.exits);
  if (child.status != UV_UNKNOWN)
    assert_int_equal(status, child.status);
  assert_int_equal(0, child.signal);
}

static void a_stolen_exit_is_still_told(void** state) {
  (void) state;
  child_prepare(&child, "exit 7");
  assert_int_equal(0, child_spawn(&child));
  int status;
  assert_int_equal(child.process.pid, waitpid(child.process.pid, &status, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  expect_known_or_unknown(7);
  child_close(&child);
}

static void ignored_sigchld_does_not_hide_exits(void** state) {
  (void) state;
  assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
  child_prepare(&child, "exit 9");
  assert_int_equal(0, child_spawn(&child));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
  expect_known_or_unknown(9);
  child_close(&child);
}

/* --- in processes of their own
 * ----------------------------------------------------------- */

/* Failures of cmocka's kind can't be told from a fork: the body returns its verdict. */
static void in_a_fork(int (*body)(void)) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(body());
  wait_for_success(pid);
}

/* The kernel seems not to know CLONE_PIDFD. */
static bool forbid_pidfds(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int waves_without_pidfds(void) {
  uv_loop_t own;
  if (!forbid_pidfds())
    return 0;
  if (uv_loop_init(&own) != 0)
    return 1;
  exits_in_total = 0;
  for (int wave = 0; wave < 4; wave++) {
    for (int i = 0; i < WAVE; i++)
      if (spawn_small(&own, &children[i], i) != 0)
        return 2;
    uv_run(&own, UV_RUN_DEFAULT);
  }
  if (exits_in_total != 4 * WAVE)
    return 3;
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
    return 4; /* given back when the last child had ended */
  return uv_loop_close(&own) == 0 ? 0 : 5;
}

static void exits_are_seen_without_pidfds(void** state) {
  (void) state;
  in_a_fork(waves_without_pidfds);
}

static uv_loop_t* forked_loop;

static int use_forked_loop(void) {
  if (uv_loop_fork(forked_loop) != 0)
    return 1;
  /* A sibling's end can't be waited for, so nobody waits. */
  if (uv_is_active((uv_handle_t*) &child.process) || uv_run(forked_loop, UV_RUN_DEFAULT))
    return 2;
  if (child.exits != 0)
    return 3;
  /* Children of our own can. */
  exits_in_total = 0;
  if (spawn_small(forked_loop, &children[0], 4) != 0)
    return 4;
  uv_run(forked_loop, UV_RUN_DEFAULT);
  return exits_in_total == 1 ? 0 : 5;
}

/* Contract L9. */
static void a_forked_loop_has_no_children_yet(void** state) {
  (void) state;
  child_prepare(&child, "read line");
  uv_pipe_t in;
  assert_int_equal(0, uv_pipe_init(&loop, &in, 0));
  child.options.stdio_count = 1;
  child.stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  child.stdio[0].data.stream = (uv_stream_t*) &in;
  assert_int_equal(0, child_spawn(&child));
  forked_loop = &loop;
  in_a_fork(use_forked_loop);
  assert_int_equal(1, uv_is_active((uv_handle_t*) &child.process));
  uv_close((uv_handle_t*) &in, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, child.exits); /* ours to see, once */
  child_close(&child);
}

/* Contract H3: with no room for a pipe it is an error, and nothing is left behind. With
 * room for the pipe only, the child needs nothing more. */
static void a_full_descriptor_table_is_survived(void** state) {
  struct rlimit saved;
  (void) state;
  /* The thread sanitizer has fork handlers: the child is forked, which takes a pipe. */
  if (UNDER_THREAD_SANITIZER)
    skip();
  child_prepare(&child, "exit 0");
  assert_int_equal(0, child_spawn(&child)); /* the loop has all it needs afterwards */
  uv_run(&loop, UV_RUN_DEFAULT);
  child_close(&child);

  assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &saved));
  int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
  close(next);
  for (int room = 0; room < 3; room++) {
    struct rlimit tight = {.rlim_cur = (rlim_t) (next + room),
                           .rlim_max = saved.rlim_max};
    child_prepare(&child, "echo enough");
    child_capture(&child, 1);
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &tight));
    int err = child_spawn(&child);
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &saved));
    assert_int_equal(room < 2 ? UV_EMFILE : 0, err);
    if (err != 0)
      uv_close((uv_handle_t*) &child.out, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(room < 2 ? 0 : 1, child.exits);
    assert_string_equal(room < 2 ? "" : "enough\n", child.output);
    child_close(&child);
    int again = fcntl(0, F_DUPFD_CLOEXEC, 0);
    assert_int_equal(next, again);
    close(again);
  }
}

/* A copy of 1 GB of page tables takes milliseconds; the spawn must not make one. Compared
 * with a small parent's time, with a lot of room for a busy machine. */
static void a_large_parent_spawns_as_fast(void** state) {
  const size_t size = (size_t) 1 << 30;
  uint64_t best[2] = {UINT64_MAX, UINT64_MAX};
  (void) state;
  if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)
    skip();
  char* memory = NULL;
  for (int large = 0; large < 2; large++) {
    if (large == 1) {
      memory =
          mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED)
        skip();
      madvise(memory, size, MADV_NOHUGEPAGE);
      for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
    }
    for (int i = 0; i < 20; i++) {
      child_prepare(&child, NULL);
      child.options.file = "/bin/true";
      child.args[0] = (char*) "true";
      child.args[1] = NULL;
      uint64_t start = uv_hrtime();
      assert_int_equal(0, child_spawn(&child));
      uint64_t took = uv_hrtime() - start;
      if (took < best[large])
        best[large] = took;
      uv_run(&loop, UV_RUN_DEFAULT);
      child_close(&child);
    }
  }
  munmap(memory, size);
  print_message("uv_spawn: %u us, with 1 GB resident: %u us\n",
                (unsigned int) (best[0] / 1000), (unsigned int) (best[1] / 1000));
  assert_true(best[1] < best[0] * 3 + 1000000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_setup, loop_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_thousand_exits_are_each_seen_once),
      TEST(signals_rain_while_we_spawn),
      TEST(loops_in_many_threads_spawn_at_once),
      TEST(a_stolen_exit_is_still_told),
      TEST(ignored_sigchld_does_not_hide_exits),
      TEST(exits_are_seen_without_pidfds),
      TEST(a_forked_loop_has_no_children_yet),
      TEST(a_full_descriptor_table_is_survived),
      TEST(a_large_parent_spawns_as_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
