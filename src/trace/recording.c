/* The recordings of this process: which loop writes to which recording, the chunks of
 * their streams, and the names that they share. */
#include "trace/recording.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/shutdown.h"
#include "loop/loop.h"
#include "system/system.h"
#include "trace/board.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct recording {
  struct trace_store* store; /* NULL while no loop is recorded */
  struct trace_names names;
  struct trace_stream definitions;
  struct trace_stream pool;
  char* path; /* path of the process's recording, which is continued when another loop is
                 made */
  bool of_process;
  unsigned int forks; /* loop_forks of the process that it belongs to */
  unsigned int loops; /* number of loops recorded into it */
  uint32_t streams;
  uint64_t sequence;
};

static pthread_mutex_t recordings_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t recordings_once = PTHREAD_ONCE_INIT;
static struct recording*
    process_recording; /* for RONDO_TRACE; kept until the process ends */
static struct trace_stream* recorded_loops;
static unsigned int loops_numbered;

/* True while any loop is recorded; the pool reads it before it takes the lock. */
_Atomic bool recording_pool_on;
static unsigned int pool_waiting_unseen;
unsigned int* recording_pool_waiting = &pool_waiting_unseen;

static void recordings_forked(void) {
  recordings_lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
  loops_numbered = 0;
  recording_pool_waiting = &pool_waiting_unseen; /* the ring is the parent's */
}

static void recording_free(struct recording* recording) {
  names_free(&recording->names);
  mem_free(recording->path);
  mem_free(recording);
}

static void recordings_shutdown(void) {
  pthread_mutex_lock(&recordings_lock);
  if (process_recording != NULL && process_recording->loops == 0) {
    recording_free(process_recording);
    process_recording = NULL;
  }
  pthread_mutex_unlock(&recordings_lock);
}

static void recordings_init(void) {
  system_at_fork(NULL, NULL, recordings_forked);
  library_at_shutdown(recordings_shutdown);
}

uint64_t recording_start_ns(const struct trace_stream* stream) {
  return stream->recording->store->header->start_ns;
}

const char* recording_program(const struct trace_stream* stream) {
  return stream->recording->store->header->program;
}

/* --- streams, with the lock held --------------------------------------------------- */

static void stream_begin(struct trace_stream* stream, struct recording* recording,
                         enum trace_stream_kind kind) {
  stream->recording = recording;
  stream->kind = kind;
  stream->stream = ++recording->streams;
  stream->first_ns = clock_now_ns() - recording->store->header->start_ns;
}

static struct trace_record* records_of(struct trace_chunk* chunk) {
  return (struct trace_record*) (void*) (chunk + 1);
}

static void stream_give_back(struct trace_stream* stream) {
  struct trace_store* store = stream->recording->store;
  if (stream->chunk == NULL)
    return;
  store->kind->give_back(store, stream->chunk, stream->next);
  stream->chunk = NULL;
  stream->next = stream->end = NULL;
}

/* False when the store has no more chunks: the stream keeps its last chunk and counts the
 * lost records in it. */
static bool stream_take(struct trace_stream* stream) {
  struct recording* recording = stream->recording;
  struct trace_store* store = recording->store;
  struct trace_chunk* chunk = store->kind->take(store);
  if (chunk == NULL)
    return false;
  stream_give_back(stream);
  memcpy(chunk->magic, TRACE_CHUNK_MAGIC, sizeof(chunk->magic));
  chunk->stream = stream->stream;
  chunk->kind = (uint32_t) stream->kind;
  chunk->number = stream->number;
  chunk->first_ns = stream->first_ns;
  chunk->lost = stream->lost;
  chunk->turns = stream->turns;
  memcpy(chunk->backend, stream->backend, sizeof(chunk->backend));
  __atomic_store_n(&chunk->sequence, ++recording->sequence, __ATOMIC_RELEASE);
  stream->chunks++;
  stream->chunk = chunk;
  stream->next = records_of(chunk);
  stream->end =
      stream->next + (store->chunk_size - sizeof(*chunk)) / sizeof(struct trace_record);
  return true;
}

