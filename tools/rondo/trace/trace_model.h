/* A trace as the command's writers see it: processes with loops, and loops with events
 * that are sorted by their start, parents before children, and nest. Made of the
 * recorder's records, which are terser, by trace_model.c; trace_file.c finds those in
 * files. */
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
  EVENT_OUTSIDE = 13, /* not in uv_run; detail: of OUTSIDE_…, and OUTSIDE_DUE_SHIFT */
  EVENT_KINDS = 14,
};
extern const char* const event_names[EVENT_KINDS];

static inline bool event_is_phase(unsigned int kind) {
  return kind >= EVENT_TIMERS && kind <= EVENT_CLOSING;
}

/* Of the detail of EVENT_OUTSIDE. From the shift on: for how many microseconds a timer
 * was due when uv_run was called again. */
enum {
  OUTSIDE_STARTING = 1, /* before the first uv_run */
  OUTSIDE_ENDING = 2,   /* uv_run was not called again */
  OUTSIDE_OUTER = 4,    /* somebody may have slept for us: on the backend's descriptor */
  OUTSIDE_DUE_SHIFT = 8,
};

enum { EVENT_NONE = -1 };

struct event {
  uint64_t start; /* ns since the loop's recording began */
  uint64_t duration;
  int64_t detail;
  int32_t name; /* indexes, or EVENT_NONE */
  int32_t subject;
  int32_t parent;
  int32_t cause; /* index into the loop's causes, or EVENT_NONE */
  uint16_t kind;
  uint32_t many;   /* of a ring: so many short callbacks in a row; 0: one */
  bool unfinished; /* the recording ended in it */
  bool timer;      /* a callback of a timer that was due; detail: how late, in ns */
};

/* Of a sleep: what it waited for. */
struct wait {
  uint32_t handles;  /* that keep the loop alive */
  uint32_t requests; /* in flight */
};

enum { WAITS_KEPT = 32 };

/* What kept the loop alive, when that was listed last. */
struct alive {
  int32_t subject;
  int fd;     /* -1: none */
  char* text; /* an address, a path; may be "" */
};

/* What the loop's thread had of a processor, from the one before (or from its start) to
 * `until`; sleeps in there don't count. */
struct cpu_time {
  uint64_t until;
  uint64_t awake;
  uint64_t used;
  uint64_t delay;     /* waited for a processor, */
  uint64_t throttled; /* while its control group was stopped */
};

/* How a request or handle came to be: who began it, and what the pool did for it. */
struct cause {
  uint64_t key;    /* the subject as it was written: its address and kind */
  uint64_t begun;  /* since the loop's start */
  int32_t by;      /* the event it was begun in, or EVENT_NONE */
  int32_t work;    /* index into the process's works, or EVENT_NONE */
  int32_t subject; /* what it is about */
  int32_t name;    /* of the function that the pool ran, or EVENT_NONE */
};

/* Something that is counted, at a moment; trace_chrome.c. */
struct count {
  uint64_t at;
  uint64_t value;
  int32_t name;
};

/* The stack of the loop's thread, sampled while it held the loop up. */
struct stack_sample {
  uint64_t at;    /* since the loop's start */
  size_t first;   /* of its frames, the innermost */
  uint32_t count; /* of them */
};

/* A thread of the pool at work. Times are since the process's recording began. */
struct work {
  uint64_t start;
  uint64_t duration;
  uint64_t address; /* of the struct uv__work */
  uint32_t thread;
  uint32_t waiting; /* how much more waited for a thread when it began */
  int32_t loop;     /* whose request it was, as an index in the trace; or EVENT_NONE, */
  int32_t cause;    /* and the cause there */
  bool unfinished;
};

struct thread_name {
  uint32_t thread;
  char* name;
};

struct trace_process {
  uint32_t pid;
  uint32_t processors;
  char* program;
  char* command;
  uint64_t start_ns; /* of its recording, on the monotonic clock */
  uint64_t start_wall_ns;
  char** names;
  size_t name_count, name_capacity;
  struct thread_name* threads;
  size_t thread_count, thread_capacity;
  struct work* works; /* by start */
  size_t work_count, work_capacity;
};

