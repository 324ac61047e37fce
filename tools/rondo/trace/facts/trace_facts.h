/* The facts of a trace, computed in one place for all outputs: where a loop's time went,
 * which callbacks took it, when the loop was held up and by what, and how long events
 * waited for it. */
#ifndef RONDO_TOOL_TRACE_FACTS_H
#define RONDO_TOOL_TRACE_FACTS_H

#include "trace_model.h"

/* Calls of one name with one kind of subject, since a program may have one function for
 * all its requests. `own` excludes the callbacks, ticks and microtasks inside. */
struct total {
  const char* name;
  const char* subject; /* such as "tcp 7", for the kind; NULL: none */
  uint64_t calls, all, own, longest;
  int32_t longest_event;
  bool more;    /* there were more calls than are counted */
  int32_t next; /* the next total of the same name, or EVENT_NONE */
};

/* The taker: who took most of a stretch. */
enum taker {
  TAKER_CALLBACK, /* one callback, or many calls of one function */
  TAKER_MANY,     /* callbacks, none of which took most of it */
  TAKER_OUTSIDE,  /* the program, outside of uv_run */
  TAKER_NOBODY,   /* no callback: the loop itself, or the machine */
};

/* The processor time of the loop's thread in a stretch, in ns. */
struct cpu_share {
  bool known;
  uint64_t used, delay, throttled;
};

/* A stretch without a poll: from the end of a sleep (or from the start of a poll that
 * didn't sleep) to the next poll. During a stretch no event is served. A stretch includes
 * time outside of uv_run, except time that an outer loop slept. */
struct stretch {
  uint64_t start, end;
  uint64_t idle;      /* part of it that an outer loop slept */
  size_t first, last; /* range of its events; `last` is exclusive */
  int32_t look;       /* the event that ended it, or EVENT_NONE */
  int32_t outside;    /* its longest time outside of uv_run, or EVENT_NONE */
  bool starting;      /* before the first turn */

  /* Computed only for the stretches that are listed. */
  bool unnoticed; /* outside of uv_run, and nothing was due or ready */
  bool ready;     /* outside of uv_run, and something was ready at the end, */
  uint64_t due;   /* and how long a timer had been due */
  enum taker taker;
  int32_t culprit; /* the longest call of what took most, or EVENT_NONE */
  int32_t inside;  /* a span inside that took most of that, or EVENT_NONE */
  uint64_t took;   /* time of all its calls */
  uint64_t calls, callbacks;
  int32_t turn; /* the event of its turn, or EVENT_NONE */
  struct cpu_share cpu;
};

static inline uint64_t stretch_length(const struct stretch* stretch) {
  return stretch->end - stretch->start - stretch->idle;
}

enum { HELD_MOST = 20 };

/* The request that waited longest for a thread of the pool, longer than it then ran, and
 * the requests that had the threads meanwhile. */
struct starved {
  int32_t cause; /* the request; EVENT_NONE if there was none that starved */
  int32_t event; /* its callback; EVENT_NONE: it hasn't been called back */
  bool unserved; /* it has never got a thread */
  uint64_t waited;
  uint64_t threads;      /* of the pool */
  uint64_t holder_count; /* of the requests that had them most of the time; */
  int32_t holder_cause;  /* one of those, */
  int32_t holder_event;  /* and its callback, or EVENT_NONE */
};

enum { LATE_MOST = 6 };

/* Data that waited to be read, and behind what. */
struct late_data {
  const struct arrival* arrival;
  struct stretch behind; /* from its arrival to its read */
};