/* Consecutive records never cross into another chunk; the rest of the old chunk stays
 * zero, which marks the end of a chunk anyway. */
static struct trace_record* stream_place(struct trace_stream* stream, size_t count) {
  if ((size_t) (stream->end - stream->next) < count && !stream_take(stream)) {
    stream->lost += count;
    if (stream->chunk != NULL)
      stream->chunk->lost = stream->lost;
    return NULL;
  }
  struct trace_record* place = stream->next;
  stream->next += count;
  return place;
}

struct trace_record* stream_refill(struct trace_stream* stream, size_t count) {
  pthread_mutex_lock(&recordings_lock);
  struct trace_record* place = stream_place(stream, count);
  pthread_mutex_unlock(&recordings_lock);
  return place;
}

/* --- definitions -------------------------------------------------------------------- */

static struct trace_record* definition_place(struct recording* recording, size_t length) {
  const size_t size = sizeof(struct trace_record);
  return stream_place(&recording->definitions, 1 + (length + size - 1) / size);
}

uint32_t recording_define(struct trace_stream* stream, uint64_t key, enum trace_kind kind,
                          uint64_t number, const char* text, size_t length) {
  struct recording* recording = stream->recording;
  struct trace_record* record;
  pthread_mutex_lock(&recordings_lock);
  uint32_t name = names_find(&recording->names, key);
  if (name == 0 && names_reserve(&recording->names) &&
      (record = definition_place(recording, length)) != NULL) {
    name = ++recording->names.last;
    names_add(&recording->names, key, name);
    memcpy(record + 1, text, length);
    record->number = number;
    record->name = name;
    record->detail = (int32_t) length;
    record_commit(record, kind, clock_now_ns() - recording_start_ns(stream));
  }
  pthread_mutex_unlock(&recordings_lock);
  return name;
}

void recording_thread(struct trace_stream* stream, uint32_t thread, const char* name) {
  size_t length = strnlen(name, TRACE_TEXT_MAX);
  pthread_mutex_lock(&recordings_lock);
  struct trace_record* record = definition_place(stream->recording, length);
  if (record != NULL) {
    memcpy(record + 1, name, length);
    record->number = thread;
    record->name = 0;
    record->detail = (int32_t) length;
    record_commit(record, TRACE_THREAD, clock_now_ns() - recording_start_ns(stream));
  }
  pthread_mutex_unlock(&recordings_lock);
}

/* --- the pool ----------------------------------------------------------------------- */

static struct recording* recording_of(const uv_loop_t* loop) {
  for (const struct trace_stream* at = recorded_loops; at != NULL; at = at->next_loop) {
    if (at->loop == loop)
      return at->recording->forks == loop_forks ? at->recording : NULL;
  }
  return NULL;
}

static void pool_write(const uv_loop_t* loop, enum trace_kind kind, const void* work,
                       unsigned int waiting) {
  uint64_t now = clock_now_ns();
  pthread_mutex_lock(&recordings_lock);
  struct recording* recording = recording_of(loop);
  if (recording != NULL && recording->pool.recording == NULL)
    stream_begin(&recording->pool, recording, TRACE_STREAM_POOL);
  struct trace_record* record =
      recording == NULL ? NULL : stream_place(&recording->pool, 1);
  if (record != NULL) {
    uint64_t start = recording->store->header->start_ns;
    record->number = (uintptr_t) work;
    record->name = waiting;
    record->detail = (int32_t) gettid();
    record_commit(record, kind, now > start ? now - start : 0);
  }
  struct board* board = recording == NULL ? NULL : store_ring_board(recording->store);
  if (board != NULL && kind == TRACE_WORK)
    board->pool_working++;
  else if (board != NULL && board->pool_working > 0)
    board->pool_working--;
  pthread_mutex_unlock(&recordings_lock);
}

