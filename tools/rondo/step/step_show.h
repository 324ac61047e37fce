/* A step as the terminal shows it. */
#ifndef RONDO_TOOL_STEP_SHOW_H
#define RONDO_TOOL_STEP_SHOW_H

#include "step.h"

/* Something in a queue. */
struct step_entry {
  char queue[16];   /* as the command has it: "timers", "pending", … */
  char label[600];  /* as in "late (a.js:2)", "tcp 2" */
  char handle[64];  /* as in "tcp 2"; "" */
  char detail[200]; /* as in "waits for data" */
  uint64_t due;     /* of a timer */
  bool is_timer, repeats, unref, engines;
  uint64_t by;
};

enum { STEP_QUEUE_COUNT = 9 };

struct step_entries {
  struct step_entry* list;
  size_t count;
  bool has_engine;
  bool unknown[STEP_QUEUE_COUNT]; /* the engine doesn't say */
};

extern const char* const step_queue_names[STEP_QUEUE_COUNT + 1]; /* ends with NULL */

/* --- step_entries.c ---------------------------------------------------------------- */
void step_entries_read(struct step_entries* entries, const struct step* step);
void step_entries_free(struct step_entries* entries);
/* Whether there is nothing in it that isn't the engine's own; false also if that isn't
 * known. */
bool step_queue_is_empty(const struct step_entries* entries, const char* queue);

/* --- step_show.c ------------------------------------------------------------------- */
void step_show_time(uint64_t ns, char* text, size_t size);
/* All about a step; `queue` NULL, or the one queue to be shown alone. */
void step_show(const struct step_world* world, size_t index, bool colours);
void step_show_queues(const struct step_world* world, size_t index, const char* queue);
void step_show_source(const struct step* step, unsigned int around);
void step_show_why(const struct step_world* world, size_t index);
/* The output behind the last step, when the program is over. */
void step_show_rest(const struct step_world* world);
void step_show_output(const struct step_world* world, size_t index);
/* One line, for lists. */
void step_show_line(const struct step_world* world, size_t index, bool is_here);

#endif
