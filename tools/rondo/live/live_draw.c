/* The lines that `rondo top` shows. */
#include "live_metrics.h"
#include "live_screen.h"
#include "trace_words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- lines -------------------------------------------------------------------------- */

/* Text that doesn't fit is cut; columns count characters, not bytes of UTF-8. */
static void put_cut(struct live_page* page, const char* text) {
  unsigned int column = 0;
  for (const unsigned char* at = (const unsigned char*) text; *at != '\0'; at++) {
    bool begins = (*at & 0xc0) != 0x80;
    if (begins && column == page->columns)
      break;
    column += begins;
    putc(*at < 32 || *at == 127 ? '?' : *at, page->out);
  }
}

static void line_style(struct live_page* page, const char* style, const char* text) {
  if (page->used >= page->rows)
    return;
  if (page->used++ > 0)
    putc('\n', page->out);
  if (page->colours)
    fprintf(page->out, "\033[%sm", style);
  put_cut(page, text);
  if (page->colours)
    fputs("\033[0m\033[K", page->out);
}

__attribute__((format(printf, 3, 4))) static void
line(struct live_page* page, const char* style, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  line_style(page, style, text);
}

static const char* plain = "0";
static const char* strong = "1";
static const char* soft = "2";
static const char* inverse = "7";

static const char* style_of(uint64_t wait_ns) {
  return wait_ns >= 100000000 ? "31" : wait_ns >= 20000000 ? "33" : "0";
}

/* --- all processes -------------------------------------------------------------------
 */

static void state_text(char* text, size_t size, const struct live_figures* figures) {
  const struct live_loop* worst = NULL;
  char time[TIME_SIZE];
  for (size_t i = 0; i < figures->loop_count; i++) {
    const struct live_loop* loop = &figures->loops[i];
    if (worst == NULL || worst->never_ran || loop->held_ns > worst->held_ns)
      worst = loop;
  }
  if (!figures->alive)
    snprintf(text, size, "killed");
  else if (figures->stopped)
    snprintf(text, size, "stopped");
  else if (worst == NULL)
    snprintf(text, size, "no loop");
  else if (worst->held_ns > 20000000)
    snprintf(text, size, "held %s", time_text(time, worst->held_ns));
  else
    snprintf(text, size,
             worst->never_ran ? "never run"
             : worst->asleep  ? "asleep"
                              : "at work");
}

void live_draw_list(struct live_page* page, const struct live_figures* figures,
                    size_t count, size_t chosen) {
  if (count == 0) {
    if (access("/proc/self", F_OK) != 0)
      line_style(page, plain, "Processes can't be found: /proc is not mounted.");
    else
      line_style(page, plain, "No process of yours is recorded.");
    line_style(page, soft, "Start one with: rondo exec --record -- program");
  } else {
    line(page, inverse, "%8s %-24s %-16s %5s %9s %6s %8s %8s %6s  %-40s", "PID",
         "PROGRAM", "STATE", "LOOPS", "TURNS/S", "BUSY", "HANDLES", "REQUESTS", "STALLS",
         "COMMAND");
  }
  for (size_t i = 0; i < count; i++) {
    const struct live_loop* busiest = live_busiest(&figures[i]);
    char state[64];
    uint32_t handles = 0, requests = 0;
    double turns = 0;
    for (size_t j = 0; j < figures[i].loop_count; j++) {
      handles += figures[i].loops[j].handles;
      requests += figures[i].loops[j].requests;
      turns += figures[i].loops[j].turns;
    }
    state_text(state, sizeof(state), &figures[i]);
    line(page, i == chosen ? strong : plain,
         "%s%7d %-24.24s %-16s %5zu %9.0f %5.1f%% %8u %8u %6u  %s",
         i == chosen ? ">" : " ", figures[i].pid, figures[i].title, state,
         figures[i].loop_count, turns, busiest == NULL ? 0 : busiest->busy * 100, handles,
         requests, figures[i].stalls, figures[i].command_line);
  }
}

static void plain_state(char* text, size_t size, const struct metrics_process* process) {
  uint64_t held = 0;
  bool known = true;
  char time[TIME_SIZE];
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    const struct metrics_loop* loop = &process->loops[i];
    known = known && (loop->number == 0 || loop->thread != 0);
    held = loop->number != 0 && loop->held_ns > held ? loop->held_ns : held;
  }
  if (held > 20000000)
    snprintf(text, size, "held %s", time_text(time, held));
  else if (!known)
    snprintf(text, size, "not known");
  else
    snprintf(text, size, "%s", held > 0 ? "at work" : "asleep");
}

void live_draw_plain(struct live_page* page, const struct metrics* metrics) {
  bool first = true;
  for (size_t i = 0; i < metrics->count; i++) {
    const struct metrics_process* process = metrics->list[i];
    char state[64];
    uint32_t handles = 0, requests = 0, loops = 0;
    double share = 0;
    if (process->command == NULL)
      continue;
    for (size_t j = 0; j < BOARD_LOOPS; j++) {
      const struct metrics_loop* loop = &process->loops[j];
      if (loop->number == 0)
        continue;
      loops++;
      handles += loop->handles;
      requests += loop->requests;
      share = loop->cpu_share > share ? loop->cpu_share : share;
    }
    if (first)
      line(page, soft, "not recorded, as seen from outside (rondo why PID):");
    first = false;
    plain_state(state, sizeof(state), process);
    line(page, plain, "%8d %-24.24s %-16s %5u %9s %5.1f%% %8u %8u %6s", process->pid,
         process->command, state, loops, "", share * 100, handles, requests, "");
  }
}

