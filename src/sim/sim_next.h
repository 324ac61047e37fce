/* Questions about a loop in a systematic search (sim_next.c); the answers change nothing.
 */
#ifndef RONDO_SIM_NEXT_H
#define RONDO_SIM_NEXT_H

#include "sim/sim_state.h"

/* Node has one timer for all of a script's. Elsewhere one that keeps no loop alive may be
 * an engine's. */
bool sim_next_timer_is_engines(const uv_timer_t* timer);
/* When the program's next timer is due; WORLD_NEVER: there is none. */
uint64_t sim_next_due(const uv_loop_t* loop);
/* Whether a timer that is due then may come before what is ready. */
bool sim_next_timer_may_come(const uv_loop_t* loop, uint64_t due);
/* Whether another thread of the program's, or another process, may do something. */
bool sim_next_has_others(struct world* world);
/* Whether something would come between two callbacks of one poll. */
bool sim_next_between(const uv_loop_t* loop);

#endif
