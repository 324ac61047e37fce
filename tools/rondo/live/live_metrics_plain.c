/* Processes that nobody prepared, for `rondo top`: see live_metrics.h.
 * Whether a process has libuv inside is found once, its loops from time to time; a look
 * then reads the loops and the kernel's figures of their threads, and stops nobody; the
 * first one stops threads that run for some microseconds, to find whose loop is whose. */
#include "live_metrics.h"
#include "live_task.h"
#include "uv_look.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct plain {
  struct target target;
  struct seen seen;
  bool is_open;
  bool has_uv;
  uint64_t looked_ns; /* when its loops were found */
  unsigned int tries;
};

void plain_free(struct plain* plain) {
  if (plain->is_open) {
    seen_free(&plain->seen);
    target_close(&plain->target);
  }
  free(plain);
}

/* --- finding --------------------------------------------------------------------------
 */

/* Programs of which one process has shown that they have no libuv, by their file. */
static struct { uint64_t device, inode; } strangers[512];
static size_t stranger_next;

static bool image_has_uv(const struct target* target) {
  static const char* const names[] = {"uv_run", "uv_version_string"};
  uint64_t addresses[2];
  for (size_t i = 0; i < target->image_count; i++) {
    const struct image* image = &target->images[i];
    const char* base = strrchr(image->path, '/');
    if (base != NULL && strncmp(base, "/libuv.so", 9) == 0)
      return true;
    image_symbols(image, names, addresses, 2);
    if (addresses[0] != 0)
      return true;
  }
  return false;
}

static bool program_of(int pid, struct stat* status) {
  char path[48];
  snprintf(path, sizeof(path), "/proc/%d/exe", pid);
  return stat(path, status) == 0;
}

static bool is_stranger(const struct stat* status) {
  for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
    if (strangers[i].inode == status->st_ino && strangers[i].device == status->st_dev)
      return true;
  }
  return false;
}

/* An interpreter may load libuv any time: only of a program that is linked with all it
 * has is one look enough. */
static bool may_load_later(const struct target* target) {
  static const char* const loaders[] = {"python", "nvim", "lua", "ruby", "julia", "R"};
  const char* path = target->image_count == 0 ? "" : target->images[0].path;
  const char* base = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
  for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++) {
    if (strncmp(base, loaders[i], strlen(loaders[i])) == 0)
      return true;
  }
  return false;
}

static bool plain_open(struct plain* plain, int pid) {
  char why_not[TARGET_WHY_NOT];
  struct stat program;
  if (!program_of(pid, &program) || !target_try(&plain->target, pid, why_not))
    return false;
  plain->is_open = plain->target.is_brief = true;
  plain->has_uv = image_has_uv(&plain->target);
  if (!plain->has_uv && !may_load_later(&plain->target)) {
    strangers[stranger_next].device = program.st_dev;
    strangers[stranger_next].inode = program.st_ino;
    stranger_next = (stranger_next + 1) % (sizeof(strangers) / sizeof(strangers[0]));
  }
  return plain->has_uv;
}

static void plain_renew(struct plain* plain) {
  target_maps_read(&plain->target);
  target_threads_read(&plain->target);
  seen_free(&plain->seen);
  seen_look(&plain->seen, &plain->target);
}

/* --- a look ---------------------------------------------------------------------------
 */

static void kinds_take(struct metrics_process* process, const struct seen_loop* loop) {
  for (size_t i = 0; i < loop->handle_count; i++) {
    const struct seen_handle* handle = &loop->handles[i];
    const char* kind = uv_kind_name(handle->type);
    size_t at = 0;
    if (!handle->is_active || !handle->is_referenced || kind == NULL)
      continue;
    while (at < process->handle_kinds && strcmp(process->handles[at].kind, kind) != 0)
      at++;
    if (at == FIGURES_KINDS)
      continue;
    if (at == process->handle_kinds) {
      process->handles[process->handle_kinds++] = (struct live_kind_count){.count = 0};
      snprintf(process->handles[at].kind, sizeof(process->handles[at].kind), "%s", kind);
    }
    process->handles[at].count++;
  }
}

/* Asleep in a wait for this loop's descriptors. */
static bool is_polling(const struct target* target, const struct seen_loop* loop) {
  char text[256], *at;
  unsigned long long values[4]; /* its arguments */
  if (task_read(target->pid, (uint32_t) loop->tid, "syscall", text, sizeof(text)) <= 0)
    return false;
  long call = strtol(text, &at, 10);
  if (at == text)
    return false; /* it runs */
  for (int i = 0; i < 4; i++)
    values[i] = strtoull(at, &at, 16);
  bool waits = call == SYS_epoll_pwait;
#ifdef SYS_epoll_wait
  waits = waits || call == SYS_epoll_wait;
#endif
  return waits && (int) values[0] == loop->backend_fd && (int) values[3] != 0;
}

