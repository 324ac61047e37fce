/* What one process records, whoever in it: the streams of its loops and of its pool, and
 * the definitions they share, in one store (store.h). Streams belong to one thread each
 * and write without a lock; a chunk is full, a name is new, or the pool has something to
 * say: those take the recording's lock. */
#ifndef RONDO_TRACE_RECORDING_H
#define RONDO_TRACE_RECORDING_H

#include "trace/format.h"
#include "trace/names.h"
#include "trace/store.h"

#include "uv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board;
struct board_loop;
struct recording;

struct trace_stream {
  struct trace_record* next; /* in the chunk, */
  struct trace_record* end;  /* and its end; equal when nothing can be written */
  struct trace_chunk* chunk; /* the last it had; NULL before the first */
  struct recording* recording;
  enum trace_stream_kind kind;
  uint32_t stream;
  uint32_t number;
  uint64_t first_ns;
  uint64_t lost;
  uint64_t turns; /* the owner keeps it up to date */
  char backend[8];
  const uv_loop_t* loop; /* of a loop's stream; those of the process are in a list */
  struct trace_stream* next_loop;
};

/* Begins to record a loop, into the process's recording or, for a pattern with %l in it
 * or a path that a program has chosen, into one of its own. `stream` is the loop's from
 * now on; its kind is TRACE_STREAM_LOOP. 0 or a UV_E…. */
int recording_join(struct trace_stream* stream, const uv_loop_t* loop,
                   const char* pattern, bool for_many);
/* The same into the process's ring, of that size. */
int recording_join_ring(struct trace_stream* stream, const uv_loop_t* loop,
                        const char* size);
/* The loop's place in the ring's live part; NULL if it isn't recorded into a ring, or
 * there are too many loops. The same as the board it is on. */
struct board_loop* recording_place(struct trace_stream* stream);
struct board* recording_board(struct trace_stream* stream);
/* The loop's stream is over; with the last the recording is complete. */
void recording_leave(struct trace_stream* stream);
/* In a forked child: everything that is recorded is the parent's. */
void recording_abandon(struct trace_stream* stream);

uint64_t recording_start_ns(const struct trace_stream* stream);
const char* recording_program(const struct trace_stream* stream);

/* Place for `count` records in a row that the stream's chunk hasn't; NULL if they are
 * lost. For stream_next. */
struct trace_record* stream_refill(struct trace_stream* stream, size_t count);

/* Place for a record, or NULL when it is lost. All but its first word is to be filled in;
 * then record_commit. */
static inline struct trace_record* stream_next(struct trace_stream* stream) {
  struct trace_record* next = stream->next;
  if (__builtin_expect(next == stream->end, 0))
    return stream_refill(stream, 1);
  stream->next = next + 1;
  return next;
}

/* The same for `count` records in a row. */
static inline struct trace_record* stream_row(struct trace_stream* stream, size_t count) {
  struct trace_record* next = stream->next;
  if ((size_t) (stream->end - next) < count)
    return stream_refill(stream, count);
  stream->next = next + count;
  return next;
}

static inline void record_commit(struct trace_record* record, enum trace_kind kind,
                                 uint64_t since_start) {
  /* Last, also for the compiler: see format.h. */
  __atomic_store_n(&record->when, since_start << TRACE_TIME_SHIFT | kind,
                   __ATOMIC_RELEASE);
}

/* A definition, of TRACE_FUNCTION or TRACE_TEXT: the number of the name that has this
 * key, new or not; 0 without memory or room. */
uint32_t recording_define(struct trace_stream* stream, uint64_t key, enum trace_kind kind,
                          uint64_t number, const char* text, size_t length);
/* That thread is called so now. */
void recording_thread(struct trace_stream* stream, uint32_t thread, const char* name);

/* The pool: a thread takes on work of a loop, or has done it. From any thread; nothing
 * happens unless that loop is recorded. To be called only while recording_pool_on, which
 * spares the lock. */
extern _Atomic bool recording_pool_on;
/* Where the pool writes how much is waiting for a thread: in a ring, or nowhere. */
extern unsigned int* recording_pool_waiting;
void recording_work(const uv_loop_t* loop, const void* work, unsigned int waiting);
void recording_work_end(const uv_loop_t* loop, const void* work);

#endif
