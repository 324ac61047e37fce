/* Turns records into events. Records mark the beginning and the end of spans, and leave
 * out what can be derived (src/trace/format.h). Here every span gets its duration, and
 * every turn its poll phase, which has no record if it had no events.
 *
 * A file may have been cut anywhere, or be damaged: reading ends at the first impossible
 * record, and spans that are open then end with the process, if its end is known, or with
 * the last event. */
#include "trace_model.h"
#include "trace_collections.h"
#include "trace_samples.h"
#include "trace_subjects.h"

#include "uv.h"
#include "rondo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const event_names[EVENT_KINDS] = {
    "turn",    "timers", "pending",  "idle",  "prepare",    "poll",   "check",
    "closing", "sleep",  "callback", "ticks", "microtasks", "script", "outside"};

/* The stack of open spans: a run, in it perhaps a turn, in it perhaps a phase, then
 * spans; or time outside of runs, and spans in it. Usually a handful are open. */
enum open_kind { OPEN_OUTSIDE, OPEN_RUN, OPEN_TURN, OPEN_PHASE, OPEN_SPAN };
enum {
  OPEN_MOST = 1000,
};

struct open {
  enum open_kind kind;
  int32_t event;     /* unused for a run */
  uint64_t last_end; /* end of the last span inside */
  bool polled;       /* of a turn: it had a poll phase */
};

struct loop_reader {
  struct trace_loop* loop;
  struct subjects subjects;
  struct open* stack;
  size_t depth, capacity;
  uint64_t first_ns; /* subtracted from the records' times */
  uint64_t now;
  bool ran;         /* there was a run */
  bool listing;     /* the last record was TRACE_WAITS */
  uint64_t arrived; /* whose data is called back next, if the last was TRACE_ARRIVED */
};

/* --- small parts ------------------------------------------------------------------ */

void out_of_memory(void) {
  fputs("rondo: no memory for this trace\n", stderr);
  exit(1);
}

void* array_grow(void* array, size_t count, size_t* capacity, size_t size) {
  if (count < *capacity)
    return array;
  size_t more = *capacity == 0 ? 64 : *capacity * 2;
  void* bigger = realloc(array, more * size);
  if (bigger == NULL)
    out_of_memory();
  *capacity = more;
  return bigger;
}

