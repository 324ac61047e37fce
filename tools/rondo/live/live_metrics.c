/* The state of `rondo top --metrics`: see live_metrics.h. */
#include "live_metrics.h"
#include "live_task.h"
#include "live_title.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const uint64_t metrics_bounds[METRICS_BOUNDS] = {
    100000,    1000000,   2500000,   5000000,    10000000,   25000000,   50000000,
    100000000, 250000000, 500000000, 1000000000, 2500000000, 5000000000, 10000000000};

void histogram_add(struct metrics_histogram* histogram, uint64_t ns, uint64_t count) {
  size_t place = 0;
  while (place < METRICS_BOUNDS && ns > metrics_bounds[place])
    place++;
  histogram->counts[place] += count;
  histogram->count += count;
  histogram->sum += (double) ns / 1e9 * (double) count;
}

/* --- what a process is called ---------------------------------------------------------
 */

/* Only this variable of the environment is kept. */
static char* service_of(int pid) {
  static const char name[] = "OTEL_SERVICE_NAME=";
  enum { ENVIRONMENT_MOST = 128 << 10 };
  char path[48];
  snprintf(path, sizeof(path), "/proc/%d/environ", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char* text = calloc(1, ENVIRONMENT_MOST + 2);
  if (text == NULL)
    out_of_memory();
  ssize_t size = fd < 0 ? 0 : read(fd, text, ENVIRONMENT_MOST);
  if (fd >= 0)
    close(fd);
  char* service = NULL;
  for (ssize_t at = 0; at < size && service == NULL;
       at += (ssize_t) strlen(text + at) + 1) {
    if (strncmp(text + at, name, sizeof(name) - 1) == 0)
      service = text_copy(text + at + sizeof(name) - 1,
                          strnlen(text + at + sizeof(name) - 1, 100));
  }
  free(text);
  return service == NULL ? text_copy("", 0) : service;
}

/* Of a command line only the script and the program: arguments may be secrets. */
void metrics_describe(struct metrics_process* process, const char* command, size_t size) {
  if (process->command != NULL)
    return;
  process->command = live_title(command, size);
  process->service = service_of(process->pid);
}

static uint64_t start_of(int pid) {
  char text[1024];
  enum { BEFORE_IT = 19 }; /* fields between the state and the start */
  if (task_read(pid, (uint32_t) pid, "stat", text, sizeof(text)) <= 0)
    return 0;
  const char* at = strrchr(text, ')');
  for (int i = 0; at != NULL && i < BEFORE_IT + 1; i++)
    at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

struct metrics_process* metrics_process_of(struct metrics* metrics, int pid,
                                           uint64_t start) {
  if (start == 0)
    start = start_of(pid);
  for (size_t i = 0; i < metrics->count; i++) {
    if (metrics->list[i]->pid == pid && metrics->list[i]->start == start)
      return metrics->list[i];
  }
  struct metrics_process* process = calloc(1, sizeof(*process));
  if (process == NULL)
    out_of_memory();
  process->pid = pid;
  process->start = start;
  metrics->list = array_grow(metrics->list, metrics->count, &metrics->capacity,
                             sizeof(struct metrics_process*));
  metrics->list[metrics->count++] = process;
  return process;
}

static void process_free(struct metrics_process* process) {
  live_figures_free(&process->figures);
  for (size_t i = 0; i < METRICS_STALLS; i++)
    free(process->stalls[i].function);
  if (process->plain != NULL)
    plain_free(process->plain);
  free(process->command);
  free(process->service);
  free(process);
}

/* --- recorded processes ---------------------------------------------------------------
 */

void metrics_loop_cpu(struct metrics_process* process, struct metrics_loop* loop) {
  char text[128];
  uint64_t before = loop->cpu_ns, looked = loop->looked_ns;
  if (task_read(process->pid, loop->thread, "schedstat", text, sizeof(text)) <= 0)
    return;
  (void) schedstat_parse(text, &loop->cpu_ns, &loop->wait_ns);
  loop->looked_ns = live_now_ns();
  loop->cpu_share =
      looked == 0 || loop->cpu_ns < before
          ? 0
          : (double) (loop->cpu_ns - before) / (double) (loop->looked_ns - looked);
}

static struct metrics_loop* loop_of(struct metrics_process* process, uint32_t number) {
  struct metrics_loop* place = NULL;
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    struct metrics_loop* loop = &process->loops[i];
    if (loop->number == number)
      return loop;
    if (loop->number == 0 && place == NULL)
      place = loop;
  }
  if (place != NULL)
    *place = (struct metrics_loop){.number = number};
  return place;
}

/* A loop that was closed has left the board; its sums would stand for ever. */
static void loops_forget(struct metrics_process* process) {
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    struct metrics_loop* loop = &process->loops[i];
    bool found = false;
    for (size_t j = 0; j < process->figures.loop_count; j++)
      found = found || process->figures.loops[j].number == loop->number;
    if (!found)
      loop->number = 0;
  }
}

