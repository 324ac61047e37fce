/* Steps: what `rondo step` shows of a simulated loop. Whenever a callback of the program
 * begins or ends, a line with the time, the phase, the callback and the content of every
 * queue goes to the file `steps` in the world's folder, and the thread waits there until
 * the command lets it go on. The clock stands still meanwhile.
 *
 * The recorder calls these hooks, where it records everything (not in a ring), and only
 * while sim_step_is_on is set; nothing else of the library asks. All are for the loop's
 * own thread. */
#ifndef RONDO_SIM_STEP_H
#define RONDO_SIM_STEP_H

#include "trace/format.h"
#include "uv.h"

#include <stdbool.h>
#include <stdint.h>

extern bool sim_step_is_on;

/* --- spans, as in trace.h --- */
void sim_step_begin(uv_loop_t* loop, enum trace_kind kind, uint64_t subject,
                    void (*function)(void));
/* Begins a span that has its name from the beginning. */
void sim_step_begin_named(uv_loop_t* loop, const char* name);
/* The name of the innermost span. */
void sim_step_name(uv_loop_t* loop, const char* name);
void sim_step_end(uv_loop_t* loop);
/* A run of the loop begins: an engine's main script has ended. */
void sim_step_run(uv_loop_t* loop);
/* The innermost span has begun a request, or started a handle. */
void sim_step_begun(uv_loop_t* loop, uint64_t subject);

/* --- turns --- */
void sim_step_turn(uv_loop_t* loop);
/* `phase` is an enum rondo_phase, or -1. */
void sim_step_phase(uv_loop_t* loop, int phase);
void sim_step_sleep(uv_loop_t* loop, int64_t timeout_ns);

#endif