void recording_work(const uv_loop_t* loop, const void* work, unsigned int waiting) {
  pool_write(loop, TRACE_WORK, work, waiting);
}

void recording_work_end(const uv_loop_t* loop, const void* work) {
  pool_write(loop, TRACE_WORK_END, work, 0);
}

/* --- life --------------------------------------------------------------------------- */

static uint64_t wall_clock_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static bool has_loop_number(const char* pattern) {
  for (const char* at = pattern; (at = strchr(at, '%')) != NULL; at += 2) {
    if (at[1] == 'l')
      return true;
    if (at[1] == '\0')
      break;
  }
  return false;
}

/* The recording shared by all loops that were made while RONDO_TRACE was set. NULL before
 * the first, and again in a forked child. */
static struct recording* recording_of_process(void) {
  if (process_recording != NULL && process_recording->forks != loop_forks) {
    /* The parent's: freed with its last loop in this process. */
    process_recording->of_process = false;
    if (process_recording->loops == 0)
      recording_free(process_recording);
    process_recording = NULL;
  }
  return process_recording;
}

static struct recording* recording_make(bool of_process) {
  struct recording* recording = mem_calloc(1, sizeof(*recording));
  if (recording == NULL)
    return NULL;
  recording->forks = loop_forks;
  recording->of_process = of_process;
  if (of_process)
    process_recording = recording;
  return recording;
}

/* The names defined so far are in the file that is continued, and not in a new one. */
static void recording_begin_anew(struct recording* recording) {
  names_free(&recording->names);
  recording->names = (struct trace_names){0};
  recording->streams = 0;
  recording->sequence = 0;
}

/* Where a loop is to be recorded: a ring of size `ring`, or else a file named by
 * `pattern`. */
struct target {
  const char* pattern;
  const char* ring;
  bool for_many;
};

static int recording_open(struct recording* recording, const struct target* target,
                          unsigned int number) {
  struct trace_store* store;
  int err = target->ring != NULL ? store_ring_open(&store, target->ring)
                                 : store_file_open(&store, target->pattern, number,
                                                   target->for_many, recording->path);
  if (err != 0)
    return err;
  struct trace_header* header = store->header;
  if (header->start_ns == 0) {
    recording_begin_anew(recording);
    header->start_ns = clock_now_ns();
    header->start_wall_ns = wall_clock_ns();
  }
  mem_free(recording->path);
  recording->path = recording->of_process && target->ring == NULL
                        ? mem_strdup(store_file_path(store))
                        : NULL;
  recording->store = store;
  if (store_ring_board(store) != NULL)
    recording_pool_waiting = &store_ring_board(store)->pool_waiting;
  recording->definitions = (struct trace_stream){0};
  recording->pool = (struct trace_stream){0};
  stream_begin(&recording->definitions, recording, TRACE_STREAM_DEFINITIONS);
  return 0;
}

static void recording_add_loop(struct recording* recording, struct trace_stream* stream,
                               const uv_loop_t* loop, unsigned int number) {
  stream_begin(stream, recording, TRACE_STREAM_LOOP);
  stream->number = number;
  memcpy(stream->backend, rondo_backend_name(loop),
         size_min(strlen(rondo_backend_name(loop)), sizeof(stream->backend)));
  stream->loop = loop;
  stream->next_loop = recorded_loops;
  recorded_loops = stream;
  recording->loops++;
  atomic_store_explicit(&recording_pool_on, true, memory_order_relaxed);
}

/* A loop that never turns gets a chunk too, to show that the loop existed. */
static int recording_start(struct recording* recording, struct trace_stream* stream,
                           const uv_loop_t* loop, const struct target* target) {
  unsigned int number = ++loops_numbered;
  int err = recording->store != NULL ? 0 : recording_open(recording, target, number);
  if (err != 0)
    return err;
  recording_add_loop(recording, stream, loop, number);
  (void) stream_take(stream);
  return 0;
}

