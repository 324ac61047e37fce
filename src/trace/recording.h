/* The recording of one process: the streams of its loops and of its pool, and the
 * definitions they share, in one store (store.h). Each stream belongs to one thread and
 * is written without a lock. The recording's lock is taken when a chunk is full, when a
 * name is new, and for records of the pool. */
#ifndef RONDO_TRACE_RECORDING_H
#define RONDO_TRACE_RECORDING_H

#include "base/base.h"
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
  struct trace_record* next; /* the next free record in the chunk, */
  /* The end of the chunk; equal to `next` when nothing can be written. */
  struct trace_record* end;
  uint64_t turns;            /* updated by the stream's owner */
  struct trace_chunk* chunk; /* the last chunk of the stream; NULL before the first */
  struct recording* recording;
  enum trace_stream_kind kind;
  uint32_t stream;
  uint32_t number;
  uint64_t first_ns;
  uint64_t lost;
  uint32_t chunks; /* taken so far */
  char backend[8];
  const uv_loop_t* loop; /* of a loop's stream; the loops of the process are in a list */
  struct trace_stream* next_loop;
};

/* Begins to record a loop: into the process's recording or, if the pattern contains %l or
 * the program has chosen the path, into one of the loop's own. `stream` is the loop's
 * from now on; its kind is TRACE_STREAM_LOOP. Returns 0 or a UV_E… code. */
int recording_join(struct trace_stream* stream, const uv_loop_t* loop,
                   const char* pattern, bool for_many);
/* As recording_join, into the process's ring of that size. */
int recording_join_ring(struct trace_stream* stream, const uv_loop_t* loop,
                        const char* size);
/* The loop's place on the ring's board, and the board itself; NULL if the loop isn't
 * recorded into a ring. The place is NULL also if there are too many loops. */
struct board_loop* recording_place(struct trace_stream* stream);
struct board* recording_board(struct trace_stream* stream);
/* Ends the loop's stream; with the last one the recording is complete. */
void recording_leave(struct trace_stream* stream);
/* In a forked child: the recording is the parent's, and is abandoned. */
void recording_abandon(struct trace_stream* stream);

/* Begins and ends a second stream of a loop, which another thread writes: the sampling
 * thread. The second stream ends before the loop leaves; `completely` is false in a
 * forked child. */
void recording_begin_samples(struct trace_stream* samples,
                             const struct trace_stream* loop);
void recording_end_samples(struct trace_stream* samples, bool completely);

uint64_t recording_start_ns(const struct trace_stream* stream);
const char* recording_program(const struct trace_stream* stream);

/* Room for `count` consecutive records beyond the stream's current chunk; NULL if they
 * are lost. For stream_next. */
struct trace_record* stream_refill(struct trace_stream* stream, size_t count);

/* Room for a record, or NULL if it is lost. The caller fills in everything but the first
 * word and then calls record_commit. */
static inline struct trace_record* stream_next(struct trace_stream* stream) {
  struct trace_record* next = stream->next;
  assert_slow(next <= stream->end);
  if (__builtin_expect(next == stream->end, 0))
    return stream_refill(stream, 1);
  stream->next = next + 1;
  return next;
}

/* As stream_next for `count` consecutive records. */
static inline struct trace_record* stream_row(struct trace_stream* stream, size_t count) {
  struct trace_record* next = stream->next;
  if (__builtin_expect((size_t) (stream->end - next) < count, 0))
    return stream_refill(stream, count);
  stream->next = next + count;
  return next;
}

static inline void record_commit(struct trace_record* record, enum trace_kind kind,
                                 uint64_t since_start) {
  /* Written last, also by the compiler: see format.h. */
  __atomic_store_n(&record->when, since_start << TRACE_TIME_SHIFT | kind,
                   __ATOMIC_RELEASE);
}

/* Defines a name (TRACE_FUNCTION or TRACE_TEXT): returns the number of the name that has
 * this key, new or not; 0 without memory or room. */
uint32_t recording_define(struct trace_stream* stream, uint64_t key, enum trace_kind kind,
                          uint64_t number, const char* text, size_t length);
/* Records the thread's current name. */
void recording_thread(struct trace_stream* stream, uint32_t thread, const char* name);

/* For the pool: a thread begins work for a loop, or has ended it. May be called from any
 * thread; does nothing unless that loop is recorded. To be called only while
 * recording_pool_on is set, which avoids the lock. */
extern _Atomic bool recording_pool_on;
/* Where the pool stores how much work is waiting for a thread: in a ring, or in a dummy.
 */
extern unsigned int* recording_pool_waiting;
void recording_work(const uv_loop_t* loop, const void* work, unsigned int waiting);
void recording_work_end(const uv_loop_t* loop, const void* work);

#endif