static void loop_look(struct metrics_process* process, struct plain* plain,
                      const struct seen_loop* known, size_t place) {
  struct metrics_loop* loop = &process->loops[place];
  struct seen_loop now;
  if (!loop_prove(&plain->seen, known->address, &now))
    return;
  loop_handles_read(&plain->seen, &now);
  *loop = (struct metrics_loop){.number = (uint32_t) place + 1,
                                .thread = (uint32_t) known->tid,
                                .cpu_ns = loop->cpu_ns,
                                .wait_ns = loop->wait_ns,
                                .looked_ns = loop->looked_ns};
  loop->handles = now.problem == NULL ? (uint32_t) now.alive_count : now.active_handles;
  loop->requests = now.active_requests;
  if (known->tid == 0 && known->is_default)
    loop->thread = (uint32_t) process->pid; /* it runs other code, such as its script */
  if (loop->thread != 0)
    metrics_loop_cpu(process, loop);
  loop->thread = (uint32_t) known->tid;
  loop->asleep = known->tid != 0 && is_polling(&plain->target, known);
  uint64_t clock = seen_clock_ms();
  bool is_known = known->tid != 0 && !loop->asleep && clock > now.time_ms;
  loop->held_ns = is_known ? (clock - now.time_ms) * 1000000 : 0;
  kinds_take(process, &now);
  free(now.handles);
}

static void plain_look(struct metrics_process* process) {
  struct plain* plain = process->plain;
  process->handle_kinds = process->request_kinds = 0;
  for (size_t i = 0; i < BOARD_LOOPS; i++)
    process->loops[i].number = 0;
  for (size_t i = 0; i < plain->seen.loop_count && i < BOARD_LOOPS; i++)
    loop_look(process, plain, &plain->seen.loops[i], i);
}

/* --- all of them ----------------------------------------------------------------------
 */

static bool is_recorded(const struct live_ring* rings, size_t count, int pid) {
  for (size_t i = 0; i < count; i++) {
    if (rings[i].pid == pid && rings[i].alive)
      return true;
  }
  return false;
}

/* The arguments, with a NUL behind each. */
static void plain_describe(struct metrics_process* process) {
  char path[48], text[4096];
  snprintf(path, sizeof(path), "/proc/%d/cmdline", process->pid);
  FILE* file = fopen(path, "re");
  size_t size = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
  if (file != NULL)
    fclose(file);
  text[size] = '\0';
  metrics_describe(process, text, size);
}

/* Loops of a process that has just begun are looked for again soon. */
static bool has_to_renew(const struct plain* plain, uint64_t now) {
  const uint64_t soon_ns = 2000000000, seldom_ns = 60000000000;
  return now - plain->looked_ns > (plain->tries < 4 ? soon_ns : seldom_ns);
}

static void process_look(struct metrics* metrics, int pid) {
  uint64_t now = live_now_ns();
  struct stat program;
  if (!program_of(pid, &program) || is_stranger(&program))
    return;
  struct metrics_process* process = metrics_process_of(metrics, pid, 0);
  process->is_seen = process->is_sampled = true;
  if (process->plain == NULL)
    process->plain = calloc(1, sizeof(*process->plain));
  struct plain* plain = process->plain;
  if (plain == NULL)
    out_of_memory();
  if (!plain->has_uv && plain->tries < 4 && has_to_renew(plain, now)) {
    if (plain->is_open)
      target_close(&plain->target);
    plain->is_open = false;
    plain->looked_ns = now;
    plain->tries++;
    if (!plain_open(plain, pid))
      return;
    plain->looked_ns = plain->tries = 0;
  }
  if (!plain->has_uv)
    return;
  if (plain->looked_ns == 0 || has_to_renew(plain, now)) {
    plain->looked_ns = now;
    plain->tries++;
    plain_renew(plain);
    if (plain->seen.loop_count > 0)
      plain_describe(process);
  }
  plain_look(process);
}

void metrics_plain_look(struct metrics* metrics, const struct live_ring* rings,
                        size_t count) {
  const struct dirent* entry;
  DIR* list = opendir("/proc");
  while (list != NULL && (entry = readdir(list)) != NULL) {
    int pid = (int) strtol(entry->d_name, NULL, 10);
    if (pid > 0 && pid != getpid() && !is_recorded(rings, count, pid))
      process_look(metrics, pid);
  }
  if (list != NULL)
    closedir(list);
}

void metrics_plain_only(struct metrics* metrics, const struct live_ring* rings,
                        size_t count) {
  metrics_unsee(metrics);
  metrics_plain_look(metrics, rings, count);
  metrics_forget(metrics);
}
