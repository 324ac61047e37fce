/* The program runs as our child, in a session of its own, so that a terminal can't stop
 * it; or, if it is shown in a terminal, in our process group. Its folder has the world's
 * memory, a FIFO by which a process of the world reports that it has come to an
 * end, the decisions of each process and, unless it is shown, the output. */
#include "sim_run.h"

#include "exec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_KEPT = 1 << 20 };

#define FOLDER_PREFIX "rondo-sim-"

static char* run_path(const struct sim_run* run, const char* name) {
  size_t size = strlen(run->folder) + strlen(name) + 2;
  char* path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s/%s", run->folder, name);
  return path;
}

/* --- starting ----------------------------------------------------------------------- */

static const char* folder_base(void) {
  const char* base = getenv("TMPDIR");
  if (access("/dev/shm", W_OK | X_OK) == 0)
    return "/dev/shm";
  return base == NULL || base[0] != '/' || strlen(base) > WORLD_FOLDER / 2 ? "/tmp"
                                                                           : base;
}

/* Made, open and locked, which shows that somebody uses it. */
static char* folder_make(int* fd) {
  char* folder = malloc(WORLD_FOLDER);
  if (folder == NULL)
    return NULL;
  snprintf(folder, WORLD_FOLDER, "%s/" FOLDER_PREFIX "XXXXXX", folder_base());
  if (mkdtemp(folder) != NULL) {
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd >= 0)
      flock(*fd, LOCK_EX | LOCK_NB);
    return folder;
  }
  fprintf(stderr, "rondo sim: %s: %s\n", folder, strerror(errno));
  free(folder);
  return NULL;
}

static bool world_write(const struct sim_plan* plan, struct sim_run* run) {
  char* path = run_path(run, "world");
  int fd = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  free(path);
  if (fd < 0 || ftruncate(fd, (off_t) sizeof(struct world)) != 0)
    return false;
  struct world* world =
      mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (world == MAP_FAILED)
    return false;
  world_prepare(world, run->seed);
  snprintf(world->folder, sizeof(world->folder), "%s", run->folder);
  world->flags =
      (plan->time_only ? WORLD_TIME_ONLY : 0u) | (plan->verbose ? WORLD_VERBOSE : 0u) |
      (plan->fault_rate != 0 ? WORLD_FAULTS : 0u) | (run->allow_some ? WORLD_ALLOW : 0u);
  world->fault_rate = plan->fault_rate;
  world->fault_kinds = plan->fault_kinds;
  world->longest = plan->longest_ns;
  world->outside_ns = plan->outside_ns;
  if (plan->show)
    world_set_input(world, STDIN_FILENO);
  if (plan->wall_start != 0)
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

static void child_redirect(const struct sim_run* run) {
  char* path = run_path(run, "output");
  int fd =
      path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
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
  if (!run->has_terminal)
    setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  personality(ADDR_NO_RANDOMIZE); /* addresses are part of what must be the same */
  setenv("RONDO_SIM", run->folder, 1);
  if (run->record != NULL)
    setenv("RONDO_TRACE", run->record, 1);
  if (!plan->show)
    child_redirect(run);
  if (plan->script) {
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[length < 0 ? 0 : length] = '\0';
    execv(own, plan->argv);
    _exit(126);
  }
  _exit(exec_become(plan->argv));
}

bool sim_run_start(const struct sim_plan* plan, struct sim_run* run) {
  run->ended_fd = -1;
  run->folder_fd = -1;
  run->pid = 0;
  run->folder = folder_make(&run->folder_fd);
  if (run->folder == NULL)
    return false;
  if (!world_write(plan, run) || !allowed_write(run) || !ended_open(run)) {
    fprintf(stderr, "rondo sim: %s: %s\n", run->folder, strerror(errno));
    return false;
  }
  run->has_terminal = has_terminal(plan);
  run->started = world_real_ns();
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
  if (end == WORLD_TIMED_OUT)
    run_end(run, OUTCOME_TIMED_OUT, 0);
  else if (end == WORLD_HANGS)
    run_end(run, OUTCOME_HANGS, 0);
  else if (plan->patience_ns != 0 && world_real_ns() - run->started > plan->patience_ns)
    run_end(run, OUTCOME_STUCK, 0);
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

/* The tab-separated fields of a line, in place. */
static bool decision_parse(char* line, struct sim_decision* decision) {
  char* rest = line;
  char* key = strsep(&rest, "\t");
  char* at = strsep(&rest, "\t");
  char* value = strsep(&rest, "\t");
  if (at == NULL || value == NULL || rest == NULL)
    return false;
  rest[strcspn(rest, "\n")] = '\0';
  *decision = (struct sim_decision){.key = strdup(key),
                                    .words = strdup(rest),
                                    .at = strtoull(at, NULL, 10),
                                    .value = strtoull(value, NULL, 10)};
  return decision->key != NULL && decision->words != NULL;
}

static void decisions_read(struct sim_run* run, const char* name) {
  char* path = run_path(run, name);
  FILE* file = path == NULL ? NULL : fopen(path, "re");
  char* line = NULL;
  size_t size = 0;
  free(path);
  while (file != NULL && getline(&line, &size, file) > 0) {
    struct sim_decision decision;
    struct sim_decision* grown =
        realloc(run->decisions, (run->decision_count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    run->decisions = grown;
    if (decision_parse(line, &decision))
      run->decisions[run->decision_count++] = decision;
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

static int by_name(const void* one, const void* other) {
  return strcmp(*(char* const*) one, *(char* const*) other);
}

static void folder_remove(DIR* folder, const char* path) {
  const struct dirent* entry;
  rewinddir(folder);
  while ((entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] != '.')
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  rmdir(path);
}

/* A folder that is new may be about to be locked. */
static bool folder_is_abandoned(int fd) {
  const time_t long_ago = time(NULL) - 60;
  struct stat status;
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
         status.st_mtime < long_ago && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void sim_run_sweep(void) {
  const char* base = folder_base();
  DIR* all = opendir(base);
  const struct dirent* entry;
  while (all != NULL && (entry = readdir(all)) != NULL) {
    char path[WORLD_FOLDER + 256];
    if (strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
      continue;
    int fd = openat(dirfd(all), entry->d_name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* folder = folder_is_abandoned(fd) ? fdopendir(fd) : NULL;
    snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
    if (folder != NULL) {
      folder_remove(folder, path);
      closedir(folder);
    } else if (fd >= 0) {
      close(fd);
    }
  }
  if (all != NULL)
    closedir(all);
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
    decisions_read(run, names[i]);
    free(names[i]);
  }
  if (folder != NULL) {
    folder_remove(folder, run->folder);
    closedir(folder);
  }
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
  output_read(run);
  folder_empty(run);
  if (run->world != NULL) {
    run->virtual_ns = world_now(run->world) - run->world->start;
    run->decisions_made = run->world->decisions;
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
  free(run->decisions);
  free(run->output);
  run->decisions = NULL;
  run->output = NULL;
  run->decision_count = run->output_size = 0;
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
