/* Stalls of a recorded process: see live_stall.h.
 *
 * A recording is written when a stall is over, or has lasted for a second, so that one
 * that never ends has one, too. The newest of each process are kept. Recordings are paid
 * from an account: a program that stalls all the time must not keep the watcher busy. */
#include "live_stall.h"
#include "live_cpu.h"
#include "live_say.h"
#include "live_words.h"
#include "trace_words.h"
#include "script_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  FILES_KEPT = 10,      /* of one process, */
  FILES_KEPT_ALL = 100, /* and of all that the watcher has seen */
  COMMANDS_MOST = 4,    /* at once */
};

static const uint64_t FILE_AFTER_NS = 1000000000; /* the beginning of a long stall */
static const uint64_t LOOK_LEAST_NS = 10000000, LOOK_MOST_NS = 50000000;

struct stall_file {
  char* path;
  int pid;
  dev_t device;
  ino_t inode;
};

static struct {
  const struct watch_options* options;
  struct stall_file files[FILES_KEPT_ALL + 1]; /* the oldest first */
  size_t file_count;
  int64_t credit_ns; /* processor time for recordings */
  uint64_t paid_ns;  /* when it was last paid in */
  unsigned int commands;
  bool too_many; /* commands, which has been reported */
} stalls;

static const int64_t CREDIT_MOST_NS = 100000000, CREDIT_STALL_NS = 3000000;
static const uint64_t CREDIT_SHARE = 200; /* of the time that passes: half a percent */

void stalls_open(const struct watch_options* options) {
  stalls.options = options;
  stalls.credit_ns = CREDIT_MOST_NS;
  stalls.paid_ns = live_now_ns();
}

/* --- recordings ----------------------------------------------------------------------
 */

static uint64_t processor_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (uint64_t) used.tv_sec * 1000000000 + (uint64_t) used.tv_nsec;
}

static void credit_pay_in(int64_t more) {
  uint64_t now = live_now_ns();
  stalls.credit_ns += more + (int64_t) ((now - stalls.paid_ns) / CREDIT_SHARE);
  stalls.paid_ns = now;
  if (stalls.credit_ns > CREDIT_MOST_NS)
    stalls.credit_ns = CREDIT_MOST_NS;
}

/* A file that somebody has replaced isn't ours to remove. */
static void file_drop(size_t index) {
  struct stall_file* file = &stalls.files[index];
  struct stat status;
  if (lstat(file->path, &status) == 0 && status.st_dev == file->device &&
      status.st_ino == file->inode)
    unlink(file->path);
  free(file->path);
  stalls.file_count--;
  memmove(file, file + 1, (stalls.file_count - index) * sizeof(*file));
}

static void files_rotate(int pid) {
  size_t own = 0, oldest = 0;
  for (size_t i = stalls.file_count; i > 0; i--) {
    if (stalls.files[i - 1].pid != pid)
      continue;
    own++;
    oldest = i - 1;
  }
  if (own > FILES_KEPT)
    file_drop(oldest);
  if (stalls.file_count > FILES_KEPT_ALL)
    file_drop(0);
}

static void file_keep(const char* path, int pid) {
  struct stat status;
  if (lstat(path, &status) != 0)
    return;
  stalls.files[stalls.file_count++] = (struct stall_file){
      text_copy(path, strlen(path)), pid, status.st_dev, status.st_ino};
  files_rotate(pid);
}

/* Written a second time, the file is another one of the same name. */
static void file_kept_again(const char* path) {
  struct stat status;
  for (size_t i = 0; i < stalls.file_count && lstat(path, &status) == 0; i++) {
    if (strcmp(stalls.files[i].path, path) != 0)
      continue;
    stalls.files[i].device = status.st_dev;
    stalls.files[i].inode = status.st_ino;
  }
}

static bool stall_write_down(struct stall* stall, struct live_ring* ring) {
  char written[PATH_MAX];
  bool again = *stall->file != '\0';
  uint64_t before = processor_ns();
  if (!live_ring_dump(ring, again ? stall->file : NULL, stalls.options->folder, written,
                      sizeof(written))) {
    stalls.credit_ns = -CREDIT_MOST_NS; /* the next will hardly fare better */
    return false;
  }
  stalls.credit_ns -= (int64_t) (processor_ns() - before);
  if (again) {
    file_kept_again(stall->file);
    return true;
  }
  memcpy(stall->file, written, sizeof(written));
  file_keep(written, ring->pid);
  return true;
}

/* --- the command ---------------------------------------------------------------------
 */

/* As it would run without us: in the environment of before, with the signals of before.
 */
static _Noreturn void command_become(const struct stall* stall, int pid) {
  const struct watch_options* options = stalls.options;
  char number[16];
  snprintf(number, sizeof(number), "%d", pid);
  if (options->environment != NULL)
    environ = options->environment;
  setenv("RONDO_STALL_PID", number, 1);
  setenv("RONDO_STALL_LINE", stall->line, 1);
  setenv("RONDO_STALL_FILE", stall->file, 1);
  unsetenv("RONDO_RECORD");
  unsetenv("RONDO_RECORD_WATCHER");
  watch_signals_restore();
  execl("/bin/sh", "sh", "-c", options->command, (char*) NULL);
  _exit(127);
}

