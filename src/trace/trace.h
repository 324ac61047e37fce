/* The recorder's hooks, called by the loop, the handles, the requests and the Node layer.
 * Any room may call a hook, on the loop's thread.
 *
 * A loop that isn't traced has no trace_state, and a hook then only tests that pointer.
 * Everything else is done by the recorder, through its table of functions. */
#ifndef RONDO_TRACE_H
#define RONDO_TRACE_H

#include "uv.h"
#include "rondo.h"
#include "trace/format.h"

#include <stdbool.h>
#include <stdint.h>

typedef void (*trace_function)(void);

/* --- the loop's life ------------------------------------------------------------- */
/* Starts to record if the environment asks for it. A failure is reported on standard
 * error; the loop works without. */
void trace_loop_init(uv_loop_t* loop);
void trace_loop_close(uv_loop_t* loop);
/* In a forked child, which has a copy of the parent's recorder: makes a new one. */
void trace_loop_fork(uv_loop_t* loop);

/* --- what the hooks call --------------------------------------------------------- */

/* A recorder's functions. There are two kinds of recorders: one writes everything into a
 * file (recorder_file.c), one keeps the last in a ring (recorder_ring.c); a third table
 * is for recorders that don't record now (recorder.c). */
struct trace_hooks {
  /* The hooks that a message of a server calls, in one cache line. */
  int (*callback)(uv_loop_t* loop, uint64_t subject, trace_function function,
                  int64_t detail);
  void (*callback_end)(uv_loop_t* loop, int span);
  void (*begun_req)(uv_loop_t* loop, uint64_t subject);
  void (*req_end)(uv_loop_t* loop, const uv_req_t* req);
  void (*turn)(uv_loop_t* loop);
  void (*phase)(uv_loop_t* loop, enum rondo_phase phase);
  void (*sleep)(uv_loop_t* loop, uint64_t now, int64_t timeout_ns);
  void (*wake)(uv_loop_t* loop, uint64_t now);

  void (*poll)(uv_loop_t* loop);
  void (*run)(uv_loop_t* loop, uv_run_mode mode, int* outer_phase);
  void (*run_end)(uv_loop_t* loop, int outer_phase);
  void (*begin)(uv_loop_t* loop, enum trace_kind kind);
  void (*end)(uv_loop_t* loop);
  void (*begun)(uv_loop_t* loop, uint64_t subject, trace_function work);
  void (*pooled)(uv_loop_t* loop, uint64_t subject);
  void (*gone)(uv_loop_t* loop, const uv_handle_t* handle);
  void (*arrived)(uv_loop_t* loop, const uv_handle_t* handle, int fd);
  void (*want_arrivals)(uv_loop_t* loop, int fd);

  /* For rondo.h. The span that is begun; 0 if it isn't recorded. */
  bool is_recording;
  int (*begin_known)(uv_loop_t* loop, const char* name, uint64_t key);
  void (*repeated)(uv_loop_t* loop, int span, int count);
  void (*named)(uv_loop_t* loop, const char* name);
  void (*collected)(uv_loop_t* loop, const char* kind, uint64_t took_ns);
  void (*stack)(uv_loop_t* loop, uint64_t when_ns, const char* const* frames,
                size_t count);
};

/* The part of a recorder that the hooks know; a recorder begins with it. */
struct traced_loop {
  const struct trace_hooks* hooks;
  bool data_may_be_late; /* the loop was held up just now */
};

static inline bool traced(const uv_loop_t* loop) {
  return __builtin_expect(loop->trace_state != NULL, 0);
}

/* Read a second time, hence volatile: then the test before it, which is all that an
 * untraced loop pays, is one comparison in memory and takes no register. */
static inline const struct trace_hooks* trace_hooks(const uv_loop_t* loop) {
  const struct traced_loop* state = *(void* const volatile*) &loop->trace_state;
  return state->hooks;
}

/* --- hooks ----------------------------------------------------------------------- */

/* trace_run returns the value that trace_run_end must be given. */
static inline int trace_run(uv_loop_t* loop, uv_run_mode mode) {
  int outer_phase = -1;
  if (traced(loop))
    trace_hooks(loop)->run(loop, mode, &outer_phase);
  return outer_phase;
}

static inline void trace_run_end(uv_loop_t* loop, int outer_phase) {
  if (traced(loop))
    trace_hooks(loop)->run_end(loop, outer_phase);
}

static inline void trace_turn(uv_loop_t* loop) {
  if (traced(loop))
    trace_hooks(loop)->turn(loop);
}

/* Callbacks from now on belong to this phase. */
static inline void trace_phase(uv_loop_t* loop, enum rondo_phase phase) {
  if (traced(loop))
    trace_hooks(loop)->phase(loop, phase);
}

/* The poll begins to wait, at first by spinning. */
static inline void trace_poll(uv_loop_t* loop) {
  if (traced(loop))
    trace_hooks(loop)->poll(loop);
}

static inline void trace_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  if (traced(loop))
    trace_hooks(loop)->sleep(loop, now, timeout_ns);
}

static inline void trace_wake(uv_loop_t* loop, uint64_t now) {
  if (traced(loop))
    trace_hooks(loop)->wake(loop, now);
}

