/* `rondo why PID`: why a recorded process is alive, and why it doesn't answer. */
#include "live_command.h"
#include "live_cpu.h"
#include "live_ring.h"
#include "live_stack.h"
#include "live_task.h"
#include "live_words.h"
#include "options.h"
#include "outside.h"
#include "script_file.h"
#include "trace_words.h"

#include "trace/sequence.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: rondo why [--json] PID | core-file\n"
    "\n"
    "Says why a process is alive and why it doesn't answer: what each loop is in right\n"
    "now, with its stack, the handles that keep it alive, and the requests in flight.\n"
    "Any program with libuv or Rondo's library can be asked, also Node as it is. Of one\n"
    "that is recorded (rondo exec --record, RONDO_RECORD) it is also known since when "
    "and\n"
    "by whom. Nothing in the process is changed.\n";

enum { REQUESTS_SHOWN = 20 };

/* --- what it is in -------------------------------------------------------------------
 */

static void write_frame_line(const char* name) {
  fputs("    ", stdout);
  write_plain(stdout, name);
  putchar('\n');
}

/* Writes the part of the latest sample that isn't on the common path. */
static void write_latest(const struct live_stacks* stacks) {
  const struct trace_loop* loop = &stacks->loop;
  const struct hot_path* path = &stacks->path;
  const struct stack_sample* latest = &loop->samples[loop->sample_count - 1];
  size_t shared = frames_shared(loop, latest, path);
  uint64_t now = live_now_ns();
  char time[TIME_SIZE];
  if (latest->count == shared)
    return;
  printf("  %s ago:\n", time_text(time, now > latest->at ? now - latest->at : 0));
  for (size_t depth = latest->count; depth > shared; depth--)
    write_frame_line(sample_frame(loop, latest, depth - 1));
  if (shared > 0) {
    fputs("    (and from ", stdout);
    write_short(stdout, path->frames[shared - 1]);
    puts(" on, as above)");
  }
}

/* Writes the stack that most samples agree on, since the walk of a single stack may have
 * ended early. */
static void write_stacks(const struct live_stacks* stacks) {
  const struct hot_path* path = &stacks->path;
  if (path->length > 0)
    printf("  its stack since then, in %zu of %s%zu samples%s:\n", path->agreeing,
           stacks->taken > path->samples ? "the last " : "", path->counted,
           path->counted < path->samples && path->scripted ? " in the script" : "");
  for (size_t i = path->length; i > 0; i--)
    write_frame_line(path->frames[i - 1]);
  write_latest(stacks);
}

static bool is_request(const struct board_entry* entry) {
  return entry->subject != 0 &&
         (entry->subject >> TRACE_SUBJECT_SHIFT & 0xff) >= TRACE_SUBJECT_REQ;
}

static size_t requests_count(const struct board_loop* live) {
  size_t count = 0;
  for (size_t i = 0; i < BOARD_ENTRIES; i++) {
    struct board_entry entry = board_entry_at(live, i);
    count += is_request(&entry);
  }
  return count;
}

/* A stopped process does nothing of what it was doing; since when a process is stopped
 * the kernel doesn't say. */
static bool write_stopped(int pid) {
  char state = task_state(pid, (uint32_t) pid);
  if (state == 'T')
    printf("  stopped, by SIGSTOP or Ctrl-Z: kill -CONT %d lets it go on\n", pid);
  else if (state == 't')
    puts("  stopped by a debugger");
  return state == 'T' || state == 't';
}

/* The thing that a sleeping loop waits for. */
static void write_awaited(const struct board* board, const struct board_loop* live) {
  size_t requests = requests_count(live);
  if (live->handles > 0 || requests == 0)
    printf("what keeps it alive");
  else
    printf("%zu request%s in flight", requests, requests == 1 ? "" : "s");
  if (requests > 0 && board->pool_waiting > 0)
    printf("; all threads of the pool that may be used are taken, %u wait%s for one",
           board->pool_waiting, board->pool_waiting == 1 ? "s" : "");
  putchar('\n');
}

/* The program's function that most samples are in comes before the callback around it,
 * which is Node's or the library's. */
static void write_inside(const struct trace* names, const struct board_loop* live,
                         const struct live_stacks* stacks) {
  fputs("in ", stdout);
  hot_path_write_function(stdout, &stacks->path);
  live_write_open(stdout, names, live);
}