static void commands_reap(void) {
  while (stalls.commands > 0 && waitpid(-1, NULL, WNOHANG) > 0)
    stalls.commands--;
}

static void command_run(struct stall* stall, int pid) {
  if (stall->line == NULL)
    return;
  commands_reap();
  if (stalls.options->command != NULL && stalls.commands < COMMANDS_MOST) {
    pid_t child = fork();
    if (child == 0)
      command_become(stall, pid);
    stalls.commands += child > 0;
  } else if (stalls.options->command != NULL && !stalls.too_many) {
    stalls.too_many = true;
    say_format("the command of --stall-run runs %d times at once already: it isn't run "
               "for every stall",
               COMMANDS_MOST);
  }
  free(stall->line);
  stall->line = NULL;
}

/* --- one stall -----------------------------------------------------------------------
 */

struct line {
  char* text;
  size_t length;
  FILE* out;
};

static bool line_begin(struct line* line) {
  *line = (struct line){0};
  line->out = open_memstream(&line->text, &line->length);
  return line->out != NULL;
}

static void line_say(struct line* line) {
  fclose(line->out);
  say(line->text);
  free(line->text);
}

void stall_forget(struct stall* stall) {
  free(stall->line);
  *stall = (struct stall){0};
}

static bool stall_goes_on(const struct stall* stall, const struct live_ring* ring) {
  const struct board_loop* live = &ring->board->loops[stall->place];
  return __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE) == stall->since;
}

/* `words`: what to say of it, if the ring doesn't know how long it was. Only the ring
 * does, and what its thread had of the processor in all of it. */
static void stall_report_over(struct stall* stall, struct live_ring* ring,
                              const char* words) {
  const struct board_loop* live = &ring->board->loops[stall->place];
  struct live_stretch over =
      live_stretch_over(ring, live->number, stall->since, stall->at);
  struct line line;
  char time[TIME_SIZE];
  bool had_file = *stall->file != '\0';
  bool written = (had_file || stalls.credit_ns > 0) && stall_write_down(stall, ring);
  if (!line_begin(&line))
    return;
  fprintf(line.out, "%s process %d", words, ring->pid);
  if (over.found) {
    fprintf(line.out, " after %s", time_text(time, over.length_ns));
    write_cpu(line.out, &over.cpu, over.length_ns, over.collected_ns, stall->waits);
  }
  if (written)
    fprintf(line.out, "; its last seconds are in %s", stall->file);
  else if (had_file)
    fprintf(line.out, "; %s has its beginning", stall->file);
  line_say(&line);
  command_run(stall, ring->pid);
  stall_forget(stall);
}

uint64_t stall_look(struct stall* stall, struct live_ring* ring) {
  commands_reap();
  if (stall->since == 0)
    return UINT64_MAX;
  if (!stall_goes_on(stall, ring)) {
    stall_report_over(stall, ring, "it is over for");
    return UINT64_MAX;
  }
  uint64_t now = live_now_ns();
  uint64_t held = now > stall->since ? now - stall->since : 0;
  if (held >= FILE_AFTER_NS && stall->line != NULL) {
    (void) stall_write_down(stall, ring);
    command_run(stall, ring->pid);
  }
  uint64_t next = held / 8;
  return next < LOOK_LEAST_NS ? LOOK_LEAST_NS : next > LOOK_MOST_NS ? LOOK_MOST_NS : next;
}

void stall_end(struct stall* stall, struct live_ring* ring) {
  if (stall->since == 0)
    return;
  stall_report_over(stall, ring,
                    stall_goes_on(stall, ring) ? "it ended with" : "it is over for");
}

/* Another stall is reported, and may be that of another loop: this one's file is named
 * now, whether it is over or not. */
static void stall_leave(struct stall* stall, struct live_ring* ring) {
  (void) stall_look(stall, ring);
  if (stall->since != 0 && *stall->file != '\0')
    say_format("the last seconds of process %d are in %s", ring->pid, stall->file);
  stall_forget(stall);
}

void stall_begin(struct stall* stall, struct live_ring* ring, uint32_t place,
                 uint64_t looked_ns, uint64_t held_ns) {
  char time[SAY_TIME_SIZE];
  struct line line;
  stall_leave(stall, ring);
  if (live_place(ring, place) == NULL || !line_begin(&line))
    return;
  credit_pay_in(CREDIT_STALL_NS);
  stall->place = place;
  stall->since = looked_ns;
  stall->at = looked_ns + held_ns - 1;
  stall->waits = live_write_stall(line.out, ring, place, looked_ns, held_ns);
  fflush(line.out);
  if (line.text != NULL &&
      asprintf(&stall->line, "rondo: %s %s", say_time(time), line.text) < 0)
    stall->line = NULL;
  line_say(&line);
  for (const char* problem; (problem = script_problem_next()) != NULL;)
    say(problem);
}
