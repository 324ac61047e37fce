/* The format of a recording; the recorder writes it, tools/rondo/trace reads it.
 *
 * A recording belongs to one process: a header of one page, then chunks of one size. A
 * chunk belongs to a stream: the definitions of the process, one of its loops, or its
 * pool. A stream has one writer at a time and goes on in a new chunk when one is full, so
 * the chunks of several streams are interleaved; `sequence` gives their order.
 *
 * Records never refer to other records, only to definitions (names, threads), which have
 * a stream of their own. So a ring that overwrites its oldest chunks, but never the
 * definitions, can be read from any chunk on; a file is the same with nothing
 * overwritten. Spans whose beginning is lost are left out by the reader.
 *
 * Records have 24 bytes and stand in the order in which things happened in their stream.
 * A record says that something begins or ends. Spans nest, so an end needs no name. The
 * word that carries the kind and the time is written last, and what follows the last
 * record of a chunk is zero: whatever stops the program, and wherever, all records up to
 * that point are valid. The time is in nanoseconds since the header's start, on the
 * monotonic clock.
 *
 * Little is written for a turn in which little happens: a turn ends where the next
 * begins; a phase is recorded only before the first callback (or sleep) in it and lasts
 * to the end of its last one; a poll without events isn't recorded at all.
 *
 * Recordings can be concatenated. Versions 1 and 2 were never released and aren't
 * read. */
#ifndef RONDO_TRACE_FORMAT_H
#define RONDO_TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_MAGIC       "RONDOTRC"
#define TRACE_CHUNK_MAGIC "RONDOCHK"
enum { TRACE_VERSION = 3, TRACE_HEADER_SIZE = 4096, TRACE_TEXT_MAX = 1008 };

struct trace_header {
  char magic[8];
  uint32_t version;
  uint32_t record_size;
  uint64_t length; /* of the recording with its header; 0: it wasn't closed */
  uint32_t chunk_size;
  uint32_t pid;
  uint64_t start_ns;      /* on the monotonic clock */
  uint64_t start_wall_ns; /* since 1970 */
  uint64_t end_ns;      /* end of the process, since the start, if it is known; else 0 */
  uint64_t overwritten; /* sequence of the last chunk that was used again; 0: none */
  uint32_t processors;  /* number that the process may use */
  uint32_t board_size;  /* of a ring: the size of the board, before the first chunk */
  char program[1024];
  char command[2048]; /* arguments, each with its terminator, as many as fit */
};

enum trace_stream_kind {
  TRACE_STREAM_DEFINITIONS = 1, /* TRACE_FUNCTION, TRACE_TEXT, TRACE_THREAD */
  TRACE_STREAM_LOOP,
  TRACE_STREAM_POOL,    /* TRACE_WORK, TRACE_WORK_END, of all its threads */
  TRACE_STREAM_SAMPLER, /* of a file: TRACE_SAMPLE of a loop, by the sampling thread */
};

/* Each chunk describes its stream completely, since earlier chunks may be overwritten. */
struct trace_chunk {
  char magic[8];
  uint64_t sequence; /* 1 for the recording's first; written last, 0: not in use */
  uint32_t stream;   /* 1 for the recording's first */
  uint32_t kind;     /* enum trace_stream_kind */
  uint32_t number;   /* of a loop: 1 for the process's first */
  uint32_t closed;   /* 1: the stream's owner ended it in this chunk */
  uint64_t first_ns; /* when the stream began, since the recording's start */
  uint64_t lost;     /* number of the stream's records so far that found no chunk */
  uint64_t turns;    /* of a loop: the turn in which the chunk was begun */
  char backend[8];   /* of a loop */
  /* records follow */
};

enum trace_kind {
  TRACE_NOTHING = 0, /* after the last record */
  TRACE_RUN,     /* uv_run begins; number: the thread, detail: of TRACE_RUN_…, name: for
                    how many microseconds a timer had been due then */
  TRACE_RUN_END, /* uv_run returns, and the turn ends with it */
  TRACE_TURN,    /* number: of the turn; name: the thread, 0 if unknown */
  TRACE_PHASE,   /* detail: enum rondo_phase */
  TRACE_SLEEP,   /* number: the timeout in ns, -1 for ever; name: requests in flight,
                    detail: handles that keep the loop alive */
  TRACE_CALLBACK, /* number: the subject; name: the function; detail: its status, or
                     how late it is */
  TRACE_TICKS,
  TRACE_MICROTASKS,
  TRACE_SCRIPT,
  TRACE_END,   /* ends the last sleep, callback, ticks, microtasks or script begun */
  TRACE_NAMED, /* name: of the innermost open span, instead of its function */
  TRACE_GONE,  /* number: a handle that was closed; its address may be reused */
  /* Definitions, each a new name with that number, followed by `detail` bytes of text in
   * whole records. For a function the text is the file it was loaded from and `number`
   * its offset in that file; without a file, `number` is its address. */
  TRACE_FUNCTION,
  TRACE_TEXT,
  TRACE_FILLER, /* has no meaning */
  TRACE_WAITS,  /* number: a handle that keeps the loop alive; name: 1 more than its
                   descriptor, detail: length of a text about it, which follows in whole
                   records. The handles of a list stand in a row; a list is
                   written now and then */