static void write_state(const struct live_ring* ring, const struct trace* names,
                        const struct board* board, const struct board_loop* live) {
  const uint64_t long_ns = 10000000;
  char time[TIME_SIZE];
  uint64_t now = live_now_ns(), looked = live->looked_ns;
  size_t place = (size_t) (live - board->loops);
  struct live_stacks stacks;
  if (ring->alive && write_stopped(ring->pid) && (looked & BOARD_ASLEEP) != 0)
    return;
  if (ring->alive && (looked & BOARD_ASLEEP) != 0) {
    uint64_t since = looked & ~BOARD_ASLEEP;
    printf("  asleep for %s: it waits for ",
           time_text(time, now > since ? now - since : 0));
    write_awaited(board, live);
    return;
  }
  bool sampled = live_stacks_read(&stacks, board, place, looked, names);
  struct live_stretch stretch = live_stretch_now(ring, place, looked);
  uint64_t held = stretch.found ? stretch.length_ns : live_held_ns(live, now);
  bool is_long = held > long_ns || !ring->alive;
  if (!ring->alive)
    fputs("  ended ", stdout);
  else
    printf("  %s, %s since it looked at what is ready: ",
           is_long ? "not answering" : "at work", time_text(time, held));
  write_inside(names, live, &stacks);
  if (ring->alive && stretch.found && is_long)
    write_cpu(stdout, &stretch.cpu, held, stretch.collected_ns,
              sampled ? hot_path_waits(&stacks.path) : NULL);
  putchar('\n');
  if (sampled && is_long)
    write_stacks(&stacks);
  if (ring->alive && is_long && ring->board->sampling == 2)
    puts("  no stack: the program has a SIGURG handler of its own");
  if (sampled)
    live_stacks_free(&stacks);
}

/* --- what keeps it alive --------------------------------------------------------------
 */

static const struct board_entry* entry_of(const struct board_loop* live,
                                          uint64_t subject) {
  struct board_loop* table = (struct board_loop*) (uintptr_t) live; /* only read */
  const struct board_entry* set = board_set(table, subject);
  for (int i = 0; i < BOARD_WAYS; i++) {
    if (board_same(set[i].subject, subject))
      return &set[i];
  }
  return NULL;
}

static void write_origin(const struct trace* names, const struct board_entry* entry) {
  char time[TIME_SIZE];
  if (entry == NULL)
    return;
  printf(", begun %s ago", time_text(time, board_age_ns(entry, live_now_ns())));
  if (*live_name(names, entry->by) != '\0') {
    fputs(" by ", stdout);
    write_short(stdout, live_name(names, entry->by));
  }
}

/* The text says when a timer was due at the time of the list. If that is over and the
 * loop has slept since, it was called meanwhile: when it is due next isn't known. */
static void write_about(const char* about, uint64_t age_ns, bool slept) {
  static const char due[] = "due in ";
  uint64_t age_ms = age_ns / 1000000;
  char* rest = NULL;
  if (strncmp(about, due, sizeof(due) - 1) != 0 || age_ms == 0) {
    write_plain(stdout, about);
    return;
  }
  uint64_t in_ms = strtoull(about + sizeof(due) - 1, &rest, 10);
  if (strncmp(rest, " ms", 3) != 0)
    write_plain(stdout, about);
  else if (in_ms < age_ms && slept)
    printf("due in %llu ms then", (unsigned long long) in_ms);
  else if (in_ms >= age_ms)
    printf("due in %llu ms", (unsigned long long) (in_ms - age_ms));
  else
    printf("due %llu ms ago", (unsigned long long) (age_ms - in_ms));
  if (strncmp(rest, " ms", 3) == 0)
    write_plain(stdout, rest + 3);
}

/* The list is updated at most once a second, and never while the loop hangs. */
static void write_alive_list(const struct trace* names, const struct board_loop* live) {
  char time[TIME_SIZE];
  const char* prefix;
  struct board_alive list[BOARD_ALIVE];
  uint32_t count = 0;
  for (int i = 0; i < 100; i++) {
    uint32_t before = sequence_read_begin(&live->alive_sequence);
    memcpy(list, live->alive, sizeof(list));
    count = live->alive_count < BOARD_ALIVE ? live->alive_count : BOARD_ALIVE;
    if (sequence_read_end(&live->alive_sequence, before))
      break;
  }
  if (live->alive_ns == 0)
    return;
  uint64_t age_ns = without(live_now_ns(), live->alive_ns);
  bool slept = (live->looked_ns & ~BOARD_ASLEEP) > live->alive_ns;
  if (live->handles == 0 && requests_count(live) > 0)
    return;
  printf("  kept alive by %u handle%s (listed %s ago)\n", live->handles,
         live->handles == 1 ? "" : "s", time_text(time, age_ns));
  for (uint32_t i = 0; i < count; i++) {
    const char* kind = live_kind(list[i].subject, &prefix);
    printf("    %s%s", prefix, kind);
    if (list[i].fd >= 0)
      printf(" fd %d", list[i].fd);
    list[i].about[BOARD_ABOUT - 1] = '\0';
    if (list[i].about[0] != '\0') {
      putchar(' ');
      write_about(list[i].about, age_ns, slept);
    }
    write_origin(names, entry_of(live, list[i].subject));
    putchar('\n');
  }
  if (live->handles > count)
    printf("    and %u more\n", live->handles - count);
}