struct trace_loop {
  struct trace_process* process;
  uint32_t pid;
  uint32_t thread;
  uint32_t number;
  uint64_t lost;
  uint32_t has;        /* of TRACE_HAS_… */
  uint64_t start_ns;   /* on the monotonic clock, which all loops of a machine share */
  uint64_t process_ns; /* start_ns of its process's first loop, see trace_sort */
  uint64_t offset_ns;  /* from the trace's start to start_ns, see trace_sort */
  uint64_t begin_ns;   /* where it is shown from, since start_ns; see trace_cut */
  uint64_t end_ns;     /* of the last event, since start_ns */
  bool overwritten;    /* of a ring: the beginning is gone */
  char backend[17];
  char** names; /* its process's */
  size_t name_count;
  struct event* events;
  size_t event_count, event_capacity;
  char** subjects;
  size_t subject_count, subject_capacity;
  struct wait* waits; /* one for each sleep, in their order */
  size_t wait_count, wait_capacity;
  struct cpu_time* cpu;
  size_t cpu_count, cpu_capacity;
  struct cause* causes;
  size_t cause_count, cause_capacity;
  struct count* counts;
  size_t count_count, count_capacity;
  struct stack_sample* samples; /* by time */
  size_t sample_count, sample_capacity;
  int32_t* frames; /* names, or EVENT_NONE */
  size_t frame_count, frame_capacity;
  struct alive alive[WAITS_KEPT];
  size_t alive_count;
};

struct trace {
  struct trace_loop* loops; /* sorted by process, then by number */
  size_t count;
  struct trace_process** processes;
  size_t process_count;
  uint64_t seen_ns; /* when the process of the file that is read next was last seen, on
                       the monotonic clock; 0: nobody looked */
  bool damaged;     /* a file was, or was cut short: what is here came before that */
};

/* No program runs that long, and what is added to it stays a number. */
static const uint64_t TRACE_CENTURY_NS = (uint64_t) 100 * 366 * 24 * 3600 * 1000000000u;

/* Makes a loop's events of records, which may come in parts. What is open behind the last
 * goes on until `ended`, in ns since the loop's start, if that is later. */
struct loop_reader;
/* `first_ns`: where the loop's times begin in those of the records. `whole`: the records
 * begin where the loop's recording did. */
struct loop_reader* loop_reader_make(struct trace_loop* loop, uint64_t first_ns,
                                     bool whole);
/* How many of them were good, those of text counted. */
size_t loop_reader_take(struct loop_reader* reader, const struct trace_record* records,
                        size_t count);
void loop_reader_end(struct loop_reader* reader, uint64_t ended);

/* Definitions and the pool's work; how many records were good. */
size_t process_define(struct trace_process* process, const struct trace_record* records,
                      size_t count);
size_t process_work(struct trace_process* process, const struct trace_record* records,
                    size_t count);
/* How many records of text stand behind this one, of `left`; -1 if that can't be. */
long record_text(const struct trace_record* record, size_t left);

/* Who waited for which work of the pool: trace_causes.c. When all loops are there. */
void trace_join_works(struct trace* trace);
/* What a thread was called last; "" if that isn't known. */
const char* thread_name_of(const struct trace_process* process, uint32_t thread);

/* Adds the loops of a file or pipe. NULL, or what is wrong with it; what is good of
 * one that was cut short is taken. */
const char* trace_read(struct trace* trace, const char* path);
/* The same of what is in memory. */
const char* trace_read_bytes(struct trace* trace, const char* bytes, size_t size);
void trace_sort(struct trace* trace);
/* Leaves what lies between two times since the trace's start, or reaches into that. False
 * without memory. */
bool trace_cut(struct trace* trace, uint64_t from_ns, uint64_t to_ns);
void trace_free(struct trace* trace);
/* For those that read files: room for another. They exit without memory. */
struct trace_process* trace_add_process(struct trace* trace);
struct trace_loop* trace_add_loop(struct trace* trace, struct trace_process* process);
/* Both texts are of those sizes at most; arguments end with a zero each. */
enum { TRACE_PROGRAM_SIZE = 1024, TRACE_COMMAND_SIZE = 2048 };
void process_describe(struct trace_process* process, const char* program,
                      const char* command);
/* A section of versions 1 and 2, in trace_file_2.c: how long it is, 0 if it is none. */
size_t section_2_read(struct trace* trace, const char* bytes, size_t left,
                      const char** problem);

/* The earliest start of all loops: where time begins in what is written. */
uint64_t trace_origin_ns(const struct trace* trace);

/* trace_symbols.c: what the function at this place of a program or library is called; to
 * be freed. NULL without memory. */
char* symbol_name(const char* file, uint64_t place);

/* An array with room for one more; exits without memory, for the command has nothing else
 * to do. */
_Noreturn void out_of_memory(void);
void* array_grow(void* array, size_t count, size_t* capacity, size_t size);
char* text_copy(const char* text, size_t length);

#endif