char* text_copy(const char* text, size_t length) {
  char* copy = malloc(length + 1);
  if (copy == NULL)
    out_of_memory();
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static int32_t event_add(struct loop_reader* reader, unsigned int kind, uint64_t start,
                         int64_t detail) {
  struct trace_loop* loop = reader->loop;
  loop->events = array_grow(loop->events, loop->event_count, &loop->event_capacity,
                            sizeof(*loop->events));
  int32_t parent = EVENT_NONE;
  for (size_t i = reader->depth; parent == EVENT_NONE && i > 0; i--)
    parent = reader->stack[i - 1].event;
  loop->events[loop->event_count] = (struct event){.start = start,
                                                   .detail = detail,
                                                   .name = EVENT_NONE,
                                                   .subject = EVENT_NONE,
                                                   .parent = parent,
                                                   .cause = EVENT_NONE,
                                                   .kind = (uint16_t) kind};
  return (int32_t) loop->event_count++;
}

static void open_push(struct loop_reader* reader, enum open_kind kind, int32_t event) {
  reader->stack =
      array_grow(reader->stack, reader->depth, &reader->capacity, sizeof(*reader->stack));
  reader->stack[reader->depth++] =
      (struct open){.kind = kind, .event = event, .last_end = reader->now};
}

static struct open* top(struct loop_reader* reader) {
  return reader->depth == 0 ? NULL : &reader->stack[reader->depth - 1];
}

static bool top_is(struct loop_reader* reader, enum open_kind kind) {
  return reader->depth > 0 && top(reader)->kind == kind;
}

/* --- closing ---------------------------------------------------------------------- */

/* A turn whose poll has no record had one all the same: in the gap between the phases
 * before it and those after. */
static void turn_poll(struct loop_reader* reader, uint64_t until) {
  struct open* turn = top(reader);
  if (turn->polled)
    return;
  turn->polled = true;
  int32_t poll = event_add(reader, EVENT_POLL, turn->last_end, 0);
  reader->loop->events[poll].duration = until - turn->last_end;
  top(reader)->last_end = until;
}

static void pop(struct loop_reader* reader) {
  struct open* open = top(reader);
  uint64_t end = reader->now;
  if (open->kind == OPEN_TURN)
    turn_poll(reader, end);
  open = top(reader);
  if (open->event != EVENT_NONE) {
    struct event* event = &reader->loop->events[open->event];
    if (open->kind == OPEN_PHASE && event->kind != EVENT_POLL)
      end = open->last_end; /* a phase ends with its last callback */
    event->duration = end - event->start;
  }
  if (--reader->depth > 0)
    top(reader)->last_end = end;
}

/* Closes everything inside the innermost run. */
static void close_turn(struct loop_reader* reader) {
  while (reader->depth > 0 && !top_is(reader, OPEN_RUN))
    pop(reader);
}

/* --- records ---------------------------------------------------------------------- */

/* A nested run, inside a callback, isn't an event itself; its turns are. */
static void begin_run(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  while (reader->depth > 0 && reader->stack[0].kind == OPEN_OUTSIDE) {
    if (reader->depth == 1) {
      struct event* outside = &loop->events[top(reader)->event];
      outside->detail = (int64_t) ((uint64_t) record->name << OUTSIDE_DUE_SHIFT) |
                        (reader->ran ? 0 : OUTSIDE_STARTING) |
                        ((record->detail & TRACE_RUN_OUTER) != 0 ? OUTSIDE_OUTER : 0);
    }
    pop(reader);
  }
  reader->ran = true;
  loop->thread = (uint32_t) record->number;
  open_push(reader, OPEN_RUN, EVENT_NONE);
}

static void begin_outside(struct loop_reader* reader) {
  open_push(reader, OPEN_OUTSIDE,
            event_add(reader, EVENT_OUTSIDE, reader->now, OUTSIDE_ENDING));
}

static void end_run(struct loop_reader* reader) {
  close_turn(reader);
  if (reader->depth > 0)
    pop(reader);
  if (reader->depth == 0)
    begin_outside(reader);
}

static void begin_turn(struct loop_reader* reader, const struct trace_record* record) {
  close_turn(reader);
  if (reader->depth == 0)
    open_push(reader, OPEN_RUN, EVENT_NONE);
  if (record->name != 0)
    reader->loop->thread = record->name;
  open_push(reader, OPEN_TURN,
            event_add(reader, EVENT_TURN, reader->now, (int64_t) record->number));
}

/* Phases of a turn whose beginning wasn't recorded are left out. */
static void begin_phase(struct loop_reader* reader, int phase) {
  if (top_is(reader, OPEN_PHASE))
    pop(reader);
  if (!top_is(reader, OPEN_TURN))
    return;
  if (phase > RONDO_PHASE_POLL)
    turn_poll(reader, reader->now);
  if (phase == RONDO_PHASE_POLL)
    top(reader)->polled = true;
  open_push(reader, OPEN_PHASE,
            event_add(reader, EVENT_TIMERS + (unsigned int) phase, reader->now, 0));
}

/* In a ring, a sleep or short callbacks begin their phase. */
static void enter_phase(struct loop_reader* reader, int phase) {
  if (!top_is(reader, OPEN_PHASE) || reader->loop->events[top(reader)->event].kind !=
                                         EVENT_TIMERS + (unsigned int) phase)
    begin_phase(reader, phase);
}

static int32_t name_index(const struct loop_reader* reader,
                          const struct trace_record* record) {
  return record->name == 0 || record->name > reader->loop->name_count
             ? EVENT_NONE
             : (int32_t) record->name - 1;
}

/* Whether the callback is a timer's, and not its close callback. */
static bool is_timer(uint64_t subject) {
  uint64_t kind = subject >> TRACE_SUBJECT_SHIFT;
  return kind == TRACE_SUBJECT_HANDLE + UV_TIMER ||
         kind == TRACE_SUBJECT_NODE + TRACE_NODE_TIMEOUT;
}

static void begin_span(struct loop_reader* reader, const struct trace_record* record,
                       unsigned int kind) {
  int64_t detail = kind == EVENT_SLEEP ? (int64_t) record->number : record->detail;
  int32_t index = event_add(reader, kind, reader->now, detail);
  if (kind == EVENT_SLEEP) {
    struct trace_loop* loop = reader->loop;
    loop->waits = array_grow(loop->waits, loop->wait_count, &loop->wait_capacity,
                             sizeof(*loop->waits));
    loop->waits[loop->wait_count++] =
        (struct wait){record->detail < 0 ? 0 : (uint32_t) record->detail, record->name};
  }
  if (kind == EVENT_CALLBACK) {
    struct event* event = &reader->loop->events[index];
    event->name = name_index(reader, record);
    event->cause = subject_cause(&reader->subjects, record->number);
    event->subject = subject_index(&reader->subjects, reader->loop, record->number);
    if (event->cause != EVENT_NONE)
      reader->loop->causes[event->cause].subject = event->subject;
    if (record->number == reader->arrived && reader->loop->arrival_count > 0)
      reader->loop->arrivals[reader->loop->arrival_count - 1].event = index;
    event->timer = is_timer(record->number);
    if (event->timer)
      event->detail *= 1000;
  }
  open_push(reader, OPEN_SPAN, index);
}

/* Consecutive short callbacks are one event, whose end is known. */
static void many_add(struct loop_reader* reader, const struct trace_record* record) {
  uint64_t duration = record->number & (((uint64_t) 1 << TRACE_MANY_SHIFT) - 1);
  int phase = (int) (record->number >> TRACE_MANY_SHIFT) - 1;
  if (record->detail <= 0 || phase > RONDO_PHASE_CLOSING)
    return;
  if (phase >= RONDO_PHASE_TIMERS)
    enter_phase(reader, phase);
  int32_t index = event_add(reader, EVENT_CALLBACK, reader->now, 0);
  struct event* event = &reader->loop->events[index];
  event->name = name_index(reader, record);
  event->many = (uint32_t) record->detail;
  event->duration = duration;
  reader->now += duration;
  if (reader->depth > 0)
    top(reader)->last_end = reader->now;
}

static void span_end(struct loop_reader* reader) {
  if (top_is(reader, OPEN_SPAN))
    pop(reader);
}

static void span_named(struct loop_reader* reader, const struct trace_record* record) {
  int32_t event = top_is(reader, OPEN_SPAN) ? top(reader)->event : EVENT_NONE;
  if (event != EVENT_NONE && name_index(reader, record) != EVENT_NONE)
    reader->loop->events[event].name = name_index(reader, record);
}

static void span_repeated(struct loop_reader* reader, const struct trace_record* record) {
  int64_t count = record->detail;
  if (!top_is(reader, OPEN_SPAN) || count == 0)
    return;
  struct event* event = &reader->loop->events[top(reader)->event];
  event->many = (uint32_t) (count < 0 ? -count : count);
  event->more = count < 0;
}

static void alive_clear(struct trace_loop* loop) {
  for (size_t i = 0; i < loop->alive_count; i++)
    free(loop->alive[i].text);
  loop->alive_count = 0;
}

/* The first record of a series starts the list again. */
static void alive_add(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  if (!reader->listing)
    alive_clear(loop);
  int32_t subject = subject_index(&reader->subjects, loop, record->number);
  if (subject == EVENT_NONE || loop->alive_count == WAITS_KEPT)
    return;
  loop->alive[loop->alive_count++] =
      (struct alive){subject, (int) record->name - 1,
                     text_copy((const char*) (record + 1), (size_t) record->detail)};
}

static void arrival_add(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  loop->arrivals = array_grow(loop->arrivals, loop->arrival_count,
                              &loop->arrival_capacity, sizeof(*loop->arrivals));
  loop->arrivals[loop->arrival_count++] = (struct arrival){
      .read = reader->now,
      .waited = (uint64_t) record->name * 1000,
      .subject = subject_index(&reader->subjects, loop, record->number),
      .event = EVENT_NONE,
      .text = text_copy((const char*) (record + 1), (size_t) record->detail)};
}

static void cpu_add(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  loop->cpu =
      array_grow(loop->cpu, loop->cpu_count, &loop->cpu_capacity, sizeof(*loop->cpu));
  loop->cpu[loop->cpu_count++] = (struct cpu_time){
      .until = reader->now,
      .awake = record->detail < 0 ? 0 : (uint64_t) record->detail * 1000,
      .used = (record->number >> 32) * 1000,
      .delay = (uint64_t) record->name * 1000,
      .throttled = (record->number & UINT32_MAX) * 1000};
}

/* A repeating timer is started again before its callback, which isn't a cause. */
static bool is_repeat(struct loop_reader* reader, const struct trace_record* record) {
  return record->number >> TRACE_SUBJECT_SHIFT == TRACE_SUBJECT_HANDLE + UV_TIMER &&
         !top_is(reader, OPEN_SPAN) &&
         subject_cause(&reader->subjects, record->number) != EVENT_NONE;
}

/* The cause is the innermost open span, if that is a callback or similar. */
static void cause_add(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  if (is_repeat(reader, record))
    return;
  loop->causes = array_grow(loop->causes, loop->cause_count, &loop->cause_capacity,
                            sizeof(*loop->causes));
  loop->causes[loop->cause_count] =
      (struct cause){.key = record->number,
                     .begun = reader->now,
                     .by = top_is(reader, OPEN_SPAN) ? top(reader)->event : EVENT_NONE,
                     .work = EVENT_NONE,
                     .subject = EVENT_NONE,
                     .name = name_index(reader, record)};
  subject_begun(&reader->subjects, record->number, (int32_t) loop->cause_count++);
}

static void count_add(struct loop_reader* reader, const struct trace_record* record) {
  struct trace_loop* loop = reader->loop;
  loop->counts = array_grow(loop->counts, loop->count_count, &loop->count_capacity,
                            sizeof(*loop->counts));
  loop->counts[loop->count_count++] =
      (struct count){reader->now, record->number, name_index(reader, record)};
}

/* Returns how many records of text followed; -1 ends the reading. */
static long take(struct loop_reader* reader, const struct trace_record* record,
                 size_t left) {
  if (reader->depth > OPEN_MOST)
    return -1;
  switch ((enum trace_kind)(record->when & 0xff)) {
  case TRACE_RUN:
    begin_run(reader, record);
    return 0;
  case TRACE_RUN_END:
    end_run(reader);
    return 0;
  case TRACE_TURN:
    begin_turn(reader, record);
    return 0;
  case TRACE_PHASE:
    if (record->detail < RONDO_PHASE_TIMERS || record->detail > RONDO_PHASE_CLOSING)
      return -1;
    begin_phase(reader, record->detail);
    return 0;
  case TRACE_SLEEP:
    enter_phase(reader, RONDO_PHASE_POLL);
    begin_span(reader, record, EVENT_SLEEP);
    return 0;
  case TRACE_CALLBACK:
    begin_span(reader, record, EVENT_CALLBACK);
    return 0;
  case TRACE_TICKS:
    begin_span(reader, record, EVENT_TICKS);
    return 0;
  case TRACE_MICROTASKS:
    begin_span(reader, record, EVENT_MICROTASKS);
    return 0;
  case TRACE_SCRIPT:
    begin_span(reader, record, EVENT_SCRIPT);
    return 0;
  case TRACE_END:
    span_end(reader);
    return 0;
  case TRACE_NAMED:
    span_named(reader, record);
    return 0;
  case TRACE_REPEATED:
    span_repeated(reader, record);
    return 0;
  case TRACE_GONE:
    subject_gone(&reader->subjects, record->number);
    return 0;
  case TRACE_FILLER:
    return 0;
  case TRACE_WAITS:
    if (record_text(record, left) >= 0)
      alive_add(reader, record);
    return record_text(record, left);
  case TRACE_CPU:
    cpu_add(reader, record);
    return 0;
  case TRACE_SAMPLE:
    if (record_text(record, left) >= 0)
      samples_take(reader->loop, reader->first_ns, reader->now, record);
    return record_text(record, left);
  case TRACE_BEGUN:
    cause_add(reader, record);
    return 0;
  case TRACE_COUNT:
    count_add(reader, record);
    return 0;
  case TRACE_MANY:
    many_add(reader, record);
    return 0;
  case TRACE_COLLECTED:
    collections_add(reader->loop, reader->now, record);
    return 0;
  case TRACE_ARRIVED:
    if (record_text(record, left) >= 0)
      arrival_add(reader, record);
    return record_text(record, left);
  case TRACE_FUNCTION:
  case TRACE_TEXT:
  case TRACE_THREAD:
  case TRACE_WORK:
  case TRACE_WORK_END: /* never in a loop's stream */
  case TRACE_NOTHING:
  case TRACE_KINDS:
    break;
  }
  return -1;
}

/* The time of fillers and names doesn't matter, and that of a damaged file can't be
 * trusted: time never goes back, nor more than a century ahead. */
static void clock_set(struct loop_reader* reader, const struct trace_record* record) {
  uint64_t time = record->when >> TRACE_TIME_SHIFT;
  time = time > reader->first_ns ? time - reader->first_ns : 0;
  if (time > reader->now && time < TRACE_CENTURY_NS)
    reader->now = time;
}

/* Spans that are open at the end last until `ended`. */
static void close_all(struct loop_reader* reader, uint64_t ended) {
  if (ended > reader->now)
    reader->now = ended;
  reader->loop->end_ns = reader->now;
  while (reader->depth > 0) {
    if (top(reader)->event != EVENT_NONE && !top_is(reader, OPEN_OUTSIDE))
      reader->loop->events[top(reader)->event].unfinished = true;
    pop(reader);
  }
}

/* Removes time outside of uv_run with no duration; it was opened only in case something
 * followed. */
static void drop_empty_outside(struct loop_reader* reader) {
  struct trace_loop* loop = reader->loop;
  if (loop->event_count == 0)
    return;
  const struct event* last = &loop->events[loop->event_count - 1];
  if (last->kind == EVENT_OUTSIDE && last->duration == 0)
    loop->event_count--;
}

struct loop_reader* loop_reader_make(struct trace_loop* loop, uint64_t first_ns,
                                     bool whole) {
  struct loop_reader* reader = calloc(1, sizeof(*reader));
  if (reader == NULL)
    out_of_memory();
  reader->loop = loop;
  reader->first_ns = first_ns;
  if (whole)
    begin_outside(reader);
  return reader;
}

size_t loop_reader_take(struct loop_reader* reader, const struct trace_record* records,
                        size_t count) {
  size_t i = 0;
  while (i < count) {
    clock_set(reader, &records[i]);
    long text = take(reader, &records[i], count - i - 1);
    if (text < 0)
      break;
    unsigned int kind = records[i].when & 0xff;
    reader->listing = kind == TRACE_WAITS;
    if (kind == TRACE_ARRIVED)
      reader->arrived = records[i].number;
    else if (kind != TRACE_PHASE)
      reader->arrived = 0; /* the phase of the callback may stand in between */
    i += 1 + (size_t) text;
  }
  return i;
}

uint64_t loop_reader_now(const struct loop_reader* reader) {
  return reader->first_ns + reader->now;
}

void loop_reader_end(struct loop_reader* reader, struct trace_loop* loop,
                     uint64_t ended) {
  reader->loop = loop;
  close_all(reader, ended);
  drop_empty_outside(reader);
  /* Nothing is known of the time before, if its records were overwritten. */
  if (loop->overwritten && loop->event_count > 0)
    loop->begin_ns = loop->events[0].start;
  free(reader->stack);
  subjects_free(&reader->subjects);
  free(reader);
}
