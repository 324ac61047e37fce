/* Where a loop's time went, computed once for the summary, the picture and comparisons.
 * Stalls are in trace_held.c. */
#include "trace_facts.h"
#include "trace_held.h"

#include <stdlib.h>
#include <string.h>

/* --- small questions -------------------------------------------------------------- */

bool is_work(const struct event* event) {
  return event->kind >= EVENT_CALLBACK && event->kind <= EVENT_SCRIPT;
}

const struct event* parent_of(const struct trace_loop* loop, const struct event* event) {
  return event->parent == EVENT_NONE ? NULL : &loop->events[event->parent];
}

const struct event* turn_of(const struct trace_loop* loop, const struct event* event) {
  while (event != NULL && event->kind != EVENT_TURN)
    event = parent_of(loop, event);
  return event;
}

const char* event_name(const struct trace_loop* loop, const struct event* event) {
  if (event->name != EVENT_NONE)
    return loop->names[event->name];
  switch (event->kind) {
  case EVENT_TICKS:
    return "(ticks)";
  case EVENT_MICROTASKS:
    return "(microtasks)";
  case EVENT_SCRIPT:
    return "(main script)";
  default:
    return event->many > 0 ? "(short callbacks)" : "(unknown)";
  }
}

/* For a function of a script the name says everything. */
bool subject_matters(const char* subject) {
  return subject != NULL && strncmp(subject, "function", 8) != 0;
}

bool event_is_of_script(const struct trace_loop* loop, const struct event* event) {
  return event->subject != EVENT_NONE && event->name != EVENT_NONE &&
         !subject_matters(loop->subjects[event->subject]);
}

/* The place in a name such as "parse /app/server.js:12" or "onFile [eval]:1 for GET
 * /file"; or NULL. */
static const char* place_in(const char* name) {
  for (const char* at = strchr(name, ' '); at != NULL; at = strchr(at + 1, ' ')) {
    const char* end = at + 1 + strcspn(at + 1, " ");
    const char* digits = end;
    while (digits > at + 1 && digits[-1] >= '0' && digits[-1] <= '9')
      digits--;
    if (digits < end && digits > at + 2 && digits[-1] == ':')
      return at + 1;
  }
  return NULL;
}

static bool is_inside_node(const char* place) {
  return strncmp(place, "node:", 5) == 0;
}

bool name_is_of_node(const char* name) {
  const char* place = place_in(name);
  return place != NULL && is_inside_node(place);
}

bool name_is_of_program(const char* name) {
  static const char microtasks[] = "microtasks of ";
  const char* place = place_in(name);
  return strncmp(name, microtasks, sizeof(microtasks) - 1) != 0 && place != NULL &&
         !is_inside_node(place);
}

bool event_is_of_program(const struct trace_loop* loop, const struct event* event) {
  return event->name != EVENT_NONE && is_work(event) &&
         name_is_of_program(loop->names[event->name]);
}

size_t kind_length(const char* subject) {
  return subject == NULL ? 0 : strcspn(subject, " ");
}

/* Whether no other callback is around this one. */
static bool is_outermost(const struct trace_loop* loop, const struct event* event) {
  for (const struct event* at = parent_of(loop, event); at != NULL;
       at = parent_of(loop, at)) {
    if (is_work(at))
      return false;
  }
  return true;
}

/* --- callbacks -------------------------------------------------------------------- */

bool same_subject_kind(const char* left, const char* right) {
  size_t length = kind_length(left);
  return length == kind_length(right) &&
         (length == 0 || memcmp(left, right, length) == 0);
}

/* Two functions of the same name, static in two files, are counted separately. */
static struct total* total_of(struct facts* facts, const struct event* event) {
  const struct trace_loop* loop = facts->loop;
  const char* subject =
      event->subject == EVENT_NONE ? NULL : loop->subjects[event->subject];
  int32_t* first =
      &facts->first_total[event->name != EVENT_NONE ? (size_t) event->name
                                                    : loop->name_count + event->kind];
  for (int32_t at = *first; at != EVENT_NONE; at = facts->totals[at].next) {
    if (same_subject_kind(facts->totals[at].subject, subject))
      return &facts->totals[at];
  }
  facts->totals = array_grow(facts->totals, facts->total_count, &facts->total_capacity,
                             sizeof(*facts->totals));
  struct total* total = &facts->totals[facts->total_count++];
  *total = (struct total){.name = event_name(loop, event),
                          .subject = subject,
                          .longest_event = EVENT_NONE,
                          .next = *first};
  *first = (int32_t) facts->total_count - 1;
  return total;
}

static void count_in_phase(struct facts* facts, const struct event* event) {
  const struct event* phase = parent_of(facts->loop, event);
  if (turn_of(facts->loop, event) == NULL)
    facts->in_scripts += event->duration;
  else
    facts->in_callbacks += event->duration;
  if (phase == NULL || !event_is_phase(phase->kind))
    return;
  facts->phases[phase->kind].callbacks += event_calls(event);
  facts->phases[phase->kind].time += event->duration;
  if (event_each(event) > facts->phases[phase->kind].longest)
    facts->phases[phase->kind].longest = event_each(event);
}

static void count_work(struct facts* facts, const struct event* event, size_t i) {
  struct total* total = total_of(facts, event);
  total->calls += event_calls(event);
  total->more |= event->more;
  total->all += event->duration;
  total->own += without(event->duration, facts->inside[i]);
  if (total->longest_event == EVENT_NONE || event_each(event) > total->longest) {
    total->longest = event_each(event);
    total->longest_event = (int32_t) i;
  }
  facts->callbacks += event->kind == EVENT_CALLBACK ? event_calls(event) : 0;
  if (is_outermost(facts->loop, event))
    count_in_phase(facts, event);
}

