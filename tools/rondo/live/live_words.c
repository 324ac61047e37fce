/* The current state of a loop as text: see live_words.h. */
#include "live_words.h"
#include "live_cpu.h"
#include "live_stack.h"
#include "trace_subjects.h"
#include "trace_words.h"

#include <stdlib.h>
#include <string.h>

uint64_t live_held_ns(const struct board_loop* live, uint64_t now) {
  uint64_t looked = __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE);
  return (looked & BOARD_ASLEEP) != 0 || looked == 0 || now < looked ? 0 : now - looked;
}

const char* live_kind(uint64_t subject, const char** prefix) {
  return subject_kind_name((unsigned int) (subject >> TRACE_SUBJECT_SHIFT & 0xff),
                           prefix);
}

const char* live_program(const struct live_ring* ring) {
  const char* base = strrchr(ring->program, '/');
  return base == NULL ? ring->program : base + 1;
}

static void write_span(FILE* out, const struct trace* names,
                       const struct board_span* span) {
  const char* prefix;
  const char* name = live_name(names, span->name);
  switch (span->kind) {
  case TRACE_TICKS:
    fputs(*name == '\0' ? "(ticks)" : name, out);
    return;
  case TRACE_MICROTASKS:
    fputs(*name == '\0' ? "(microtasks)" : name, out);
    return;
  case TRACE_SCRIPT:
    fputs("(main script)", out);
    return;
  default:
    break;
  }
  if (*name == '\0')
    fputs("(unknown)", out);
  else
    write_short(out, name);
  const char* kind = live_kind(span->subject, &prefix);
  if (span->subject != 0 && subject_matters(kind))
    fprintf(out, " (%s%s)", prefix, kind);
}

/* A name from the program's own language comes first: it says more than that of the
 * callback around it. */
void live_write_open(FILE* out, const struct trace* names,
                     const struct board_loop* live) {
  uint32_t depth = live->depth < BOARD_SPANS ? live->depth : BOARD_SPANS;
  if (depth == 0)
    fputs("no callback", out);
  for (uint32_t i = depth; i > 0; i--) {
    struct board_span span = live->open[i - 1];
    if (i < depth)
      fputs(", inside ", out);
    write_span(out, names, &span);
  }
}

/* Whether what the loop is in has been so for that long: else somebody else held it up
 * before, and only the stack may know who. */
static bool has_lasted(const struct board_loop* live, uint64_t now, uint64_t ns) {
  uint64_t begin = live->open[0].begin_ns;
  return live->depth == 0 || begin > now || now - begin >= ns;
}

/* A loop that has come to its end: nobody waits for it, but for the program's end. */
static bool is_without_work(const struct board_loop* live) {
  return live->depth == 0 && live->handles == 0 && live->requests == 0;
}

const char* live_write_stall(FILE* out, const struct live_ring* ring, size_t place,
                             uint64_t looked_ns, uint64_t held_ns) {
  struct trace names = {0};
  struct live_stacks stacks;
  const char* waits = NULL;
  char time[TIME_SIZE];
  struct board* board = live_board_copy(ring);
  if (board == NULL)
    out_of_memory();
  const struct board_loop* live = &board->loops[place];
  live_names_read(ring, board, &names);
  struct live_stretch stretch = live_stretch_now(ring, place, looked_ns);
  bool goes_on = stretch.found && live->looked_ns == looked_ns;
  uint64_t now = live_now_ns();
  if (goes_on)
    held_ns = stretch.length_ns;
  bool ends = goes_on && is_without_work(live);
  fprintf(out, "%s (%d) loop %u %s", live_program(ring), ring->pid, live->number,
          ends      ? "has nothing left to do, and the program is ending, for "
          : goes_on ? "is held up, for "
                    : "was held up for ");
  fprintf(out, "%s%s", time_text(time, held_ns),
          ends      ? " so far"
          : goes_on ? " so far, "
                    : " or more");
  if (goes_on && !ends) {
    fputs(has_lasted(live, now, held_ns / 2) ? "by " : "now in ", out);
    live_write_open(out, &names, live);
  }
  if (live_stacks_read(&stacks, board, place, looked_ns, &names)) {
    hot_path_write(out, &stacks.path, ": in ");
    waits = hot_path_waits(&stacks.path);
    live_stacks_free(&stacks);
  }
  if (goes_on)
    write_cpu(out, &stretch.cpu, held_ns, stretch.collected_ns, waits);
  trace_free(&names);
  free(board);
  return waits;
}
