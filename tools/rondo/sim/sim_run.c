/* The program runs as our child, in a session of its own, so that a terminal can't stop
 * it; or, if it is shown in a terminal, in our process group. Its folder has the world's
 * memory, a FIFO by which a process of the world reports that it has come to an
 * end, the decisions of each process and, unless it is shown, the output. */
#include "sim_run.h"

#include "exec.h"
#include "sim_folder.h"
#include "sim_isolate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_KEPT = 1 << 20 };

static char* run_path(const struct sim_run* run, const char* name) {
  size_t size = strlen(run->folder) + strlen(name) + 2;
  char* path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s/%s", run->folder, name);
  return path;
}

/* --- starting ----------------------------------------------------------------------- */

static bool world_write(const struct sim_plan* plan, struct sim_run* run) {
  char* path = run_path(run, "world");
  int fd = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  free(path);
  if (fd < 0)
    return false;
  /* Memory that the file system doesn't have when it is written to is a SIGBUS. */
  int err = posix_fallocate(fd, 0, (off_t) sizeof(struct world));
  struct world* world = MAP_FAILED;
  if (err == 0)
    world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (err != 0)
    errno = err;
  if (world == MAP_FAILED)
    return false;
  world_prepare(world, run->seed);
  snprintf(world->folder, sizeof(world->folder), "%s", run->folder);
  world->flags =
      (plan->time_only ? WORLD_TIME_ONLY : 0u) | (plan->verbose ? WORLD_VERBOSE : 0u) |
      (plan->fault_rate != 0 ? WORLD_FAULTS : 0u) | (plan->expire ? WORLD_EXPIRE : 0u) |
      (run->allow_some ? WORLD_ALLOW : 0u) | (plan->show ? WORLD_SHOWN : 0u) |
      (plan->steps ? WORLD_STEPS : 0u) | (run->is_systematic ? WORLD_CHOICES : 0u);
  world->taken_count = (uint32_t) run->choice_count;
  if (run->choice_count > 0)
    memcpy(world->taken, run->choices, run->choice_count * sizeof(*run->choices));
  world->step_permit = plan->runs_on ? UINT64_MAX : 0;
  world->fault_rate = plan->fault_rate;
  world->fault_kinds = plan->fault_kinds;
  world->longest = plan->longest_ns;
  world->outside_ns = plan->outside_ns;
  if (plan->show)
    world_set_input(world, STDIN_FILENO);
  world->wall_start = plan->wall_start * WORLD_SECOND;
  if (plan->limit_ns != 0)
    world->limit = world->start + plan->limit_ns;
  run->world = world;
  return true;
}

static bool allowed_write(const struct sim_run* run) {
  if (!run->allow_some)
    return true;
  char* path = run_path(run, "allow");
  FILE* file = path == NULL ? NULL : fopen(path, "we");
  free(path);
  if (file == NULL)
    return false;
  for (size_t i = 0; i < run->allowed_count; i++)
    fprintf(file, "%s\n", run->allowed[i]);
  return fclose(file) == 0;
}

static bool ended_open(struct sim_run* run) {
  char* path = run_path(run, "ended");
  bool made = path != NULL && mkfifo(path, 0600) == 0;
  run->ended_fd = made ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
  free(path);
  return run->ended_fd >= 0;
}

