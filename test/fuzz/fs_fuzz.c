/* usage: fs_fuzz SEED
 *
 * Does random things with files, in the directory it is started in, which must be empty:
 * every uv_fs_… function, with good and bad paths, descriptors, flags, offsets, buffers
 * and times, synchronously and asynchronously, one after the other and many at once, on
 * one loop and on several threads; reads in hundreds (fs_bursts.c); and asks for what
 * else passes through the loop. The seed decides all of it. Root becomes nobody first, so
 * that permissions count.
 *
 * It uses nothing newer than libuv 1.44 and prints every result, so that two libraries
 * can be compared by their output (test/fuzz/run --files). What differs by nature is told
 * in other words (fs_print.c): descriptors, inodes, times of today. Kept out of it is
 * - what waits for ever: FIFOs without a writer, pipes that are full or empty, copies of
 *   files of terabytes;
 * - NULL as a path, which libuv 1.44 ends the program for; times that are NaN or
 * infinite, which mean something since 1.51 only; error codes named since then;
 * - a copy onto a device or another odd thing: libuv refuses it with UV_EINVAL and then
 *   removes what it was asked to copy to, be it /dev/null. We don't remove it;
 * - cancelling file work behind a busy pool when none of it waits there yet: we may have
 *   done it at once and say UV_EBUSY;
 * - which path a second watcher of a file was given: libuv knows the first one's only;
 * - UV_FS_EVENT_RECURSIVE, which libuv ignores on Linux;
 * - times of access while many calls are under way, and who gets the last descriptor;
 * - what is read while the file is truncated or closed, beyond what both leave no doubt
 *   of: it is a race in any library. */
#include "fs_fuzz.h"

#include "../unit/sanitizers.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHAINS_MAX = 12, NOBODY = 65534, HOGS_MAX = 4096 };

static struct chain chains[CHAINS_MAX];

void expect_at(bool condition, const char* text, const char* file, int line) {
  if (condition)
    return;
  fflush(stdout);
  fprintf(stderr, "%s:%d: expected %s (%s)\n", file, line, text, strerror(errno));
  abort();
}

unsigned int roll(uint64_t* seed, unsigned int count) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (unsigned int) ((*seed * 0x2545f4914f6cdd1d) >> 33) % count;
}

unsigned int pick(struct chain* chain, unsigned int count) {
  return roll(&chain->seed, count);
}

/* --- A chain's steps -------------------------------------------------------------- */

static void chain_go_on(struct chain* chain);

static void end_calls(struct chain* chain) {
  for (int i = 0; i < chain->count; i++)
    print_call(&chain->calls[i]);
  for (int i = 0; i < chain->count; i++)
    call_end(&chain->calls[i]);
  chain->count = 0;
}

static void on_done(uv_fs_t* req) {
  struct call* call = req->data;
  struct chain* chain = call->chain;
  expect(req == &call->request && chain->waiting > 0);
  if (--chain->waiting > 0)
    return;
  end_calls(chain);
  chain_go_on(chain);
}

/* Some calls under way at once, or one call; those that are over when this returns are
 * counted off. */
static void chain_step(struct chain* chain) {
  bool quiet = pick(chain, 8) == 0;
  int wanted = quiet ? 2 + (int) pick(chain, BURST_MAX - 2) : 1;
  chain->count = 0;
  while (chain->count < wanted) {
    struct call* call = &chain->calls[chain->count];
    call->chain = chain;
    if (!call_choose(call, quiet))
      continue;
    chain->count++;
    chain->waiting++; /* before the call: nothing may come from inside it, and that shows
                       */
    int before = chain->waiting;
    call_make(call, on_done);
    expect(chain->waiting == before);
    if (call->form != ASYNC || call->returned < 0)
      chain->waiting--;
  }
}

static void chain_go_on(struct chain* chain) {
  while (chain->waiting == 0 && chain->steps_left-- > 0) {
    if (pick(chain, 12) == 0)
      other_act(chain);
    else
      chain_step(chain);
    if (chain->waiting == 0)
      end_calls(chain);
  }
}

static void chain_begin(struct chain* chain, int number, uint64_t seed, int steps) {
  chain->number = number;
  chain->seed = (seed * 64 + (uint64_t) number) * 0x9e3779b97f4a7c15 + 1;
  chain->steps_left = steps;
  chain->log = open_memstream(&chain->text, &chain->text_size);
  chain->calls = calloc(BURST_MAX, sizeof(struct call));
  expect(chain->log != NULL && chain->calls != NULL);
  for (int i = 0; i < 10; i++)
    pick(chain, 2);
  world_make(chain);
}

static void chain_end(struct chain* chain) {
  expect(chain->waiting == 0 && chain->steps_left <= 0);
  if (chain->dir != NULL) {
    uv_fs_t req;
    expect(uv_fs_closedir(NULL, &req, chain->dir, NULL) == 0);
    uv_fs_req_cleanup(&req);
  }
  world_end(chain);
  expect(fclose(chain->log) == 0);
  fwrite(chain->text, 1, chain->text_size, stdout);
  free(chain->text);
  free(chain->calls);
}

static uint64_t most_in_a_file = RLIM_INFINITY;

/* Not before the chains have made their files. */
static void limit_files(void) {
  struct rlimit size = {.rlim_cur = most_in_a_file, .rlim_max = RLIM_INFINITY};
  if (most_in_a_file != RLIM_INFINITY)
    expect(setrlimit(RLIMIT_FSIZE, &size) == 0);
}

/* --- The ways to run them --------------------------------------------------------- */

static void run_loop(uv_loop_t* loop) {
  expect(uv_run(loop, UV_RUN_DEFAULT) == 0);
  expect(uv_loop_close(loop) == 0);
}