struct facts {
  const struct trace_loop* loop;
  uint64_t length; /* of the part that is shown */
  uint64_t turns, sleeps, callbacks;
  uint64_t asleep, longest_sleep;
  uint64_t outside;      /* of uv_run, */
  uint64_t outside_idle; /* and of that, asleep in an outer loop */
  uint64_t in_callbacks; /* in turns */
  uint64_t in_scripts;   /* main script, ticks and so on outside of turns */
  uint64_t turning;      /* the rest of the turns: the loop's own work */
  uint64_t busy;         /* all but sleep; starting and ending don't count */
  struct cpu_share cpu;  /* of the loop's thread, all the time */
  uint64_t shown;        /* the time that `busy` is a share of */
  struct {
    uint64_t spans, callbacks, time, longest;
  } phases[EVENT_KINDS];
  struct total* totals; /* sorted by own time */
  size_t total_count, total_capacity;
  int32_t* first_total; /* index by name, then by kind of event without a name */
  uint64_t* inside;     /* for each event, the time of the counted spans inside */
  struct stretch held[HELD_MOST]; /* sorted, the longest first */
  size_t held_count;
  /* The worst of them, except starting and unnoticed; or NULL. */
  const struct stretch* worst;
  /* The longest unnoticed one; NULL unless longer than `worst`. */
  const struct stretch* unnoticed;
  const struct stretch* starting;
  struct starved starved;
  struct late_data late[LATE_MOST]; /* the latest first */
  size_t late_count;
  size_t late_all; /* reads of data that was late */
  /* Percentiles over all moments: an event that arrives then waits no longer than this.
   */
  uint64_t wait_p50, wait_p90, wait_p99, wait_worst;
};

/* NULL without memory. */
struct facts* facts_make(const struct trace* trace, size_t loop);
void facts_free(struct facts* facts);
/* The facts of all loops of a trace, in the same order. */
struct facts** facts_of_all(const struct trace* trace);
void facts_free_all(struct facts** all, size_t count);

/* For a loop without callbacks, such as the one that Node keeps for tracing: its thread's
 * time has nothing to do with it. */
bool facts_of_unused(const struct facts* facts);

/* Why a thread had much less of the processor than the time that passed. */
enum cpu_verdict {
  CPU_FINE, /* it had most of it */
  CPU_THROTTLED,
  CPU_BUSY,   /* others had the processor */
  CPU_WAITED, /* it didn't want one */
  CPU_PARTLY, /* so little is missing that the cause isn't known */
};
enum cpu_verdict cpu_verdict(const struct cpu_share* cpu, uint64_t length);

/* For a loop of a helper thread that has slept nearly all the time, such as that of
 * Node's delayed tasks: one sentence says everything, if there are other loops. */
bool facts_of_sleeper(const struct facts* facts);
/* For how long that one was awake. */
uint64_t facts_sleeper_busy(const struct facts* facts);
/* Whether functions of the program's are called on the loop: not on one that Node keeps
 * for a thread of its own. */
bool facts_of_program(const struct facts* facts);

/* The processor time of the loop's thread between two times. */
struct cpu_share cpu_between(const struct trace_loop* loop, uint64_t from, uint64_t to);

/* --- small questions about events ------------------------------------------------- */

/* Whether the event is a callback or similar (script, ticks, microtasks). */
bool is_work(const struct event* event);
const struct event* parent_of(const struct trace_loop* loop, const struct event* event);
/* The turn that contains the event, or NULL. */
const struct event* turn_of(const struct trace_loop* loop, const struct event* event);
const char* event_name(const struct trace_loop* loop, const struct event* event);
/* The length of "tcp" in "tcp 7". */
size_t kind_length(const char* subject);
bool same_subject_kind(const char* left, const char* right);
/* Whether "tcp 7" says more than the name before it. */
bool subject_matters(const char* subject);
/* Whether the name comes from the program's own language: its function or request. */
bool event_is_of_script(const struct trace_loop* loop, const struct event* event);
/* Whether the name is that of a function or request of the program's: with a place in a
 * script, which isn't inside Node. Microtasks are known by another function's name. */
bool name_is_of_program(const char* name);
/* Whether it is a function inside Node. */
bool name_is_of_node(const char* name);
bool event_is_of_program(const struct trace_loop* loop, const struct event* event);
static inline uint64_t without(uint64_t all, uint64_t part) {
  return all > part ? all - part : 0;
}
/* A ring counts consecutive short callbacks instead of listing them; so does a recording
 * of everything with calls of one function of a script right after each other. */
static inline uint64_t event_calls(const struct event* event) {
  return event->many > 0 ? event->many : 1;
}
static inline uint64_t event_each(const struct event* event) {
  return event->duration / event_calls(event);
}
static inline uint64_t end_of_event(const struct event* event) {
  return event->start + event->duration;
}

#endif