static void child_redirect(const struct sim_plan* plan, const struct sim_run* run) {
  char* path = run_path(run, "output");
  int fd =
      path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int null = open(plan->input == NULL ? "/dev/null" : plan->input, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || null < 0)
    _exit(126);
  dup2(null, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
}

/* A process group of its own would be in the terminal's background, and stop as soon as
 * it reads from the terminal or sets its mode. */
static bool has_terminal(const struct sim_plan* plan) {
  int fd = plan->show ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void child_become(const struct sim_plan* plan, const struct sim_run* run) {
  int err = run->isolate ? sim_isolate_enter(run->folder) : 0;
  if (err != 0)
    run->world->not_isolated = (uint32_t) err;
  if (!run->has_terminal)
    setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  personality(ADDR_NO_RANDOMIZE); /* addresses are part of what must be the same */
  setenv("RONDO_SIM", run->folder, 1);
  char* record = plan->steps ? run_path(run, "trace") : NULL;
  if (plan->steps) { /* no samples, and JavaScriptCore's helpers have no part in it */
    setenv("RONDO_TRACE_STALL", "0", 1);
    setenv("JSC_useConcurrentJIT", "0", 1);
    setenv("JSC_numberOfGCMarkers", "1", 1);
  }
  if (run->record != NULL || record != NULL)
    setenv("RONDO_TRACE", run->record != NULL ? run->record : record, 1);
  if (!plan->show)
    child_redirect(plan, run);
  if (plan->script) {
    char own[PATH_MAX];
    if (exec_find_self(own))
      execv(own, plan->argv);
    _exit(126);
  }
  _exit(exec_become(plan->argv));
}

/* Gives up the folder, so that another place can be tried. */
static void folder_drop(struct sim_run* run) {
  if (run->ended_fd >= 0)
    close(run->ended_fd);
  if (run->world != NULL)
    munmap(run->world, sizeof(*run->world));
  sim_folder_remove(run->folder);
  if (run->folder_fd >= 0)
    close(run->folder_fd);
  free(run->folder);
  run->folder = NULL;
  run->world = NULL;
  run->ended_fd = run->folder_fd = -1;
}

static bool folder_fill(const struct sim_plan* plan, struct sim_run* run,
                        enum sim_folder_place place) {
  run->folder = sim_folder_make(place, &run->folder_fd);
  if (run->folder == NULL)
    return false;
  if (world_write(plan, run) && allowed_write(run) && ended_open(run))
    return true;
  fprintf(stderr, "rondo sim: %s: %s\n", run->folder, strerror(errno));
  folder_drop(run);
  return false;
}

bool sim_run_start(const struct sim_plan* plan, struct sim_run* run) {
  run->ended_fd = -1;
  run->folder_fd = -1;
  run->pid = 0;
  bool in_memory = sim_folder_has_room(FOLDER_IN_MEMORY);
  if (!in_memory && !sim_folder_has_room(FOLDER_ON_DISK)) {
    fprintf(stderr, "rondo sim: no room for a run in /dev/shm, nor in /tmp or $TMPDIR "
                    "(8 MiB are needed)\n");
    return false;
  }
  if (!folder_fill(plan, run, in_memory ? FOLDER_IN_MEMORY : FOLDER_ON_DISK))
    return false;
  run->has_terminal = has_terminal(plan);
  run->started = run->patient_since = world_real_ns();
  fflush(NULL);
  run->pid = fork();
  if (run->pid == 0)
    child_become(plan, run);
  if (run->pid < 0)
    fprintf(stderr, "rondo sim: no process: %s\n", strerror(errno));
  return run->pid > 0;
}

/* --- watching ----------------------------------------------------------------------- */

static void run_end(struct sim_run* run, enum sim_outcome outcome, int detail) {
  run->outcome = outcome;
  run->detail = detail;
  run->is_over = true;
  run->real_ns = world_real_ns() - run->started;
}

static void run_note_status(struct sim_run* run, int status) {
  if (WIFSIGNALED(status))
    run_end(run, OUTCOME_SIGNAL, WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    run_end(run, OUTCOME_STATUS, WEXITSTATUS(status));
  else
    run_end(run, OUTCOME_PASSED, 0);
}

static void run_look(const struct sim_plan* plan, struct sim_run* run) {
  int status;
  pid_t pid = waitpid(run->pid, &status, WNOHANG);
  if (pid == run->pid) {
    run->pid = -run->pid; /* waited for; its group may have more */
    run_note_status(run, status);
    return;
  }
  uint32_t end = __atomic_load_n(&run->world->end, __ATOMIC_ACQUIRE);
  uint64_t debugged = __atomic_load_n(&run->world->debugged_at, __ATOMIC_RELAXED);
  if (debugged > run->patient_since)
    run->patient_since = debugged;
  if (end == WORLD_TIMED_OUT)
    run_end(run, OUTCOME_TIMED_OUT, 0);
  else if (end == WORLD_HANGS)
    run_end(run, OUTCOME_HANGS, 0);
  else if (plan->patience_ns != 0 &&
           world_real_ns() - run->patient_since > plan->patience_ns)
    run_end(run, OUTCOME_STUCK, 0);
}

bool sim_run_is_over(const struct sim_plan* plan, struct sim_run* run) {
  if (!run->is_over)
    run_look(plan, run);
  return run->is_over;
}

/* A child's end shows in its pidfd, the world's in its FIFO. */
int sim_run_wait(const struct sim_plan* plan, struct sim_run** runs, size_t count,
                 const volatile sig_atomic_t* stop) {
  const int look_ms = 500;
  struct pollfd fds[128];
  while (!*stop) {
    nfds_t used = 0;
    for (size_t i = 0; i < count; i++) {
      run_look(plan, runs[i]);
      if (runs[i]->is_over) {
        for (nfds_t k = 0; k < used; k += 2)
          close(fds[k].fd);
        return (int) i;
      }
      int pidfd = (int) syscall(SYS_pidfd_open, runs[i]->pid, 0);
      fds[used++] = (struct pollfd){.fd = pidfd, .events = POLLIN};
      fds[used++] = (struct pollfd){.fd = runs[i]->ended_fd, .events = POLLIN};
    }
    (void) poll(fds, used, look_ms);
    for (nfds_t i = 0; i < used; i += 2)
      close(fds[i].fd);
  }
  return -1;
}

/* --- what it left ------------------------------------------------------------------- */

/* Processes of the world that are of our group, too: all but those that left it. */
static void world_kill(const struct sim_run* run) {
  for (uint32_t i = 0; run->world != NULL && i < run->world->process_high; i++) {
    const struct world_process* process = &run->world->processes[i];
    if (process->state != PROCESS_FREE && process->pid > 0 &&
        getpgid(process->pid) == getpgrp())
      kill(process->pid, SIGKILL);
  }
}

static void run_kill(struct sim_run* run) {
  pid_t group = run->pid < 0 ? -run->pid : run->pid;
  if (group == 0)
    return;
  if (run->has_terminal)
    world_kill(run);
  else
    kill(-group, SIGKILL);
  if (run->pid > 0) {
    kill(run->pid, SIGKILL); /* it may not have a group yet */
    while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  run->pid = 0;
}

static void output_read(struct sim_run* run) {
  char* path = run_path(run, "output");
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  free(path);
  off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
  size_t kept = size > OUTPUT_KEPT ? OUTPUT_KEPT : (size_t) size;
  run->output = malloc(kept + 1);
  if (run->output != NULL && fd >= 0) {
    ssize_t n = pread(fd, run->output, kept, size - (off_t) kept);
    run->output_size = n < 0 ? 0 : (size_t) n;
  }
  if (run->output != NULL)
    run->output[run->output_size] = '\0';
  if (fd >= 0)
    close(fd);
}

static void written_read(struct sim_run* run) {
  char* path = run_path(run, "written");
  FILE* file = path == NULL ? NULL : fopen(path, "re");
  char* line = NULL;
  size_t size = 0;
  free(path);
  while (file != NULL && getline(&line, &size, file) > 0) {
    char** grown = realloc(run->written, (run->written_count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    run->written = grown;
    line[strcspn(line, "\n")] = '\0';
    char* copy = strdup(line);
    if (copy != NULL)
      run->written[run->written_count++] = copy;
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

static int by_name(const void* one, const void* other) {
  return strcmp(*(char* const*) one, *(char* const*) other);
}

int sim_run_try_isolation(void) {
  int fd = -1;
  char* folder = sim_folder_make(FOLDER_IN_MEMORY, &fd);
  int err = folder == NULL ? errno : sim_isolate_try(folder);
  if (folder != NULL)
    sim_folder_remove(folder);
  if (fd >= 0)
    close(fd);
  free(folder);
  return err;
}

/* Reads the decisions of all processes, in the order of their names, and removes all. */
static void folder_empty(struct sim_run* run) {
  DIR* folder = opendir(run->folder);
  char* names[WORLD_PROCESSES] = {0};
  size_t count = 0;
  const struct dirent* entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    bool ours = strncmp(entry->d_name, "decisions.", 10) == 0 && count < WORLD_PROCESSES;
    char* name = ours ? strdup(entry->d_name) : NULL;
    if (name != NULL)
      names[count++] = name;
  }
  qsort(names, count, sizeof(names[0]), by_name);
  for (size_t i = 0; i < count; i++) {
    sim_decisions_read(run, names[i]);
    free(names[i]);
  }
  if (folder != NULL)
    closedir(folder);
  sim_folder_remove(run->folder);
}

static void output_match(const struct sim_plan* plan, struct sim_run* run) {
  regex_t pattern;
  if (plan->match == NULL || run->outcome != OUTCOME_PASSED || run->output == NULL ||
      regcomp(&pattern, plan->match, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
    return;
  if (regexec(&pattern, run->output, 0, NULL, 0) == 0)
    run->outcome = OUTCOME_MATCHED;
  regfree(&pattern);
}

static void processes_read(struct sim_run* run) {
  size_t count = run->world->process_high;
  run->processes =
      count > WORLD_PROCESSES ? NULL : calloc(count + 1, sizeof(*run->processes));
  run->process_count = run->processes == NULL ? 0 : count;
  for (size_t i = 0; i < run->process_count; i++) {
    const struct world_process* process = &run->world->processes[i];
    run->processes[i].pid = process->pid;
    memcpy(run->processes[i].path, process->path, sizeof(process->path));
    run->processes[i].path[WORLD_PATH - 1] = '\0';
  }
}

void sim_run_finish(const struct sim_plan* plan, struct sim_run* run) {
  run_kill(run);
  if (run->ended_fd >= 0)
    close(run->ended_fd);
  run->ended_fd = -1;
  if (run->folder == NULL)
    return;
  if (run->folder_fd >= 0)
    close(run->folder_fd);
  run->folder_fd = -1;
  if (!run->is_over)
    run->outcome = OUTCOME_BROKEN;
  if (sim_run_failed(run) && sim_folder_is_full(run->folder)) {
    fprintf(stderr, "rondo sim: no room is left in %s: what failed isn't the program\n",
            run->folder);
    run->outcome = OUTCOME_BROKEN;
  }
  output_read(run);
  if (plan->left != NULL)
    plan->left(run);
  sim_decisions_of_choices(run);
  written_read(run);
  if (!plan->show)
    sim_folder_remove_made(run->folder);
  folder_empty(run);
  if (run->world != NULL) {
    memcpy(run->outside, run->world->outside_name, sizeof(run->outside));
    memcpy(run->fixed, run->world->fixed_name, sizeof(run->fixed));
    run->not_isolated = (int) run->world->not_isolated;
    processes_read(run);
    run->virtual_ns = world_now(run->world) - run->world->start;
    run->decisions_made = run->world->decisions + run->world->points;
    run->is_cut = run->world->is_cut != 0;
    run->is_off_path = run->world->is_off_path != 0;
    munmap(run->world, sizeof(*run->world));
    run->world = NULL;
  }
  free(run->folder);
  run->folder = NULL;
  output_match(plan, run);
}

void sim_run_free(struct sim_run* run) {
  for (size_t i = 0; i < run->decision_count; i++) {
    free(run->decisions[i].key);
    free(run->decisions[i].words);
  }
  for (size_t i = 0; i < run->written_count; i++)
    free(run->written[i]);
  sim_points_free(&run->points);
  free(run->decisions);
  free(run->processes);
  run->processes = NULL;
  run->process_count = 0;
  free(run->written);
  free(run->output);
  run->decisions = NULL;
  run->written = NULL;
  run->output = NULL;
  run->decision_count = run->written_count = run->output_size = 0;
}

bool sim_run_whole(const struct sim_plan* plan, struct sim_run* run,
                   const volatile sig_atomic_t* stop) {
  bool started = sim_run_start(plan, run);
  bool over = started && sim_run_wait(plan, &run, 1, stop) == 0;
  sim_run_finish(plan, run);
  return over;
}

void sim_run_outcome_words(const struct sim_run* run, char* words, size_t size) {
  switch (run->outcome) {
  case OUTCOME_PASSED:
    snprintf(words, size, "passed");
    break;
  case OUTCOME_STATUS:
    snprintf(words, size, "exit status %d", run->detail);
    break;
  case OUTCOME_SIGNAL:
    snprintf(words, size, "killed by signal %d (%s)", run->detail,
             strsignal(run->detail));
    break;
  case OUTCOME_TIMED_OUT:
    snprintf(words, size, "not over when the (virtual) time-out came");
    break;
  case OUTCOME_HANGS:
    snprintf(words, size, "hangs: nothing is left that could ever happen");
    break;
  case OUTCOME_MATCHED:
    snprintf(words, size, "the output has the pattern");
    break;
  case OUTCOME_STUCK:
    snprintf(words, size, "not over after %.0f seconds of real time",
             (double) run->real_ns / 1e9);
    break;
  default:
    snprintf(words, size, "did not run");
  }
}

bool sim_run_same(const struct sim_run* one, const struct sim_run* other, size_t* first) {
  size_t i = 0;
  while (i < one->decision_count && i < other->decision_count &&
         strcmp(one->decisions[i].key, other->decisions[i].key) == 0 &&
         one->decisions[i].value == other->decisions[i].value &&
         one->decisions[i].at == other->decisions[i].at)
    i++;
  *first = i;
  return i == one->decision_count && i == other->decision_count &&
         one->outcome == other->outcome && one->detail == other->detail;
}

static uint64_t hash_text(uint64_t hash, const char* text) {
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char) *text) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t sim_run_hash(const struct sim_run* run) {
  uint64_t hash = run->seed + (uint64_t) run->outcome * 31 + (uint64_t) run->detail;
  for (size_t i = 0; i < run->decision_count; i++) {
    const struct sim_decision* decision = &run->decisions[i];
    hash = hash_text(hash, decision->key) ^ decision->value;
    hash = (hash ^ decision->at) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return hash;
}