static void run_on_one_loop(int count, uint64_t seed, int steps) {
  uv_loop_t loop;
  expect(uv_loop_init(&loop) == 0);
  for (int i = 0; i < count; i++) {
    chain_begin(&chains[i], i, seed, steps);
    chains[i].loop = &loop;
    chains[i].alone = count == 1;
  }
  limit_files();
  for (int i = 0; i < count; i++)
    chain_go_on(&chains[i]);
  run_loop(&loop);
  for (int i = 0; i < count; i++)
    chain_end(&chains[i]);
}

static void run_thread(void* argument) {
  struct chain* chain = argument;
  uv_loop_t loop;
  expect(uv_loop_init(&loop) == 0);
  chain->loop = &loop;
  chain_go_on(chain);
  run_loop(&loop);
}

static void run_bursts(void* argument) {
  struct chain* chain = argument;
  uv_loop_t loop;
  expect(uv_loop_init(&loop) == 0);
  chain->loop = &loop;
  scene_bursts(chain);
  expect(uv_loop_close(&loop) == 0);
}

static void run_on_threads(uv_thread_cb run, int count, uint64_t seed, int steps) {
  uv_thread_t threads[CHAINS_MAX];
  for (int i = 0; i < count; i++)
    chain_begin(&chains[i], i, seed, steps);
  limit_files();
  for (int i = 0; i < count; i++)
    expect(uv_thread_create(&threads[i], run, &chains[i]) == 0);
  for (int i = 0; i < count; i++)
    expect(uv_thread_join(&threads[i]) == 0);
  for (int i = 0; i < count; i++)
    chain_end(&chains[i]);
}

/* One chain, which runs out of descriptors for a while. */
static void run_without_descriptors(uint64_t seed, int steps) {
  static int hogs[HOGS_MAX];
  int count = 0;
  uv_loop_t loop;
  struct chain* chain = &chains[0];
  expect(uv_loop_init(&loop) == 0);
  chain_begin(chain, 0, seed, steps / 3);
  chain->loop = &loop;
  chain_go_on(chain);
  expect(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  fprintf(chain->log, "no descriptors from here\n");
  while (count < HOGS_MAX && (hogs[count] = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0)
    count++;
  chain->steps_left = steps / 3;
  chain->poor = true;
  chain_go_on(chain);
  expect(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  chain->poor = false;
  while (count > 0)
    close(hogs[--count]);
  fprintf(chain->log, "descriptors again\n");
  chain->steps_left = steps / 3;
  chain_go_on(chain);
  run_loop(&loop);
  chain_end(chain);
}

static void run_bursts_alone(uint64_t seed) {
  chain_begin(&chains[0], 0, seed, 0);
  chains[0].alone = true;
  run_bursts(&chains[0]);
  chain_end(&chains[0]);
}

static void run_scene(uint64_t seed) {
  uv_loop_t loop;
  struct chain* chain = &chains[0];
  expect(uv_loop_init(&loop) == 0);
  chain_begin(chain, 0, seed, 0);
  chain->loop = &loop;
  switch (pick(chain, 10)) {
  case 0:
    scene_poll(chain);
    break;
  case 1:
  case 2:
  case 3:
    scene_events(chain);
    break;
  default:
    scene_cancel(chain);
  }
  run_loop(&loop);
  chain_end(chain);
}

/* --- The start -------------------------------------------------------------------- */

static void become_nobody(void) {
  if (getuid() != 0)
    return;
  expect(chown(".", NOBODY, NOBODY) == 0 && setgroups(0, NULL) == 0 &&
         setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
         setresuid(NOBODY, NOBODY, NOBODY) == 0);
  /* Whoever looks for leaks must still be able to look. */
  expect(prctl(PR_SET_DUMPABLE, 1) == 0);
}

static void set_up(struct chain* dice) {
  struct rlimit files;
  expect(getrlimit(RLIMIT_NOFILE, &files) == 0);
  if (files.rlim_cur > 1024)
    files.rlim_cur = 1024;
  if (pick(dice, 8) == 0)
    most_in_a_file = 20000 + pick(dice, 400000);
  expect(setrlimit(RLIMIT_NOFILE, &files) == 0);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  umask(022);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: fs_fuzz SEED\n");
    return 2;
  }
  uint64_t seed = strtoull(argv[1], NULL, 10);
  struct chain dice = {.seed = seed * 0x9e3779b97f4a7c15 + 1};
  for (int i = 0; i < 10; i++)
    pick(&dice, 2);
  alarm(60);
  become_nobody();
  char directory[] = "world";
  expect(mkdir(directory, 0755) == 0 && chdir(directory) == 0);
  set_up(&dice);
  switch (pick(&dice, 11)) {
  case 0:
#if UNDER_THREAD_SANITIZER
    /* It doesn't see what openat2(2) opens, and takes a number that two threads have had
     * one after the other for a race. */
    run_on_one_loop(2 + (int) pick(&dice, 4), seed, 40);
    break;
#endif
    run_on_threads(run_thread, 2 + (int) pick(&dice, 4), seed, 40);
    break;
  case 1:
  case 2:
    run_on_one_loop(2 + (int) pick(&dice, CHAINS_MAX - 2), seed, 40);
    break;
  case 3:
    run_without_descriptors(seed, 150);
    break;
  case 4:
  case 5:
    run_scene(seed);
    break;
  case 6:
    most_in_a_file = RLIM_INFINITY;
    run_on_threads(run_bursts, 2 + (int) pick(&dice, 3), seed, 0);
    break;
  case 7:
  case 8:
    run_bursts_alone(seed);
    break;
  default:
    run_on_one_loop(1, seed, 200);
  }
  return 0;
}
