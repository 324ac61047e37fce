/* The hooks through which the Node layer and the engine room report to the recorder. A
 * runtime built on another libuv, for comparison, has no recorder: the hooks are empty.
 */
#ifndef RONDO_NODE_TRACING_H
#define RONDO_NODE_TRACING_H

#ifndef RONDO_UNTRACED
#include "trace/trace.h"
#else
#include "trace/format.h"
#include "uv.h"

#include <stdbool.h>

typedef void (*trace_function)(void);

static inline bool traced(const uv_loop_t* loop) {
  (void) loop;
  return false;
}

static inline uint64_t trace_subject(const void* address, unsigned int kind) {
  (void) address;
  return kind;
}

static inline int64_t trace_late_us(uint64_t due_us) {
  (void) due_us;
  return 0;
}

static inline void trace_begin(uv_loop_t* loop, enum trace_kind kind) {
  (void) loop, (void) kind;
}

static inline int trace_callback(uv_loop_t* loop, uint64_t subject,
                                 trace_function function, int64_t detail) {
  (void) loop, (void) subject, (void) function, (void) detail;
  return 0;
}

static inline void trace_end(uv_loop_t* loop) {
  (void) loop;
}

typedef void (*rondo_trace_stack_source)(uv_loop_t* loop, uint64_t from_ns);

static inline void rondo_trace_stacks_from(uv_loop_t* loop,
                                           rondo_trace_stack_source source) {
  (void) loop, (void) source;
}

static inline void rondo_trace_stack(uv_loop_t* loop, uint64_t when_ns,
                                     const char* const* frames, size_t count) {
  (void) loop, (void) when_ns, (void) frames, (void) count;
}

typedef int (*rondo_trace_frame_namer)(const uintptr_t* frame, char* text, size_t size);

static inline void rondo_trace_frames_named_by(rondo_trace_frame_namer namer) {
  (void) namer;
}

static inline int rondo_trace_begin(uv_loop_t* loop, const char* name) {
  (void) loop, (void) name;
  return 0;
}

static inline void rondo_trace_end(uv_loop_t* loop, int span) {
  (void) loop, (void) span;
}

enum { RONDO_STEP_TIMERS, RONDO_STEP_IMMEDIATES, RONDO_STEP_TICKS };
enum {
  RONDO_STEP_REPEATS = 1,
  RONDO_STEP_UNREFERENCED = 2,
  RONDO_STEP_NAMES_FOLLOW = 1 << 8
};

static inline int rondo_step_join(uv_loop_t* loop, unsigned int known) {
  (void) loop, (void) known;
  return 0;
}

static inline void rondo_step_put(uv_loop_t* loop, int queue, uint64_t key,
                                  const char* name, uint64_t due_ms, unsigned int flags) {
  (void) loop, (void) queue, (void) key, (void) name, (void) due_ms, (void) flags;
}

static inline void rondo_step_take(uv_loop_t* loop, int queue, uint64_t key) {
  (void) loop, (void) queue, (void) key;
}

static inline int rondo_trace_active(const uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline void rondo_loop_report(const uv_loop_t* loop) {
  (void) loop;
}

static inline void rondo_trace_name(uv_loop_t* loop, const char* name) {
  (void) loop, (void) name;
}
#endif

#endif