static void board_look(struct metrics_process* process, const struct live_ring* ring) {
  const struct live_figures* figures = &process->figures;
  size_t seen = 0;
  for (size_t i = 0; i < BOARD_LOOPS && seen < figures->loop_count; i++) {
    const struct board_loop* live = live_place(ring, i);
    if (live == NULL || figures->loops[seen].number != live->number)
      continue;
    const struct live_loop* figure = &figures->loops[seen++];
    struct metrics_loop* loop = loop_of(process, figure->number);
    if (loop == NULL)
      continue;
    loop->thread = figure->thread;
    loop->since_ns = live->since_ns;
    loop->turns = figures->before[i].turns;
    loop->slept_ns = figures->before[i].slept_ns;
    loop->age_ns =
        figures->now_ns > live->since_ns ? figures->now_ns - live->since_ns : 0;
    loop->asleep = figure->asleep;
    loop->never_ran = figure->never_ran;
    loop->busy = figure->busy;
    loop->held_ns = figure->asleep || figure->never_ran ? 0 : figure->held_ns;
    loop->handles = figure->handles;
    loop->requests = figure->requests;
    if (!figure->never_ran)
      metrics_loop_cpu(process, loop);
  }
}

static void recorded_look(struct metrics* metrics, const struct live_ring* ring,
                          bool asked) {
  struct metrics_process* process =
      metrics_process_of(metrics, ring->pid, ring->board->process_start);
  if (process->is_sampled) { /* it was seen before it had a ring */
    plain_free(process->plain);
    process->plain = NULL;
    memset(process->loops, 0, sizeof(process->loops));
    process->is_sampled = false;
  }
  process->is_seen = true;
  live_figures_look(&process->figures, ring, 0);
  metrics_describe(process, ring->header->command, sizeof(ring->header->command));
  loops_forget(process);
  board_look(process, ring);
  metrics_ring_look(metrics, process, ring, asked);
  memcpy(process->handles, process->figures.handles, sizeof(process->handles));
  memcpy(process->requests, process->figures.requests, sizeof(process->requests));
  process->handle_kinds = process->figures.handle_kinds;
  process->request_kinds = process->figures.request_kinds;
  process->pool_working = process->figures.pool_working;
  process->pool_waiting = process->figures.pool_waiting;
}

/* --- all ------------------------------------------------------------------------------
 */

void metrics_unsee(struct metrics* metrics) {
  for (size_t i = 0; i < metrics->count; i++)
    metrics->list[i]->is_seen = false;
}

void metrics_forget(struct metrics* metrics) {
  size_t kept = 0;
  for (size_t i = 0; i < metrics->count; i++) {
    if (metrics->list[i]->is_seen)
      metrics->list[kept++] = metrics->list[i];
    else
      process_free(metrics->list[i]);
  }
  metrics->count = kept;
}

void metrics_look(struct metrics* metrics, bool asked) {
  const uint64_t moment_ns = 500000000, while_ns = 4000000000;
  struct live_ring* rings;
  uint64_t now = live_now_ns();
  uint64_t before = asked ? metrics->asked_ns : metrics->looked_ns;
  if (before != 0 && now - before < (asked ? moment_ns : while_ns))
    return;
  metrics->looked_ns = now;
  metrics->asked_ns = asked ? now : metrics->asked_ns;
  metrics_unsee(metrics);
  size_t count = live_rings(&rings);
  for (size_t i = 0; i < count; i++) {
    if (rings[i].alive)
      recorded_look(metrics, &rings[i], asked);
  }
  if (asked)
    metrics_plain_look(metrics, rings, count);
  for (size_t i = 0; i < count; i++)
    live_ring_close(&rings[i]);
  free(rings);
  if (asked)
    metrics_forget(metrics);
}

void metrics_free(struct metrics* metrics) {
  metrics_unsee(metrics);
  metrics_forget(metrics);
  free(metrics->list);
}
