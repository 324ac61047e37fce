/* Where a command goes: forwards as far as the program, backwards in the record. */
#ifndef RONDO_TOOL_STEP_MOVE_H
#define RONDO_TOOL_STEP_MOVE_H

#include "step.h"

enum step_goal {
  GOAL_ANY,      /* each beginning and end */
  GOAL_CALLBACK, /* of the program's own */
  GOAL_PHASE,
  GOAL_TURN,
  GOAL_LINE,
  GOAL_OUTPUT,
  GOAL_TIME,
  GOAL_HANDLE,
  GOAL_QUEUE, /* its content becomes as asked for */
  GOAL_END    /* the first or the last step */
};

struct step_move {
  enum step_goal goal;
  bool is_back;
  char text[400]; /* a file, an output, a handle, a name in a queue */
  unsigned int line;
  char queue[16]; /* and what its content is compared with: how many there are, or a name
                   */
  enum step_compare {
    QUEUE_IS,
    QUEUE_IS_NOT,
    QUEUE_OVER,
    QUEUE_UNDER,
    QUEUE_HAS
  } compare;
  size_t number;
  uint64_t time_ns;
  size_t seen; /* goes on behind this index, which was looked at before; 0: all is new */
};

/* The steps that are looked at: of one process, and of one of its loops. */
struct step_lane {
  char process[WORLD_PATH]; /* "": all */
  unsigned int loop;        /* 0: all */
};

/* Moves *index; false: there is no such step, and *index is where the search ended. */
bool step_move(struct step_world* world, const struct step_lane* lane, size_t* index,
               const struct step_move* move);
/* "file:line", "output TEXT", "time 10ms", "handle tcp 2", "timers empty", "timers not
 * empty", "timers > 2" (also < and =), "poll has a.txt". False: it is none of these. */
bool step_move_until(struct step_move* move, const char* text);

#endif
