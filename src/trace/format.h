/* What a trace file is made of; the recorder writes it, tools/rondo/trace/trace_file.c and
 * trace_model.c read it.
 *
 * A file is a row of sections, one for each loop. A section is a header of one page and,
 * behind it, records of 24 bytes in the order in which things happened; its length is in
 * its header, and 0 there means "to the end of the file". So files can be joined by
 * writing one behind the other.
 *
 * A record says that something begins or ends. Spans nest, so an end needs no name. The
 * word that carries the kind and the time is written last, and what follows the last
 * record is zero: whatever stops the program, and wherever, all records up to that point
 * are good. The time is in nanoseconds since the header's start, on the monotonic clock.
 *
 * Little is written for a turn in which little happens: a turn ends where the next
 * begins; a phase is written down only before the first callback (or sleep) in it and
 * lasts to the end of its last one; a poll that brought nothing isn't written down at
 * all. */
#ifndef RONDO_TRACE_FORMAT_H
#define RONDO_TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_MAGIC "RONDOTRC"
/* Version 1 had no TRACE_WAITS, and `tells` was 0; it is read as ever. */
enum { TRACE_VERSION = 2, TRACE_HEADER_SIZE = 4096, TRACE_TEXT_MAX = 1008 };

struct trace_header {
  char magic[8];
  uint32_t version;
  uint32_t record_size;
  uint64_t length;        /* of the section with its header; 0: it was never closed */
  uint64_t lost;          /* records that did not fit */
  uint64_t start_ns;      /* on the monotonic clock */
  uint64_t start_wall_ns; /* since 1970 */
  uint32_t pid;
  uint32_t thread; /* that made the loop */
  uint32_t loop;   /* 1 for the process's first */
  uint32_t tells;  /* of TRACE_TELLS_…: what is in it beyond the first recordings */
  char backend[16];
  char program[1024];
  char command[2048]; /* arguments, each with its terminator, as many as fit */
  uint64_t end_ns;    /* of the process, since the start, if somebody saw it; else 0 */
};

enum {
  TRACE_TELLS_LATE = 1,  /* a timer's callback: how late, in microseconds */
  TRACE_TELLS_WAITS = 2, /* a sleep: what for */
};

enum trace_kind {
  TRACE_NOTHING = 0, /* behind the last record */
  TRACE_RUN,         /* uv_run begins; number: the thread, detail: the mode */
  TRACE_RUN_END,     /* it returns, and so the turn ends too */
  TRACE_TURN,        /* number: which */
  TRACE_PHASE,       /* detail: enum rondo_phase */
  TRACE_SLEEP,       /* number: the timeout in ns, -1 for ever; name: requests in flight,
                        detail: handles that keep the loop alive */
  TRACE_CALLBACK,    /* number: the subject; name: the function; detail: its status, or
                        how late it is */
  TRACE_TICKS,
  TRACE_MICROTASKS,
  TRACE_SCRIPT,
  TRACE_END,   /* of the last sleep, callback, ticks, microtasks or script begun */
  TRACE_NAMED, /* name: what the innermost of them is called, instead of the function */
  TRACE_GONE,  /* number: a handle that was closed; its address may be used again */
  /* A new name of that number. Behind it come as many bytes of text as detail says, in
   * whole records. Of a function the text is the file it was loaded from and number its
   * place in there; number is its address if there is no such file. */
  TRACE_FUNCTION,
  TRACE_TEXT,
  TRACE_FILLER, /* means nothing */
  TRACE_WAITS,  /* number: a handle that keeps the loop alive. Those that do stand in a
                   row before a sleep, if others did before the last */
  TRACE_KINDS,
};

struct trace_record {
  uint64_t when; /* the kind, and the time shifted by TRACE_TIME_SHIFT */
  uint64_t number;
  uint32_t name; /* 0: none */
  int32_t detail;
};

enum { TRACE_TIME_SHIFT = 8 };

/* A subject is an address, what lives there, and whether this is its last callback. Kinds
 * are numbered as in uv.h, from these on. */
enum { TRACE_SUBJECT_SHIFT = 48, TRACE_SUBJECT_LAST_SHIFT = 56 };
enum {
  TRACE_SUBJECT_HANDLE = 0, /* uv_handle_type */
  TRACE_SUBJECT_REQ = 32,   /* uv_req_type */
  TRACE_SUBJECT_FS = 64,    /* uv_fs_type */
  TRACE_SUBJECT_NODE = 128, /* enum trace_node_subject */
};
enum trace_node_subject { TRACE_NODE_TIMEOUT = 0, TRACE_NODE_IMMEDIATE = 1 };

_Static_assert(sizeof(struct trace_header) <= TRACE_HEADER_SIZE, "it is a page");
_Static_assert(sizeof(struct trace_record) == 24, "files have this");

#endif