/* --- one process ----------------------------------------------------------------------
 */

enum { BLOCK_SIZE = 3 }; /* in UTF-8 */

/* A bar in eighths of a block, where the highest value fills it; BLOCK_SIZE bytes each.
 */
static void graph_text(char* text, const double* values, size_t count, double most) {
  static const char blocks[][BLOCK_SIZE + 1] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                "\u2585", "\u2586", "\u2587", "\u2588"};
  for (size_t i = 0; i < count; i++) {
    double part = most <= 0 ? 0 : values[i] / most;
    size_t block = part <= 0 ? 0 : part >= 1 ? 7 : (size_t) (part * 8);
    memcpy(text + i * BLOCK_SIZE, blocks[block], BLOCK_SIZE);
  }
  text[count * BLOCK_SIZE] = '\0';
}

static void draw_history(struct live_page* page, const struct live_figures* figures) {
  char text[FIGURES_HISTORY * BLOCK_SIZE + 1], time[TIME_SIZE];
  double waits[FIGURES_HISTORY];
  double most = 1000000;
  size_t count = figures->history;
  if (count < 2)
    return;
  for (size_t i = 0; i < count; i++) {
    waits[i] = (double) figures->wait_history[i];
    most = waits[i] > most ? waits[i] : most;
  }
  graph_text(text, figures->busy_history, count, 1);
  line(page, plain, "  busy      %s  up to 100 %%", text);
  graph_text(text, waits, count, most);
  line(page, plain, "  99th wait %s  up to %s", text, time_text(time, (uint64_t) most));
}

static void draw_held(struct live_page* page, const char* label,
                      const struct live_held* held, uint64_t now) {
  char length[TIME_SIZE], ago[TIME_SIZE];
  if (held->at_ns == 0 || held->length_ns < 1000000)
    return;
  line(page, style_of(held->length_ns), "    %s %s, %s ago, %s", label,
       time_text(length, held->length_ns),
       time_text(ago, now > held->at_ns ? now - held->at_ns : 0), held->who);
}

static void draw_loop(struct live_page* page, const struct live_loop* loop,
                      uint64_t now) {
  char a[TIME_SIZE], b[TIME_SIZE], c[TIME_SIZE], d[TIME_SIZE];
  line(page, strong, "  loop %u on %s, thread %u %s: %.0f turns/s, %.1f %% busy, %s%s%s",
       loop->number, loop->backend, loop->thread, loop->thread_name, loop->turns,
       loop->busy * 100,
       loop->never_ran            ? "never run"
       : loop->asleep             ? "asleep"
       : loop->held_ns > 20000000 ? "held up for "
                                  : "at work",
       !loop->asleep && loop->held_ns > 20000000 ? time_text(a, loop->held_ns) : "",
       loop->in == NULL ? "" : ":");
  if (loop->in != NULL)
    line(page, style_of(loop->held_ns), "    in %s", loop->in);
  if (loop->waits_known)
    line(page, style_of(loop->wait_p99),
         "    waits: half %s, 9 of 10 %s, 99 of 100 %s, worst %s",
         time_text(a, loop->wait_p50), time_text(b, loop->wait_p90),
         time_text(c, loop->wait_p99), time_text(d, loop->wait_worst));
  draw_held(page, "held up last: ", &loop->last, now);
  draw_held(page, "held up worst:", &loop->worst, now);
}

static void draw_kinds(struct live_page* page, const char* label,
                       const struct live_kind_count* list, size_t count) {
  char text[1024], time[TIME_SIZE];
  size_t used = (size_t) snprintf(text, sizeof(text), "  %s", label);
  for (size_t i = 0; i < count && used < sizeof(text) - 80; i++)
    used += (size_t) snprintf(text + used, sizeof(text) - used, "%s %u %s (oldest %s)",
                              i == 0 ? "" : ",", list[i].count, list[i].kind,
                              time_text(time, list[i].oldest_ns));
  if (count == 0)
    snprintf(text + used, sizeof(text) - used, " none");
  line_style(page, plain, text);
}

void live_draw_process(struct live_page* page, const struct live_figures* figures) {
  line(page, inverse, "%d %s%s", figures->pid, figures->command_line,
       figures->alive ? "" : " (killed)");
  line(page, soft, "  the ring has the last %.1f s; %u stalls were reported",
       figures->span, figures->stalls);
  draw_history(page, figures);
  for (size_t i = 0; i < figures->loop_count; i++) {
    const struct live_loop* loop = &figures->loops[i];
    if (loop->thread != 0) /* else the loop hasn't run yet */
      draw_loop(page, loop, figures->now_ns);
  }
  draw_kinds(page, "in flight:", figures->requests, figures->request_kinds);
  draw_kinds(page, "handles:  ", figures->handles, figures->handle_kinds);
  line(page, plain, "  pool:      %u at work, %u waiting for a thread",
       figures->pool_working, figures->pool_waiting);
  if (page->rows == UINT16_MAX)
    putc('\n', page->out);
}
