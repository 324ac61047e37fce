/* A trace for the command's outputs: processes with loops, and loops with events that are
 * sorted by their start, parents before children, and nest. trace_model.c makes the
 * events from the recorder's records; trace_file.c finds the records in files. */
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
  EVENT_OUTSIDE = 13, /* not in uv_run; detail: OUTSIDE_… and OUTSIDE_DUE_SHIFT */
  EVENT_KINDS = 14,
};
extern const char* const event_names[EVENT_KINDS];

static inline bool event_is_phase(unsigned int kind) {
  return kind >= EVENT_TIMERS && kind <= EVENT_CLOSING;
}

/* Bits in the detail of EVENT_OUTSIDE. The bits from OUTSIDE_DUE_SHIFT on: how many
 * microseconds a timer had been due when uv_run was called again. */
enum {
  OUTSIDE_STARTING = 1, /* before the first uv_run */
  OUTSIDE_ENDING = 2,   /* uv_run was not called again */
  OUTSIDE_OUTER = 4,    /* an outer loop may have slept on the backend's descriptor */
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
  uint32_t many;   /* number of consecutive calls that are one event; 0: one callback */
  bool more;       /* there were more than `many` calls; nobody has counted them */
  bool unfinished; /* the recording ended during it */
  bool timer;      /* a callback of a timer that was due; detail: how late, in ns */
};

/* The handles and requests that a sleep waited for. */
struct wait {
  uint32_t handles;  /* number that keep the loop alive */
  uint32_t requests; /* number in flight */
};

enum { WAITS_KEPT = 32 };

/* A handle that kept the loop alive when they were last listed. */
struct alive {
  int32_t subject;
  int fd;     /* -1: none */
  char* text; /* an address or a path; may be "" */
};

/* Processor time of the loop's thread, from the record before (or the thread's start) to
 * `until`; sleeps don't count. */
struct cpu_time {
  uint64_t until;
  uint64_t awake;
  uint64_t used;
  uint64_t delay;     /* time waiting for a processor, */
  uint64_t throttled; /* time that its control group was throttled */
};

/* The origin of a request or handle: what began it, and what the pool did for it. */
struct cause {
  uint64_t key;    /* the subject as recorded: its address and kind */
  uint64_t begun;  /* since the loop's start */
  int32_t by;      /* the event that began it, or EVENT_NONE */
  int32_t work;    /* index into the process's works, or EVENT_NONE */
  int32_t subject; /* index of the subject's text */
  int32_t name;    /* function that the pool ran, or EVENT_NONE */
};

/* The value of a counter at a moment; trace_chrome.c. */
struct count {
  uint64_t at;
  uint64_t value;
  int32_t name;
};

/* Garbage collections on the loop's thread; of a ring, `count` includes short ones whose
 * time isn't known. Sorted by time. */
struct collection {
  uint64_t start, duration;
  uint64_t count;
  int32_t name; /* its kind */
};

/* A stack of the loop's thread, sampled while it held the loop up. */
struct stack_sample {
  uint64_t at;    /* since the loop's start */
  size_t first;   /* index of the innermost frame */
  uint32_t count; /* number of frames */
};

/* A time in which an engine's samples stand for those of the sampling thread. */
struct engine_time {
  uint64_t from, to;
};

/* Work of a thread of the pool. Times are since the process's recording began. */
struct work {
  uint64_t start;
  uint64_t duration;
  uint64_t address; /* of the struct uv__work */
  uint32_t thread;
  uint32_t waiting; /* how much work waited for a thread when this began */
  int32_t loop;     /* index of the loop whose request it was, or EVENT_NONE, */
  int32_t cause;    /* and the cause there */
  bool unfinished;
};

/* Data that had been there for a while when the loop read it. */
struct arrival {
  uint64_t read;   /* since the loop's start */
  uint64_t waited; /* or longer */
  int32_t subject;
  int32_t event; /* its callback; EVENT_NONE in a ring, if that was short */
  char* text;    /* addresses; may be "" */
};

struct thread_name {
  uint32_t thread;
  char* name;
};

/* A time in which a process was stopped by a signal or a debugger, on the monotonic
 * clock.
 */
struct stop {
  uint64_t from, to;
};

struct trace_process {
  uint32_t pid;
  uint32_t processors;
  char* program;
  char* command;
  char* note;        /* how it was seen, if it wasn't recorded; or NULL */
  uint64_t start_ns; /* start of its recording, on the monotonic clock */
  uint64_t start_wall_ns;
  char** names;
  size_t name_count, name_capacity;
  struct thread_name* threads;
  size_t thread_count, thread_capacity;
  struct work* works; /* sorted by start */
  size_t work_count, work_capacity;
  struct stop* stops; /* as its parent knows them */
  size_t stop_count, stop_capacity;
};