static int by_age(const void* left, const void* right) {
  const struct board_entry *a = left, *b = right;
  int32_t later = (int32_t) (a->since - b->since); /* the counter may have wrapped */
  return later < 0 ? -1 : later > 0;
}

static void write_requests(const struct trace* names, const struct board_loop* live) {
  struct board_entry list[BOARD_ENTRIES];
  size_t count = 0;
  const char* prefix;
  for (size_t i = 0; i < BOARD_ENTRIES; i++) {
    struct board_entry entry = board_entry_at(live, i);
    if (is_request(&entry))
      list[count++] = entry;
  }
  if (count == 0)
    return;
  qsort(list, count, sizeof(*list), by_age);
  printf("  %zu request%s in flight, the oldest first\n", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count && i < REQUESTS_SHOWN; i++) {
    const char* kind = live_kind(list[i].subject, &prefix);
    printf("    %s%s", prefix, kind);
    write_origin(names, &list[i]);
    putchar('\n');
  }
  if (count > REQUESTS_SHOWN)
    printf("    and %zu more\n", count - REQUESTS_SHOWN);
  if (live->crowded > 0)
    printf("    (of those begun so far, %u found no place in the list)\n", live->crowded);
}

/* --- all of it ------------------------------------------------------------------------
 */

/* The loop that hasn't looked for longest comes first, then those of the main thread,
 * then those of other threads; one that has never run comes last. */
static unsigned int loop_rank(const struct live_ring* ring, const struct board_loop* live,
                              uint64_t now) {
  const uint64_t long_ns = 10000000;
  if (live->looked_ns == 0)
    return 3;
  if (live_held_ns(live, now) > long_ns)
    return 0;
  return live->thread == (uint32_t) ring->pid ? 1 : 2;
}

static size_t loops_order(size_t* places, const struct live_ring* ring,
                          const struct board* board) {
  uint64_t now = live_now_ns();
  size_t count = 0;
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    const struct board_loop* live = &board->loops[i];
    unsigned int rank = loop_rank(ring, live, now);
    size_t at = count;
    if (live->number == 0)
      continue;
    for (; at > 0; at--) {
      const struct board_loop* before = &board->loops[places[at - 1]];
      unsigned int its = loop_rank(ring, before, now);
      if (its < rank || (its == rank && (rank != 0 || live_held_ns(before, now) >=
                                                          live_held_ns(live, now))))
        break;
      places[at] = places[at - 1];
    }
    places[at] = i;
    count++;
  }
  return count;
}

static void write_process(const struct live_ring* ring) {
  struct trace names = {0};
  bool any = false;
  struct board* board = live_board_copy(ring);
  if (board == NULL)
    out_of_memory();
  live_names_read(ring, board, &names); /* after the data that refers to them */
  printf("process %d: ", ring->pid);
  write_plain(stdout, names.process_count > 0 ? names.processes[0]->command : "");
  puts(ring->alive ? "" : " (it has ended)");
  size_t places[BOARD_LOOPS];
  size_t count = loops_order(places, ring, board);
  for (size_t i = 0; i < count; i++) {
    const struct board_loop* live = &board->loops[places[i]];
    any = true;
    printf("\nloop %u on %.8s, thread %u, turn %llu\n", live->number, live->backend,
           live->thread, (unsigned long long) live->turns);
    if (live->looked_ns == 0) {
      puts("  has never run: no uv_run so far");
      continue;
    }
    write_state(ring, &names, board, live);
    write_alive_list(&names, live);
    write_requests(&names, live);
  }
  if (!any)
    puts("\nit has no loop now");
  if (board->pool_working > 0 || board->pool_waiting > 0)
    printf("\npool: %u at work, %u waiting for a thread\n", board->pool_working,
           board->pool_waiting);
  free(board);
  trace_free(&names);
}

/* The number of a process, or 0. */
static int pid_of(const char* text) {
  char* end;
  long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
  return number > 0 && number <= INT_MAX && *end == '\0' ? (int) number : 0;
}

int why_main(int argc, char** argv) {
  bool json = false;
  const struct option table[] = {option_flag("--json", &json, "the same as JSON"), {0}};
  const struct command_line line = {
      .name = "rondo why", .usage = usage, .options = table, .refusal = 9};
  int count = argc - 1;
  int code = options_gather(&line, &count, argv + 1);
  if (code != OPTIONS_GOOD)
    return code;
  if (count != 1)
    return options_refuse(&line, "which process, or which core file?", "");
  int pid = pid_of(argv[1]);
  if (pid == 0)
    return outside_why_core(argv[1], json);
  struct live_ring ring;
  if (json || !live_ring_of(&ring, pid))
    return outside_why(pid, json);
  write_process(&ring);
  for (const char* problem; (problem = script_problem_next()) != NULL;)
    fprintf(stderr, "rondo: %s\n", problem);
  live_ring_close(&ring);
  return 0;
}
