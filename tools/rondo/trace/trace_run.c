/* Runs the program as a child, with RONDO_TRACE naming a temporary folder: the program
 * and its children record into one file each. Signals from the terminal (Ctrl-C) reach
 * the child too; the command stays, to show what it did. */
#include "trace_run.h"
#include "trace_words.h"
#include "trace_write.h"

#include "exec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static void pass_on(int number) {
  if (child > 0)
    kill((pid_t) child, number);
}

/* A signal from the terminal has reached the child already, so it isn't passed on. */
static void pass_on_unless_typed(int number, siginfo_t* info, void* context) {
  (void) context;
  if (info->si_code != SI_KERNEL)
    pass_on(number);
}

static const int terminal_signals[] = {SIGINT, SIGQUIT};
static const int passed_signals[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

static void signals_set(void) {
  struct sigaction typed = {.sa_sigaction = pass_on_unless_typed,
                            .sa_flags = SA_RESTART | SA_SIGINFO};
  struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof(terminal_signals) / sizeof(terminal_signals[0]); i++)
    sigaction(terminal_signals[i], &typed, NULL);
  for (size_t i = 0; i < sizeof(passed_signals) / sizeof(passed_signals[0]); i++) {
    struct sigaction before;
    sigaction(passed_signals[i], &pass, &before);
    if (before.sa_handler == SIG_IGN) /* nohup */
      sigaction(passed_signals[i], &before, NULL);
  }
}

/* A second Ctrl-C must not prevent the picture; other signals may end the command now. */
static void signals_of_our_own(void) {
  for (size_t i = 0; i < sizeof(passed_signals) / sizeof(passed_signals[0]); i++) {
    struct sigaction now;
    if (sigaction(passed_signals[i], NULL, &now) == 0 && now.sa_handler == pass_on)
      signal(passed_signals[i], SIG_DFL);
  }
  signal(SIGQUIT, SIG_DFL);
  signal(SIGPIPE, SIG_IGN); /* EPIPE is handled as an error instead */
}

static uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static char* folder_make(void) {
  const char* base = getenv("TMPDIR");
  size_t size = strlen(base == NULL || * base == '\0' ? base = "/tmp" : base) + 32;
  char* folder = malloc(size);
  if (folder == NULL)
    return NULL;
  snprintf(folder, size, "%s/rondo-trace-XXXXXX", base);
  if (mkdtemp(folder) == NULL) {
    fprintf(stderr, "rondo: %s: %s\n", folder, strerror(errno));
    free(folder);
    return NULL;
  }
  return folder;
}

/* A % in the folder's name would have a meaning in RONDO_TRACE. */
static bool environment_set(const struct trace_run* run) {
  char pattern[8192], limit[24];
  size_t used = 0;
  for (const char* at = run->folder; *at != '\0' && used + 32 < sizeof(pattern); at++) {
    if (*at == '%')
      pattern[used++] = '%';
    pattern[used++] = *at;
  }
  snprintf(pattern + used, sizeof(pattern) - used, "/%%p.rtrace");
  snprintf(limit, sizeof(limit), "%llu", (unsigned long long) run->limit);
  return setenv("RONDO_TRACE", pattern, 1) == 0 &&
         (run->limit == 0 || setenv("RONDO_TRACE_LIMIT", limit, 1) == 0);
}

static void child_run(const struct trace_run* run, const sigset_t* mask) {
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (run->script) {
    char own[PATH_MAX] = "rondo";
    if (exec_find_self(own))
      execv(own, run->argv);
    fprintf(stderr, "rondo: %s: %s\n", own, strerror(errno));
    _exit(126);
  }
  _exit(exec_become(run->argv));
}

/* A stopped program has done nothing meanwhile, which no record of its own shows. */
static void report_stopped(struct trace_run* run, uint64_t since_ns) {
  uint64_t now = clock_ns();
  run->stops =
      array_grow(run->stops, run->stop_count, &run->stop_capacity, sizeof(*run->stops));
  run->stops[run->stop_count++] = (struct stop){since_ns, now};
  char length[TIME_SIZE], begin[TIME_SIZE];
  fprintf(stderr,
          "rondo: the program was stopped for %s, from %s after its start on (SIGSTOP, "
          "Ctrl-Z or "
          "a debugger): whatever was under way then lasted so much longer\n",
          time_text(length, now - since_ns), time_text(begin, since_ns - run->began_ns));
}

/* False if the child can't be waited for. If this command was stopped together with the
 * program, as by Ctrl-Z, the kernel may report no more than that the program goes on. */