static int recording_join_target(struct trace_stream* stream, const uv_loop_t* loop,
                                 const struct target* target) {
  pthread_once(&recordings_once, recordings_init);
  pthread_mutex_lock(&recordings_lock);
  bool of_process =
      target->ring != NULL || (target->for_many && !has_loop_number(target->pattern));
  struct recording* recording = of_process ? recording_of_process() : NULL;
  if (recording == NULL)
    recording = recording_make(of_process);
  int err =
      recording == NULL ? UV_ENOMEM : recording_start(recording, stream, loop, target);
  if (err != 0 && recording != NULL && recording->loops == 0 && !of_process)
    recording_free(recording);
  pthread_mutex_unlock(&recordings_lock);
  return err;
}

int recording_join(struct trace_stream* stream, const uv_loop_t* loop,
                   const char* pattern, bool for_many) {
  return recording_join_target(
      stream, loop, &(struct target){.pattern = pattern, .for_many = for_many});
}

int recording_join_ring(struct trace_stream* stream, const uv_loop_t* loop,
                        const char* size) {
  return recording_join_target(stream, loop, &(struct target){.ring = size});
}

void recording_begin_samples(struct trace_stream* samples,
                             const struct trace_stream* loop) {
  pthread_mutex_lock(&recordings_lock);
  stream_begin(samples, loop->recording, TRACE_STREAM_SAMPLER);
  samples->number = loop->number;
  samples->first_ns = loop->first_ns;
  pthread_mutex_unlock(&recordings_lock);
}

void recording_end_samples(struct trace_stream* samples, bool completely) {
  pthread_mutex_lock(&recordings_lock);
  if (samples->chunk != NULL)
    samples->chunk->closed |= completely;
  stream_give_back(samples);
  *samples = (struct trace_stream){0};
  pthread_mutex_unlock(&recordings_lock);
}

struct board* recording_board(struct trace_stream* stream) {
  return store_ring_board(stream->recording->store);
}

struct board_loop* recording_place(struct trace_stream* stream) {
  struct board_loop* place = NULL;
  pthread_mutex_lock(&recordings_lock);
  if (recording_board(stream) != NULL)
    place = store_ring_place(stream->recording->store, stream->number);
  pthread_mutex_unlock(&recordings_lock);
  if (place != NULL) {
    place->since_ns = recording_start_ns(stream) + stream->first_ns;
    memcpy(place->backend, stream->backend, sizeof(place->backend));
  }
  return place;
}

static void recorded_loops_remove(const struct trace_stream* stream) {
  struct trace_stream** at = &recorded_loops;
  while (*at != stream)
    at = &(*at)->next_loop;
  *at = stream->next_loop;
  atomic_store_explicit(&recording_pool_on, recorded_loops != NULL, memory_order_relaxed);
}

/* With its last loop a recording is complete; a later loop of the process continues it.
 */
static void recording_remove_loop(struct trace_stream* stream,
                                  void (*end)(struct trace_store* store)) {
  struct recording* recording = stream->recording;
  recorded_loops_remove(stream);
  stream_give_back(stream);
  if (--recording->loops > 0)
    return;
  stream_give_back(&recording->definitions);
  if (recording->pool.recording != NULL)
    stream_give_back(&recording->pool);
  end(recording->store);
  recording->store = NULL;
  if (!recording->of_process)
    recording_free(recording);
}

void recording_leave(struct trace_stream* stream) {
  pthread_mutex_lock(&recordings_lock);
  if (stream->chunk != NULL)
    stream->chunk->closed = 1;
  recording_remove_loop(stream, stream->recording->store->kind->close);
  pthread_mutex_unlock(&recordings_lock);
}

void recording_abandon(struct trace_stream* stream) {
  pthread_mutex_lock(&recordings_lock);
  recording_remove_loop(stream, stream->recording->store->kind->leave);
  pthread_mutex_unlock(&recordings_lock);
}