  TRACE_CPU,    /* behind a stretch of a millisecond or more: number: of the last `detail`
                   microseconds, sleeps not counted, how many the thread was on a
                   processor (upper half), and how many its control group was throttled
                   (lower half); name: how many it waited for a processor. Detail 0:
                   nothing is known of the time since the last such record */
  TRACE_BEGUN,  /* number: a request or handle that the span around it has begun; name:
                   the function that a thread of the pool will run for it */
  TRACE_COUNT,  /* name: what is counted, a text; number: the current value */
  TRACE_THREAD, /* a definition. number: a thread; text: its current name */
  TRACE_WORK,   /* number: a struct uv__work that a thread of the pool takes on, detail:
                   the thread, name: how much more is waiting for one */
  TRACE_WORK_END, /* number, detail: the same */
  TRACE_SAMPLE,  /* number: when the thread's stack was sampled, since the header's start;
                    behind it come the names of its frames, the innermost first, of 4
                    bytes each, detail bytes in whole records. In a loop's own stream it
                    is an engine's; detail 0: those that follow replace what the sampling
                    thread has written since `number` */
  TRACE_MANY,    /* of a ring: detail callbacks that took too little time each to be
                    written down (BRIEF_NS); number: ns from the first's begin, which is
                    the record's time, to the last's end, and their phase above
                    TRACE_MANY_SHIFT; name: the function, if it is the same of all */
  TRACE_ARRIVED, /* number: a handle whose data is called back next; name: for how many
                    microseconds, or longer, that data had been there; detail: length of
                    a text about the connection, which follows in whole records */
  TRACE_REPEATED,  /* detail: the innermost open span stands for so many calls, one after
                      the other; negative: for so many and more */
  TRACE_COLLECTED, /* a garbage collection of an engine on the loop's thread that has just
                      ended; number: its length in ns; name: its kind, a text; detail: 1,
                      and in a ring how many shorter ones were before it that weren't
                      written */
  TRACE_KINDS,
};

/* Of TRACE_MANY's number: 1 more than enum rondo_phase, or 0 outside of a phase. */
enum { TRACE_MANY_SHIFT = 56 };

/* Of TRACE_RUN's detail. */
enum {
  TRACE_RUN_MODE = 3,
  TRACE_RUN_OUTER = 4, /* an outer loop may have slept on the backend's descriptor */
};

struct trace_record {
  uint64_t when; /* the kind, and the time shifted by TRACE_TIME_SHIFT */
  uint64_t number;
  uint32_t name; /* 0: none */
  int32_t detail;
};

enum { TRACE_TIME_SHIFT = 8 };

/* A subject is an address, the kind of the object there, and whether this is its last
 * callback. Kinds are numbered as in uv.h, starting from these values. */
enum { TRACE_SUBJECT_SHIFT = 48, TRACE_SUBJECT_LAST_SHIFT = 56 };
enum {
  TRACE_SUBJECT_HANDLE = 0, /* uv_handle_type */
  TRACE_SUBJECT_REQ = 32,   /* uv_req_type */
  TRACE_SUBJECT_FS = 64,    /* uv_fs_type */
  TRACE_SUBJECT_NODE = 128, /* enum trace_node_subject */
};
enum trace_node_subject {
  TRACE_NODE_TIMEOUT = 0,
  TRACE_NODE_IMMEDIATE = 1,
  TRACE_NODE_FUNCTION = 2, /* of a script; it has no address */
};

_Static_assert(sizeof(struct trace_header) <= TRACE_HEADER_SIZE, "it is a page");
_Static_assert(sizeof(struct trace_record) == 24, "files have this");
_Static_assert(sizeof(struct trace_chunk) == 64, "files have this");

#endif