static bool wait_for_end(struct trace_run* run, pid_t pid, int* status) {
  uint64_t stopped_ns = 0;
  for (;;) {
    if (waitpid(pid, status, WUNTRACED | WCONTINUED) < 0) {
      if (errno != EINTR)
        return false;
    } else if (WIFSTOPPED(*status)) {
      stopped_ns = clock_ns();
    } else {
      if (stopped_ns != 0)
        report_stopped(run, stopped_ns);
      else if (WIFCONTINUED(*status))
        fputs("rondo: the program was stopped for a while, this command too\n", stderr);
      stopped_ns = 0;
      if (!WIFCONTINUED(*status))
        return true;
    }
  }
}

bool trace_run(struct trace_run* run) {
  sigset_t all, before;
  run->status = 1;
  run->janitor = (struct janitor){.fd = -1};
  run->folder = folder_make();
  if (run->folder == NULL || !environment_set(run) ||
      (!run->script && !exec_prepare(run->argv[0])))
    return false;
  if (!run->script)
    run->argv = exec_name_functions(run->argv);
  run->janitor = janitor_start(run->folder);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t pid = fork();
  if (pid == 0)
    child_run(run, &before);
  child = (sig_atomic_t) pid;
  if (pid > 0)
    signals_set();
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) {
    fprintf(stderr, "rondo: no process for %s: %s\n", run->argv[0], strerror(errno));
    return false;
  }
  int status;
  run->began_ns = clock_ns();
  if (!wait_for_end(run, pid, &status))
    return false;
  child = 0;
  run->ended_ns = clock_ns();
  signals_of_our_own();
  run->pid = pid;
  run->status = status;
  return true;
}

/* --- what it left ------------------------------------------------------------------ */

static char* path_in(const char* folder, const char* name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char* path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}

/* When the process that wrote this file was last seen; 0 if that isn't known. The time is
 * known for processes that still run and for the child, unless the child has exec'd: then
 * the child has made a second file. */
static uint64_t last_seen(const struct trace_run* run, const char* name,
                          const char* path) {
  char second[64];
  if (recording_is_being_written(path))
    return clock_ns();
  snprintf(second, sizeof(second), "%d.rtrace.2", run->pid);
  char* successor = path_in(run->folder, second);
  bool replaced = successor != NULL && access(successor, F_OK) == 0;
  free(successor);
  return strtol(name, NULL, 10) != run->pid || replaced ? 0 : run->ended_ns;
}

/* Facts that are known of the child alone, and are in none of its records. */
static void process_set_stops(const struct trace_run* run,
                              struct trace_process* process) {
  if ((int) process->pid != run->pid || run->stop_count == 0)
    return;
  process->stops = malloc(run->stop_count * sizeof(*run->stops));
  if (process->stops == NULL)
    out_of_memory();
  memcpy(process->stops, run->stops, run->stop_count * sizeof(*run->stops));
  process->stop_count = run->stop_count;
}

/* Adds one recording, also to the file to be kept unless writing that has failed. */
static void collect_file(const struct trace_run* run, struct trace* trace,
                         const char* name, FILE* kept, bool* keeping) {
  char* path = path_in(run->folder, name);
  if (path == NULL)
    return;
  trace->seen_ns = last_seen(run, name, path);
  const char* problem = trace_read(trace, path);
  if (problem != NULL)
    fprintf(stderr, "rondo: %s: %s\n", path, problem);
  if (problem == NULL)
    process_set_stops(run, trace->processes[trace->process_count - 1]);
  if (problem == NULL && kept != NULL && *keeping)
    *keeping = trace_copy(kept, path, trace->processes[trace->process_count - 1],
                          trace->seen_ns);
  free(path);
}

/* A recording has paths of requests in it, so it is its user's alone; also one that was
 * there before. */
static FILE* recording_create(const char* path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
  FILE* file = fd < 0 || fchmod(fd, 0600) != 0 ? NULL : fdopen(fd, "wb");
  if (fd >= 0 && file == NULL)
    close(fd);
  return file;
}

bool trace_collect(const struct trace_run* run, struct trace* trace, const char* keep) {
  DIR* folder = opendir(run->folder);
  FILE* kept = keep == NULL ? NULL : recording_create(keep);
  bool keeping = keep == NULL || kept != NULL;
  int err = errno;
  const struct dirent* entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    bool before = keeping;
    if (entry->d_name[0] != '.')
      collect_file(run, trace, entry->d_name, kept, &keeping);
    err = before && !keeping ? errno : err;
  }
  if (kept != NULL && fclose(kept) != 0 && keeping) {
    err = errno;
    keeping = false;
  }
  if (!keeping)
    fprintf(stderr, "rondo: %s: %s\n", keep, strerror(err));
  if (folder != NULL)
    closedir(folder);
  trace_sort(trace);
  return keeping;
}

void trace_run_forget(struct trace_run* run) {
  if (run->folder != NULL)
    recordings_remove(run->folder);
  janitor_dismiss(&run->janitor); /* also of a folder that is to stay */
  free(run->folder);
  free(run->stops);
  run->folder = NULL;
  run->stops = NULL;
}
