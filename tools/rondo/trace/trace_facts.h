/* What a trace says, computed in one place for all forms: where a loop's time went, which
 * callbacks took it, when the loop was held up and by whom, how long one waits for it. */
#ifndef RONDO_TOOL_TRACE_FACTS_H
#define RONDO_TOOL_TRACE_FACTS_H

#include "trace_model.h"

/* Of one name, with one kind of subject: a program may have one function for all its
 * requests. `own` leaves out the callbacks, ticks and microtasks inside. */
struct total {
  const char* name;
  const char* subject; /* "tcp 7": of this kind; NULL: of none */
  uint64_t calls, all, own, longest;
  int32_t longest_event;
  int32_t next; /* of the same name, or EVENT_NONE */
};

/* Who took most of a stretch. */
enum taker {
  TAKER_CALLBACK, /* one callback, or many calls of one */
  TAKER_MANY,     /* callbacks, but none of them most of it */
  TAKER_OUTSIDE,  /* the program, outside of uv_run */
  TAKER_NOBODY,   /* no callback: the loop's own work, or the machine's */
};

/* What the loop's thread had of the processor in a stretch, in ns. */
struct cpu_share {
  bool known;
  uint64_t used, delay, throttled;
};

/* A stretch without a look at what is ready: from the end of a sleep (or from the start
 * of a poll that didn't sleep) to the next. While it lasts nobody is served, however
 * ready they are. Time outside of uv_run is part of it, but for what an outer loop slept.
 */
struct stretch {
  uint64_t start, end;
  uint64_t idle;      /* of it, asleep in an outer loop */
  size_t first, last; /* the events in it, from the first to before the last */
  int32_t look;       /* the event that ended it, or EVENT_NONE */
  int32_t outside;    /* the longest time outside in it, or EVENT_NONE */
  bool starting;      /* before the first turn */

  /* Of those that are listed. */
  bool unnoticed; /* outside, and nothing was due or ready */
  bool ready;     /* outside, and something was ready at the end, */
  uint64_t due;   /* and a timer due for so long */
  enum taker taker;
  int32_t culprit; /* the longest call of whoever took most, or EVENT_NONE */
  int32_t inside;  /* a span in it that took most of that, or EVENT_NONE */
  uint64_t took;   /* by all its calls */
  uint64_t calls, callbacks;
  int32_t turn; /* the event, or EVENT_NONE */
  struct cpu_share cpu;
};

static inline uint64_t stretch_length(const struct stretch* stretch) {
  return stretch->end - stretch->start - stretch->idle;
}

enum { HELD_MOST = 20 };

/* The request that waited longest for a thread of the pool, longer than it was on it, and
 * whose requests had the threads meanwhile. */
struct starved {
  int32_t event; /* its callback; EVENT_NONE if there was none worth a word */
  uint64_t waited;
  uint64_t threads;           /* of the pool */
  int32_t holder;             /* the event that began most of those, or EVENT_NONE, */
  const char* holder_subject; /* one of them, "work 7", or NULL, */
  uint64_t holder_count;      /* and how many there were */
};

struct facts {
  const struct trace_loop* loop;
  uint64_t length; /* of what is shown of the loop */
  uint64_t turns, sleeps, callbacks;
  uint64_t asleep, longest_sleep;
  uint64_t outside;      /* of uv_run, */
  uint64_t outside_idle; /* and of that, asleep in an outer loop */
  uint64_t in_callbacks; /* in turns */
  uint64_t in_scripts;   /* main script, ticks and so on outside of turns */
  uint64_t turning;      /* the rest of the turns: the loop's own work */
  uint64_t busy;         /* all but sleep; starting and ending are not counted */
  uint64_t shown;        /* what busy is a share of */
  struct {
    uint64_t spans, callbacks, time, longest;
  } phases[EVENT_KINDS];
  struct total* totals; /* by own time */
  size_t total_count, total_capacity;
  int32_t* first_total; /* of each name, then of each kind of event without one */
  uint64_t* inside;     /* for each event, the time of the spans in it that are counted */
  struct stretch held[HELD_MOST]; /* the longest first */
  size_t held_count;
  const struct stretch* worst; /* of those, but for starting and unnoticed; or NULL */
  const struct stretch*
      unnoticed; /* the longest of those; NULL unless it is the longer */
  const struct stretch* starting;
  struct starved starved;
  /* Half of all moments, 90 and 99 of 100: what arrives then waits no longer than this.
   */
  uint64_t wait_p50, wait_p90, wait_p99, wait_worst;
};

/* NULL without memory. */
struct facts* facts_make(const struct trace* trace, size_t loop);
void facts_free(struct facts* facts);
/* Of all loops of a trace, in their order. */
struct facts** facts_of_all(const struct trace* trace);
void facts_free_all(struct facts** all, size_t count);

/* Of a loop that nothing was called back on, such as the one that Node keeps for tracing
 * events: what its thread did meanwhile was none of its business. */
bool facts_of_unused(const struct facts* facts);

/* What the loop's thread had of the processor between two moments. */
struct cpu_share cpu_between(const struct trace_loop* loop, uint64_t from, uint64_t to);

/* --- small questions about events ------------------------------------------------- */

/* A callback or the like. */
bool is_work(const struct event* event);
const struct event* parent_of(const struct trace_loop* loop, const struct event* event);
/* The turn it is in, or NULL. */
const struct event* turn_of(const struct trace_loop* loop, const struct event* event);
const char* event_name(const struct trace_loop* loop, const struct event* event);
/* The length of "tcp" in "tcp 7". */
size_t kind_length(const char* subject);
bool same_subject_kind(const char* left, const char* right);
static inline uint64_t without(uint64_t all, uint64_t part) {
  return all > part ? all - part : 0;
}
/* A ring counts short callbacks in a row and doesn't list them. */
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
