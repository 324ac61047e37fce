/* librondo-sampler.so: the sampler, the walk up a stack and V8's names, which only a
 * program needs that is recorded. libuv.so.1 loads the object from its own folder when
 * the first recording begins (sampler_object.c). Neither sees the other's functions: they
 * hand each other a table. */
#ifndef RONDO_TRACE_SAMPLER_OBJECT_H
#define RONDO_TRACE_SAMPLER_OBJECT_H

#include "base/alloc.h"
#include "loop/loop.h"
#include "sim/sim.h"
#include "system/system.h"
#include "trace/alarm.h"
#include "trace/code.h"
#include "trace/names.h"
#include "trace/recording.h"
#include "trace/sampler.h"

/* The functions of libuv.so.1 that the object calls. */
#define SAMPLER_NEEDS(X)                                                                 \
  X(alarm_has_watcher)                                                                   \
  X(alarm_send)                                                                          \
  X(alarm_stall)                                                                         \
  X(clock_now_ns)                                                                        \
  X(code_files_visit)                                                                    \
  X(mem_calloc)                                                                          \
  X(mem_free)                                                                            \
  X(mem_realloc)                                                                         \
  X(name_of_frame)                                                                       \
  X(name_of_text)                                                                        \
  X(names_free)                                                                          \
  X(recording_begin_samples)                                                             \
  X(recording_end_samples)                                                               \
  X(recording_program)                                                                   \
  X(sampler_frame_namer)                                                                 \
  X(sim_join_world)                                                                      \
  X(stack_write)                                                                         \
  X(system_read_file)                                                                    \
  X(system_setting)                                                                      \
  X(thread_sums_read)

/* The functions of the object that libuv.so.1 calls. */
#define SAMPLER_GIVES(X)                                                                 \
  X(sampler_abandon)                                                                     \
  X(sampler_join)                                                                        \
  X(sampler_leave)                                                                       \
  X(sampler_moved)                                                                       \
  X(sampler_take)                                                                        \
  X(sampler_take_over)                                                                   \
  X(sampler_woken)                                                                       \
  X(watched_list_files)

#define SAMPLER_FUNCTION(name) __typeof__(name)* name;
struct sampler_needs {
  SAMPLER_NEEDS(SAMPLER_FUNCTION)
};
struct sampler_gives {
  SAMPLER_GIVES(SAMPLER_FUNCTION)
};

/* The object's one function: NULL if it isn't of the same build as the library, by the
 * sizes of what both use. */
enum { SAMPLER_LAYOUT = sizeof(struct sampled_loop) + sizeof(struct sampler_needs) };
typedef const struct sampler_gives* (*sampler_open_function)(
    const struct sampler_needs* needs, size_t layout, size_t board_size);
#define SAMPLER_OPEN "rondo_sampler_open"

#endif
