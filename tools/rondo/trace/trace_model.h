/* A trace as the command's writers see it: loops with events that are sorted by their
 * start, parents before children, and nest. Made of the recorder's records, which are
 * terser, by trace_model.c; trace_file.c finds those in files. */
#ifndef RONDO_TOOL_TRACE_MODEL_H
#define RONDO_TOOL_TRACE_MODEL_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are those of the JSON that the picture reads. */
enum event_kind {
  EVENT_TURN = 0,   /* detail: its number */
  EVENT_TIMERS = 1, /* the phases, in the order of enum rondo_phase */
  EVENT_POLL = 5,
  EVENT_CLOSING = 7,
  EVENT_SLEEP = 8, /* detail: the timeout, in ns */
  EVENT_CALLBACK = 9,
  EVENT_TICKS = 10,
  EVENT_MICROTASKS = 11,
  EVENT_SCRIPT = 12,
  EVENT_OUTSIDE = 13, /* uv_run was called (detail 1) or returned (0); no span */
  EVENT_KINDS = 14,
};
extern const char* const event_names[EVENT_KINDS];

static inline bool event_is_phase(unsigned int kind) {
  return kind >= EVENT_TIMERS && kind <= EVENT_CLOSING;
}

enum { EVENT_NONE = -1 };

struct event {
  uint64_t start; /* ns since the loop's recording began */
  uint64_t duration;
  int64_t detail;
  int32_t name; /* indexes, or EVENT_NONE */
  int32_t subject;
  int32_t parent;
  uint16_t kind;
  bool unfinished; /* the recording ended in it */
  bool timer;      /* a callback of a timer that was due; detail: how late, in ns */
};

/* Of a sleep: what it waited for. */
struct wait {
  uint32_t handles;  /* that keep the loop alive */
  uint32_t requests; /* in flight */
};

enum { WAITS_KEPT = 32 };

struct trace_loop {
  uint32_t pid;
  uint32_t thread;
  uint32_t number;
  uint64_t lost;
  uint32_t tells;    /* of TRACE_TELLS_… */
  uint64_t start_ns; /* on the monotonic clock, which all loops of a machine share */
  uint64_t start_wall_ns;
  uint64_t process_ns; /* start_ns of its process's first loop, see trace_sort */
  uint64_t offset_ns;  /* from the trace's start to start_ns, see trace_sort */
  uint64_t begin_ns;   /* where it is shown from, since start_ns; see trace_cut */
  uint64_t end_ns;     /* of the last event, since start_ns */
  size_t length;       /* of what is good of its section in the file, header included */
  char backend[17];
  char* program;
  char* command;
  struct event* events;
  size_t event_count, event_capacity;
  char** names;
  size_t name_count, name_capacity;
  char** subjects;
  size_t subject_count, subject_capacity;
  struct wait* waits; /* one for each sleep, in their order */
  size_t wait_count, wait_capacity;
  int32_t alive[WAITS_KEPT]; /* subjects that kept it alive, when they were listed last */
  size_t alive_count;
};

struct trace {
  struct trace_loop* loops; /* sorted by process, then by number */
  size_t count;
  uint64_t seen_ns; /* when the process of the file that is read next was last seen, on
                       the monotonic clock; 0: nobody looked */
  bool damaged;     /* a file was, or was cut short: what is here came before that */
};

/* No program runs that long, and what is added to it stays a number. */
static const uint64_t TRACE_CENTURY_NS = (uint64_t) 100 * 366 * 24 * 3600 * 1000000000u;

/* Makes a loop's events of as many records as are good, and returns how many that were.
 * What is open behind the last goes on until `ended`, in ns since the loop's start, if
 * that is later. */
size_t loop_read(struct trace_loop* loop, const struct trace_record* records,
                 size_t count, uint64_t ended);

/* Adds the loops of a file or pipe. NULL, or what is wrong with it; what is good of
 * one that was cut short is taken. */
const char* trace_read(struct trace* trace, const char* path);
void trace_sort(struct trace* trace);
/* Leaves what lies between two times since the trace's start, or reaches into that. False
 * without memory. */
bool trace_cut(struct trace* trace, uint64_t from_ns, uint64_t to_ns);
void trace_free(struct trace* trace);

/* The earliest start of all loops: where time begins in what is written. */
uint64_t trace_origin_ns(const struct trace* trace);

/* trace_symbols.c: what the function at this place of a program or library is called; to
 * be freed. NULL without memory. */
char* symbol_name(const char* file, uint64_t place);
/* Whether a program has a function of that name itself. */
bool symbol_is_defined(const char* file, const char* name);

/* An array with room for one more; exits without memory, for the command has nothing else
 * to do. */
void* array_grow(void* array, size_t count, size_t* capacity, size_t size);
char* text_copy(const char* text, size_t length);

#endif
