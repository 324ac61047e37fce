/* `rondo top` in a terminal. The output is a page of lines, the same with and without a
 * terminal. */
#ifndef RONDO_TOOL_LIVE_SCREEN_H
#define RONDO_TOOL_LIVE_SCREEN_H

#include "live_figures.h"

/* How far back waits are evaluated. */
static const uint64_t LIVE_WINDOW_NS = 5000000000;

struct live_page {
  FILE* out;
  unsigned int columns, rows;
  bool colours;
  unsigned int used; /* number of rows used */
};

/* One line for each process; `chosen` is marked. */
void live_draw_list(struct live_page* page, const struct live_figures* figures,
                    size_t count, size_t chosen);
/* Processes that nobody prepared, as they were seen from outside. */
struct metrics;
void live_draw_plain(struct live_page* page, const struct metrics* metrics);
void live_draw_process(struct live_page* page, const struct live_figures* figures);

/* Runs until the user quits; returns the exit code. Without `pid` it begins with the
 * list. */
int live_screen(const char* pid, unsigned int interval_ms);

#endif
