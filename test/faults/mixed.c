/* A program that uses the loop in every way at once, for the injector (inject.c):
 * whatever system call fails in it, it has to end by itself, with every request called
 * back and every handle closed. Its working directory is its playground.
 *
 * mixed [PATIENCE [PART]...]: after so many milliseconds without any callback (1000) it
 * closes what is open and names the parts that wait still. The parts named are left out.
 * One line says how it went. */
#include "mixed.h"

#include "faults.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static const char* const part_names[PARTS] = {
    "files",   "directories", "tcp",      "pipe",   "udp",     "udp_many",
    "passing", "child",       "no_child", "signal", "pool",    "async",
    "watch",   "poll",        "names",    "timers", "terminal"};

uv_loop_t mixed_loop;

static struct {
  int begun;
  int answered;
  int opened;
  int closed;
  unsigned int callbacks;
  bool over[PARTS];
  bool stalled[PARTS];
} tally;

static uv_timer_t patience_timer;
static unsigned int callbacks_before;

bool request_begun(int result) {
  tally.begun++;
  tally.answered += result != 0;
  return result == 0;
}

void request_answered(void) {
  tally.answered++;
  mixed_progress();
}

void handle_opened(void) {
  tally.opened++;
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
  tally.closed++;
  mixed_progress();
}

void handle_close(void* handle) {
  if (!uv_is_closing(handle))
    uv_close(handle, on_close);
}

void mixed_progress(void) {
  tally.callbacks++;
}

bool part_is_over(enum part part) {
  return tally.over[part];
}

void part_over(enum part part) {
  tally.over[part] = true;
  for (int i = 0; i < PARTS; i++)
    if (!tally.over[i])
      return;
  handle_close(&patience_timer);
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  handle_close(handle);
}

static void on_patience(uv_timer_t* timer) {
  (void) timer;
  if (tally.callbacks != callbacks_before) {
    callbacks_before = tally.callbacks;
    return;
  }
  for (int i = 0; i < PARTS; i++)
    tally.stalled[i] = !tally.over[i];
  uv_walk(&mixed_loop, close_any, NULL);
}

static int descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL)
    return -1;
  while (readdir(folder) != NULL)
    count++;
  closedir(folder);
  return count;
}

static void tcp_begin(void) {
  streams_begin(PART_TCP);
}

static void pipe_begin(void) {
  streams_begin(PART_PIPE);
}

static void udp_one_begin(void) {
  udp_begin(PART_UDP);
}

static void udp_many_begin(void) {
  udp_begin(PART_UDP_MANY);
}

static void (*const part_begins[PARTS])(void) = {
    files_begin,    directories_begin, tcp_begin,   pipe_begin,     udp_one_begin,
    udp_many_begin, passing_begin,     child_begin, no_child_begin, signal_begin,
    pool_begin,     async_begin,       watch_begin, poll_begin,     names_begin,
    timers_begin,   terminal_begin};

static void begin_all(void) {
  for (int i = 0; i < PARTS; i++)
    if (!tally.over[i])
      part_begins[i]();
}

static void leave_out(const char* name) {
  for (int i = 0; i < PARTS; i++)
    if (strcmp(part_names[i], name) == 0)
      tally.over[i] = true;
}

/* The loop's error, or uv_loop_close's. */
static int mixed_run(unsigned int patience) {
  int err = uv_loop_init(&mixed_loop);
  if (err != 0)
    return err;
  err = uv_timer_init(&mixed_loop, &patience_timer);
  handle_opened();
  uv_timer_start(&patience_timer, on_patience, patience, patience);
  begin_all();
  uv_run(&mixed_loop, UV_RUN_DEFAULT);
  async_end();
  return uv_loop_close(&mixed_loop);
}

static long processor_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static int report(int err, int leaked, long cpu) {
  bool lost = tally.begun != tally.answered || tally.opened != tally.closed;
  printf(
      "mixed begun=%d answered=%d opened=%d closed=%d leaked=%d cpu=%ld loop=%s stalled=",
      tally.begun, tally.answered, tally.opened, tally.closed, leaked, cpu,
      err == 0 ? "ok" : uv_err_name(err));
  for (int i = 0; i < PARTS; i++)
    if (tally.stalled[i])
      printf("%s,", part_names[i]);
  printf("\n");
  return lost ? 1 : 0;
}

int main(int argc, char** argv) {
  unsigned int patience = argc > 1 ? (unsigned int) atoi(argv[1]) : 1000;
  for (int i = 2; i < argc; i++)
    leave_out(argv[i]);
  signal(SIGPIPE, SIG_IGN);
  int before = descriptors();
  prctl(FAULTS_PRCTL, FAULTS_BEGIN, 0, 0, 0);
  int err = mixed_run(patience);
  uv_library_shutdown();
  prctl(FAULTS_PRCTL, FAULTS_END, 0, 0, 0);
  return report(err, descriptors() - before, processor_ms());
}