struct trace_loop {
  struct trace_process* process;
  uint32_t pid;
  uint32_t thread;
  uint32_t number;
  uint64_t lost;
  uint64_t start_ns;   /* on the monotonic clock, which all loops of a machine share */
  uint64_t process_ns; /* start_ns of its process's first loop, see trace_sort */
  uint64_t offset_ns;  /* from the trace's start to start_ns, see trace_sort */
  /* Start of the part that is shown, since start_ns: of what a ring still has, or what
   * trace_cut has left. */
  uint64_t begin_ns;
  uint64_t end_ns;  /* of the last event, since start_ns */
  bool overwritten; /* the beginning is, since the recording was full */
  /* Not recorded, but looked at from outside at this distance, so often; 0: recorded. */
  uint64_t sampled_ns;
  uint64_t looks, looks_asleep, looks_collecting;
  bool is_loopless; /* a thread that was seen to run no loop */
  char backend[17];
  char** names; /* those of its process */
  size_t name_count;
  struct event* events;
  size_t event_count, event_capacity;
  char** subjects;
  size_t subject_count, subject_capacity;
  struct wait* waits; /* one for each sleep, in order */
  size_t wait_count, wait_capacity;
  struct cpu_time* cpu;
  size_t cpu_count, cpu_capacity;
  struct cause* causes;
  size_t cause_count, cause_capacity;
  struct count* counts;
  size_t count_count, count_capacity;
  struct collection* collections;
  size_t collection_count, collection_capacity;
  struct stack_sample* samples; /* sorted by time */
  size_t sample_count, sample_capacity;
  int32_t* frames; /* names, or EVENT_NONE */
  size_t frame_count, frame_capacity;
  struct engine_time* engine;
  size_t engine_count, engine_capacity;
  struct alive alive[WAITS_KEPT];
  size_t alive_count;
  struct arrival* arrivals; /* by time */
  size_t arrival_count, arrival_capacity;
};

struct trace {
  struct trace_loop* loops; /* sorted by process, then by number */
  size_t count;
  struct trace_process** processes;
  size_t process_count;
  uint64_t seen_ns; /* when the process of the next file was last seen, on */
  bool damaged;     /* a file was damaged or truncated: this is the part before */
};

/* No program runs that long, and sums with it don't overflow. */
static const uint64_t TRACE_CENTURY_NS = (uint64_t) 100 * 366 * 24 * 3600 * 1000000000u;

/* Makes a loop's events from records, which may come in parts. Spans that are open after
 * the last record last until `ended`, in ns since the loop's start, if that is later. */
struct loop_reader;
/* `first_ns`: the loop's start in the records' times. `whole`: the records begin where
 * the loop's recording began. */
struct loop_reader* loop_reader_make(struct trace_loop* loop, uint64_t first_ns,
                                     bool whole);
/* Returns how many records were valid, including those of text. */
size_t loop_reader_take(struct loop_reader* reader, const struct trace_record* records,
                        size_t count);
/* The time of the last record, in the records' times. */
uint64_t loop_reader_now(const struct loop_reader* reader);
/* `loop`: the loop's address, which may have changed since the reader was made. */
void loop_reader_end(struct loop_reader* reader, struct trace_loop* loop, uint64_t ended);

/* Reads definitions and the pool's work; returns how many records were valid. */
size_t process_define(struct trace_process* process, const struct trace_record* records,
                      size_t count);
size_t process_work(struct trace_process* process, const struct trace_record* records,
                    size_t count);
long name_define(struct trace_process* process, const struct trace_record* record,
                 size_t left);
/* How many of the `left` records that follow are this record's text; -1 if that is
 * impossible. */
long record_text(const struct trace_record* record, size_t left);

/* Of its subject: TRACE_SUBJECT_… */
static inline unsigned int cause_kind(const struct cause* cause) {
  return (unsigned int) (cause->key >> TRACE_SUBJECT_SHIFT) & 0xff;
}

/* Matches requests with the pool's work: trace_causes.c. Called when all loops have been
 * read. */
void trace_join_works(struct trace* trace);
/* The last name of a thread; "" if it isn't known. */
const char* thread_name_of(const struct trace_process* process, uint32_t thread);

/* Adds the loops of a file or pipe. Returns NULL, or what is wrong; the valid part of a
 * truncated file is used. */
const char* trace_read(struct trace* trace, const char* path);
/* As trace_read for data in memory. */
const char* trace_read_bytes(struct trace* trace, const char* bytes, size_t size);
void trace_sort(struct trace* trace);
/* Keeps the events between two times since the trace's start, and those that reach into
 * that range. False without memory. */
bool trace_cut(struct trace* trace, uint64_t from_ns, uint64_t to_ns);
void trace_free(struct trace* trace);
/* Makes room for another process. Exits without memory. */
struct trace_process* trace_add_process(struct trace* trace);
struct trace_loop* trace_add_loop(struct trace* trace, struct trace_process* process);
/* The largest sizes of both texts; each argument ends with a NUL. */
enum { TRACE_PROGRAM_SIZE = 1024, TRACE_COMMAND_SIZE = 2048 };
void process_describe(struct trace_process* process, const char* program,
                      const char* command);

/* How long the data of this event had waited, or NULL. For events in their order; `next`
 * is 0 at first. */
const struct arrival* arrival_of(const struct trace_loop* loop, int32_t event,
                                 size_t* next);

/* The earliest start of all loops: time 0 of the output. */
uint64_t trace_origin_ns(const struct trace* trace);

/* trace_symbols.c: the name of the function at this offset of a program or library; to be
 * freed. NULL without memory. */
char* symbol_name(const char* file, uint64_t place);
/* The class whose table of virtual functions has that mangled name, to be freed; NULL if
 * it can't be demangled. */
char* symbol_class_name(const char* name);

/* Grows an array by one; exits without memory, since the command can do nothing else. */
_Noreturn void out_of_memory(void);
void* array_grow(void* array, size_t count, size_t* capacity, size_t size);
char* text_copy(const char* text, size_t length);

#endif