static int by_own_time(const void* left, const void* right) {
  const struct total *a = left, *b = right;
  return a->own < b->own ? 1 : a->own > b->own ? -1 : strcmp(a->name, b->name);
}

/* --- time ------------------------------------------------------------------------- */

static void count_outside(struct facts* facts, const struct event* event) {
  facts->outside += event->duration;
  facts->outside_idle += outside_idle(facts->loop, event);
  if ((event->detail & (OUTSIDE_STARTING | OUTSIDE_ENDING)) == 0)
    facts->shown += event->duration;
}

static void count_event(struct facts* facts, const struct event* event) {
  const struct event* parent = parent_of(facts->loop, event);
  facts->phases[event->kind].spans++;
  if (event->kind == EVENT_TURN)
    facts->turns++;
  if (event->kind == EVENT_TURN && parent == NULL) {
    facts->shown += event->duration;
    facts->turning += event->duration;
  }
  if (event->kind == EVENT_SLEEP) {
    facts->sleeps++;
    facts->asleep += event->duration;
    if (event->duration > facts->longest_sleep)
      facts->longest_sleep = event->duration;
  }
  if (event->kind == EVENT_OUTSIDE)
    count_outside(facts, event);
  /* The time of a nested run's turns, inside a callback, isn't the callback's own either.
   */
  if (parent != NULL && is_work(parent) && (is_work(event) || event->kind == EVENT_TURN))
    facts->inside[event->parent] += event->duration;
}

static void count_all(struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  for (size_t i = 0; i < loop->event_count; i++)
    count_event(facts, &loop->events[i]);
  for (size_t i = 0; i < loop->event_count; i++) {
    if (is_work(&loop->events[i]))
      count_work(facts, &loop->events[i], i);
  }
  facts->turning = without(facts->turning, facts->asleep + facts->in_callbacks);
  facts->busy = without(facts->shown, facts->asleep + facts->outside_idle);
  if (facts->total_count > 0)
    qsort(facts->totals, facts->total_count, sizeof(*facts->totals), by_own_time);
}

struct facts* facts_make(const struct trace* trace, size_t number) {
  const struct trace_loop* loop = &trace->loops[number];
  struct facts* facts = calloc(1, sizeof(*facts));
  size_t heads = loop->name_count + EVENT_KINDS;
  if (facts == NULL)
    return NULL;
  facts->loop = loop;
  facts->length = loop->end_ns - loop->begin_ns;
  facts->inside = calloc(loop->event_count + 1, sizeof(*facts->inside));
  facts->first_total = malloc(heads * sizeof(*facts->first_total));
  if (facts->inside == NULL || facts->first_total == NULL) {
    facts_free(facts);
    return NULL;
  }
  for (size_t i = 0; i < heads; i++)
    facts->first_total[i] = EVENT_NONE;
  count_all(facts);
  find_held(facts);
  facts->cpu = cpu_between(loop, loop->begin_ns, loop->end_ns);
  find_starved(facts, (int32_t) number);
  find_late_data(facts);
  return facts;
}

void facts_free(struct facts* facts) {
  free(facts->inside);
  free(facts->first_total);
  free(facts->totals);
  free(facts);
}

bool facts_of_unused(const struct facts* facts) {
  return facts->callbacks == 0 && facts->sleeps == 0 && facts->turns <= 1 &&
         facts->busy < 1000000 && facts->in_scripts == 0 && facts->loop->lost == 0;
}

bool facts_of_program(const struct facts* facts) {
  if (facts->loop->thread == facts->loop->pid || facts->in_scripts > 0)
    return true;
  for (size_t i = 0; i < facts->total_count; i++) {
    const char* name = facts->totals[i].name;
    if (strncmp(name, "node::", 6) != 0 && strncmp(name, "v8::", 4) != 0)
      return true;
  }
  return false;
}

/* Of a helper thread that waits elsewhere than in its loop the thread's processor time
 * says how busy it was. */
uint64_t facts_sleeper_busy(const struct facts* facts) {
  const struct cpu_share* cpu = &facts->cpu;
  bool elsewhere = cpu->known && cpu->used < facts->busy && !facts_of_program(facts);
  return elsewhere ? cpu->used : facts->busy;
}

bool facts_of_sleeper(const struct facts* facts) {
  const uint64_t few = 10, little_ns = 5000000;
  bool idle = facts->sleeps > 0 && facts->turns <= few && facts->busy < little_ns;
  bool away = !facts_of_program(facts) && facts->cpu.known &&
              facts_sleeper_busy(facts) < little_ns + facts->shown / 100;
  return facts->loop->thread != facts->loop->pid && (idle || away) &&
         facts->in_scripts == 0 && facts->loop->lost == 0 &&
         facts->starved.cause == EVENT_NONE && facts->late_all == 0;
}

struct facts** facts_of_all(const struct trace* trace) {
  struct facts** all = calloc(trace->count + 1, sizeof(struct facts*));
  for (size_t i = 0; all != NULL && i < trace->count; i++) {
    all[i] = facts_make(trace, i);
    if (all[i] == NULL) {
      facts_free_all(all, i);
      return NULL;
    }
  }
  return all;
}

void facts_free_all(struct facts** all, size_t count) {
  for (size_t i = 0; i < count; i++)
    facts_free(all[i]);
  free(all);
}