static inline void trace_begin(uv_loop_t* loop, enum trace_kind kind) {
  if (traced(loop))
    trace_hooks(loop)->begin(loop, kind);
}

static inline void trace_end(uv_loop_t* loop) {
  if (traced(loop))
    trace_hooks(loop)->end(loop);
}

/* A request is no longer in flight. */
static inline void trace_req_end(uv_loop_t* loop, const uv_req_t* req) {
  if (traced(loop))
    trace_hooks(loop)->req_end(loop, req);
}

/* A handle was closed that has no close callback. */
static inline void trace_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  if (traced(loop))
    trace_hooks(loop)->gone(loop, handle);
}

/* Data was read and is called back next. */
static inline void trace_arrived(uv_loop_t* loop, const uv_handle_t* handle, int fd) {
  if (traced(loop) && ((const struct traced_loop*) loop->trace_state)->data_may_be_late)
    trace_hooks(loop)->arrived(loop, handle, fd);
}

/* A UDP socket is read from now on. */
static inline void trace_udp(uv_loop_t* loop, int fd) {
  if (traced(loop))
    trace_hooks(loop)->want_arrivals(loop, fd);
}

/* The two halves of trace_call below. The callback may have ended the recording. */
static inline int trace_callback(uv_loop_t* loop, uint64_t subject,
                                 trace_function function, int64_t detail) {
  return trace_hooks(loop)->callback(loop, subject, function, detail);
}

static inline void trace_callback_end(uv_loop_t* loop, int span) {
  if (loop->trace_state != NULL)
    trace_hooks(loop)->callback_end(loop, span);
}

/* --- subjects -------------------------------------------------------------------- */
/* Addresses on x86-64 are shorter than the place for them. Elsewhere they may have tags
 * above. */
static inline uint64_t trace_subject(const void* address, unsigned int kind) {
#if defined(__x86_64__)
  uint64_t place = (uintptr_t) address;
#else
  uint64_t place = (uintptr_t) address & (((uint64_t) 1 << TRACE_SUBJECT_SHIFT) - 1);
#endif
  return place | (uint64_t) kind << TRACE_SUBJECT_SHIFT;
}

static inline uint64_t subject_handle(const void* handle) {
  return trace_subject(handle,
                       TRACE_SUBJECT_HANDLE + ((const uv_handle_t*) handle)->type);
}

/* The subject of a handle's close callback. */
static inline uint64_t subject_closed(const void* handle) {
  return subject_handle(handle) | (uint64_t) 1 << TRACE_SUBJECT_LAST_SHIFT;
}

static inline uint64_t subject_req(const void* req) {
  return trace_subject(req, TRACE_SUBJECT_REQ + ((const uv_req_t*) req)->type);
}

static inline uint64_t subject_fs(const uv_fs_t* req) {
  return trace_subject(req, TRACE_SUBJECT_FS + (unsigned int) req->fs_type);
}

/* The detail of a timer's callback: how late the callback is, by the loop's clock. */
int64_t trace_late_us(uint64_t due_us);

/* A request or handle is started, by the current callback if there is one. */
static inline void trace_begun_req(uv_loop_t* loop, const uv_req_t* req,
                                   uv_req_type type) {
  if (!traced(loop))
    return;
  if (type == UV_WORK)
    trace_hooks(loop)->begun(loop, subject_req(req),
                             (trace_function) ((const uv_work_t*) req)->work_cb);
  else if (type == UV_GETADDRINFO || type == UV_GETNAMEINFO || type == UV_RANDOM)
    trace_hooks(loop)->begun(loop, trace_subject(req, TRACE_SUBJECT_REQ + type), NULL);
  else
    trace_hooks(loop)->begun_req(
        loop, type == UV_FS ? subject_fs((const uv_fs_t*) req)
                            : trace_subject(req, TRACE_SUBJECT_REQ + type));
}

/* A file request, which was begun before, is handed to the pool. */
static inline void trace_pooled(uv_loop_t* loop, const uv_fs_t* req) {
  if (traced(loop))
    trace_hooks(loop)->pooled(loop, subject_fs(req));
}

static inline void trace_begun_handle(uv_loop_t* loop, const uv_handle_t* handle) {
  if (traced(loop))
    trace_hooks(loop)->begun(loop, subject_handle(handle), NULL);
}

/* Calls function(arguments…), which belongs to the program, and records the call. A
 * macro, because functions and arguments have many types. The record of the end also ends
 * the spans that the program has left open in the callback. The call is written twice, so
 * that an untraced one has no code after it and can be a tail call. The callback may free
 * the subject, so the subject isn't touched afterwards. Rooms use this through
 * loop_call_back. */
#define trace_call(loop, subject, detail, function, ...)                                 \
  do {                                                                                   \
    uv_loop_t* traced_loop = (loop);                                                     \
    if (traced(traced_loop)) {                                                           \
      int traced_span = trace_callback(traced_loop, (subject),                           \
                                       (trace_function) (function), (int64_t) (detail)); \
      (function)(__VA_ARGS__);                                                           \
      trace_callback_end(traced_loop, traced_span);                                      \
    } else {                                                                             \
      (function)(__VA_ARGS__);                                                           \
    }                                                                                    \
  } while (0)

#endif
