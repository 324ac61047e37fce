/* The summary: where a loop's time went, which callbacks took it, and what held the loop
 * up longest. With --turns, also every turn with all that happened in it. */
#include "trace_write.h"

#include "uv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CALLBACKS_SHOWN = 20, HOLDUPS_SHOWN = 3 };

/* Of one name, with one kind of subject: a program may have one function for all its
 * requests. `own` leaves out the callbacks, ticks and microtasks inside. */
struct total {
  const char* name;
  const char* subject; /* "tcp 7": of this kind; NULL: of none */
  uint64_t calls, own, longest;
  const struct event* longest_event;
  int32_t next; /* of the same name, or EVENT_NONE */
};

/* A stretch in which the loop didn't look whether anything had happened. */
struct holdup {
  uint64_t start, duration;
  const struct event* culprit;
};

struct summary {
  const struct trace_loop* loop;
  uint64_t* inside; /* for each event, the time of the spans in it that are counted */
  struct total* totals;
  size_t total_count, total_capacity;
  int32_t* first; /* of each name, then of each kind of event without one */
  uint64_t turns, sleeps, asleep, longest_sleep, callbacks;
  uint64_t running;       /* time in uv_run */
  uint64_t busy, outside; /* in callbacks there, and in the main script and its like */
  struct {
    uint64_t callbacks, time, longest;
  } phases[8];
  struct holdup holdups[HOLDUPS_SHOWN];
};

/* --- words ------------------------------------------------------------------------ */

const char* time_text(char* text, uint64_t ns) {
  if (ns < 1000)
    snprintf(text, TIME_SIZE, "%" PRIu64 " ns", ns);
  else if (ns < 999950)
    snprintf(text, TIME_SIZE, "%.1f us", (double) ns / 1e3);
  else if (ns < 999950000)
    snprintf(text, TIME_SIZE, "%.1f ms", (double) ns / 1e6);
  else
    snprintf(text, TIME_SIZE, "%.3f s", (double) ns / 1e9);
  return text;
}

static const char* event_name(const struct trace_loop* loop, const struct event* event) {
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
    return "(unknown)";
  }
}

bool is_work(const struct event* event) {
  return event->kind >= EVENT_CALLBACK && event->kind <= EVENT_SCRIPT;
}

static const struct event* parent_of(const struct trace_loop* loop,
                                     const struct event* event) {
  return event->parent == EVENT_NONE ? NULL : &loop->events[event->parent];
}

const struct event* turn_of(const struct trace_loop* loop, const struct event* event) {
  while (event != NULL && event->kind != EVENT_TURN)
    event = parent_of(loop, event);
  return event;
}

/* No callback is around it. */
static bool is_outermost(const struct trace_loop* loop, const struct event* event) {
  for (const struct event* at = parent_of(loop, event); at != NULL;
       at = parent_of(loop, at)) {
    if (is_work(at))
      return false;
  }
  return true;
}

/* Whoever recorded it chose the text, and a terminal would obey control characters: those
 * of ASCII, and those behind them, which are two bytes in UTF-8. */
static void write_plain(FILE* out, const char* text) {
  for (const unsigned char* at = (const unsigned char*) text; *at != '\0'; at++) {
    bool upper = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
    putc(*at < ' ' || *at == 0x7f || upper ? '?' : *at, out);
    at += upper;
  }
}

/* "on_read (tcp 7)" */
void write_who(FILE* out, const struct trace_loop* loop, const struct event* event) {
  write_plain(out, event_name(loop, event));
  if (event->subject != EVENT_NONE)
    fprintf(out, " (%s)", loop->subjects[event->subject]);
}

static uint64_t without(uint64_t all, uint64_t part) {
  return all > part ? all - part : 0;
}

/* --- counting --------------------------------------------------------------------- */

/* The length of "tcp" in "tcp 7". */
static size_t kind_length(const char* subject) {
  return subject == NULL ? 0 : strcspn(subject, " ");
}

static bool same_kind(const char* left, const char* right) {
  size_t length = kind_length(left);
  return length == kind_length(right) &&
         (length == 0 || memcmp(left, right, length) == 0);
}

/* Two functions of one name, each static in its file, are two. */
static struct total* total_of(struct summary* summary, const struct event* event) {
  const struct trace_loop* loop = summary->loop;
  const char* name = event_name(loop, event);
  const char* subject =
      event->subject == EVENT_NONE ? NULL : loop->subjects[event->subject];
  int32_t* first =
      &summary->first[event->name != EVENT_NONE ? (size_t) event->name
                                                : loop->name_count + event->kind];
  int32_t at = summary->totals == NULL ? EVENT_NONE : *first;
  for (; at != EVENT_NONE; at = summary->totals[at].next) {
    if (same_kind(summary->totals[at].subject, subject))
      return &summary->totals[at];
  }
  summary->totals = array_grow(summary->totals, summary->total_count,
                               &summary->total_capacity, sizeof(*summary->totals));
  struct total* total = &summary->totals[summary->total_count++];
  *total = (struct total){.name = name, .subject = subject, .next = *first};
  *first = (int32_t) summary->total_count - 1;
  return total;
}

static void count_work(struct summary* summary, const struct event* event, size_t i) {
  const struct trace_loop* loop = summary->loop;
  struct total* total = total_of(summary, event);
  uint64_t inside = summary->inside[i];
  total->calls++;
  total->own += event->duration > inside ? event->duration - inside : 0;
  if (total->longest_event == NULL || event->duration > total->longest) {
    total->longest = event->duration;
    total->longest_event = event;
  }
  summary->callbacks += event->kind == EVENT_CALLBACK;
  if (!is_outermost(loop, event))
    return;
  const struct event* phase = parent_of(loop, event);
  if (turn_of(loop, event) == NULL)
    summary->outside += event->duration;
  else
    summary->busy += event->duration;
  if (phase == NULL || !event_is_phase(phase->kind))
    return;
  summary->phases[phase->kind].callbacks++;
  summary->phases[phase->kind].time += event->duration;
  if (event->duration > summary->phases[phase->kind].longest)
    summary->phases[phase->kind].longest = event->duration;
}

static void count_sleep(struct summary* summary, const struct event* event) {
  summary->sleeps++;
  summary->asleep += event->duration;
  if (event->duration > summary->longest_sleep)
    summary->longest_sleep = event->duration;
}

static void count_events(struct summary* summary) {
  const struct trace_loop* loop = summary->loop;
  summary->running = loop->end_ns - loop->begin_ns;
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    summary->turns += event->kind == EVENT_TURN;
    if (event->kind == EVENT_SLEEP)
      count_sleep(summary, event);
    if (event->kind == EVENT_OUTSIDE)
      summary->running = without(summary->running, event->duration);
    /* A turn inside a callback, of a nested run, is not the callback's own either. */
    bool nested = event->parent != EVENT_NONE && is_work(&loop->events[event->parent]);
    if (nested && (is_work(event) || event->kind == EVENT_TURN))
      summary->inside[event->parent] += event->duration;
  }
  for (size_t i = 0; i < loop->event_count; i++) {
    if (is_work(&loop->events[i]))
      count_work(summary, &loop->events[i], i);
  }
}

/* --- what held the loop up ---------------------------------------------------------- */

static void holdup_add(struct summary* summary, uint64_t start, uint64_t end,
                       const struct event* culprit) {
  struct holdup holdup = {start, end > start ? end - start : 0, culprit};
  if (culprit == NULL)
    return;
  for (size_t i = 0; i < HOLDUPS_SHOWN; i++) {
    if (holdup.duration > summary->holdups[i].duration) {
      struct holdup swap = summary->holdups[i];
      summary->holdups[i] = holdup;
      holdup = swap;
    }
  }
}

/* Of a callback and one inside it, the inner one if most of the time is its. */
static const struct event* worse(const struct event* known, const struct event* event) {
  if (known == NULL || event->duration > known->duration)
    return event;
  bool inside = event->start + event->duration <= known->start + known->duration;
  return inside && event->duration > known->duration / 2 ? event : known;
}

/* From one look at what is ready to the next; a sleep is a look that takes its time. */
static void find_holdups(struct summary* summary) {
  const struct trace_loop* loop = summary->loop;
  const struct event* culprit = NULL;
  uint64_t since = loop->begin_ns;
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (is_work(event)) {
      culprit = worse(culprit, event);
    } else if (event->kind == EVENT_POLL || event->kind == EVENT_SLEEP ||
               event->kind == EVENT_OUTSIDE) {
      holdup_add(summary, since, event->start, culprit);
      since = event->start + (event->kind != EVENT_POLL ? event->duration : 0);
      culprit = NULL;
    }
  }
  holdup_add(summary, since, loop->end_ns, culprit);
}

/* --- the summary ------------------------------------------------------------------- */

static int by_own_time(const void* left, const void* right) {
  const struct total *a = left, *b = right;
  return a->own < b->own ? 1 : a->own > b->own ? -1 : strcmp(a->name, b->name);
}

static void write_share(FILE* out, const char* what, uint64_t time, uint64_t all,
                        const char* rest) {
  char text[TIME_SIZE];
  fprintf(out, "  %-13s %10s  %5.1f %%  %s\n", what, time_text(text, time),
          all == 0 ? 0.0 : (double) time * 100 / (double) all, rest);
}

static void write_shares(FILE* out, const struct summary* summary) {
  uint64_t all = summary->loop->end_ns - summary->loop->begin_ns;
  char rest[96], longest[TIME_SIZE];
  snprintf(rest, sizeof(rest), "%" PRIu64 " times, %s at most", summary->sleeps,
           time_text(longest, summary->longest_sleep));
  write_share(out, "asleep", summary->asleep, all, rest);
  snprintf(rest, sizeof(rest), "%" PRIu64 " of them", summary->callbacks);
  write_share(out, "in callbacks", summary->busy, all, rest);
  write_share(out, "turning", without(summary->running, summary->asleep + summary->busy),
              all, "the loop's own work");
  if (summary->outside > 0)
    write_share(out, "script", summary->outside, all, "before the loop, and its ticks");
  write_share(out, "outside", without(all, summary->running + summary->outside), all,
              "of uv_run");
}

static void write_phases(FILE* out, const struct summary* summary) {
  char time[TIME_SIZE], longest[TIME_SIZE];
  fprintf(out, "\n  %-13s %10s %12s %12s\n", "phase", "callbacks", "time", "longest");
  for (unsigned int kind = EVENT_TIMERS; kind <= EVENT_CLOSING; kind++) {
    if (summary->phases[kind].callbacks == 0)
      continue;
    fprintf(out, "  %-13s %10" PRIu64 " %12s %12s\n", event_names[kind],
            summary->phases[kind].callbacks, time_text(time, summary->phases[kind].time),
            time_text(longest, summary->phases[kind].longest));
  }
}

static void write_totals(FILE* out, struct summary* summary) {
  char own[TIME_SIZE], mean[TIME_SIZE], longest[TIME_SIZE];
  qsort(summary->totals, summary->total_count, sizeof(*summary->totals), by_own_time);
  fprintf(out, "\n  %10s %9s %10s %10s  %-9s callback\n", "own time", "calls", "each",
          "longest", "in turn");
  for (size_t i = 0; i < summary->total_count && i < CALLBACKS_SHOWN; i++) {
    const struct total* total = &summary->totals[i];
    const struct event* turn = turn_of(summary->loop, total->longest_event);
    char number[24] = "-";
    if (turn != NULL)
      snprintf(number, sizeof(number), "%" PRId64, turn->detail);
    fprintf(out, "  %10s %9" PRIu64 " %10s %10s  %-9s ", time_text(own, total->own),
            total->calls, time_text(mean, total->own / total->calls),
            time_text(longest, total->longest), number);
    write_plain(out, total->name);
    if (total->subject != NULL)
      fprintf(out, " (%.*s)", (int) kind_length(total->subject), total->subject);
    putc('\n', out);
  }
  if (summary->total_count > CALLBACKS_SHOWN)
    fprintf(out, "  and %zu more\n", summary->total_count - CALLBACKS_SHOWN);
}

static void write_holdups(FILE* out, const struct summary* summary) {
  const struct trace_loop* loop = summary->loop;
  char time[TIME_SIZE], own[TIME_SIZE], when[TIME_SIZE];
  fputs("\n  longest times without a look at what is ready\n", out);
  for (size_t i = 0; i < HOLDUPS_SHOWN && summary->holdups[i].culprit != NULL; i++) {
    const struct holdup* holdup = &summary->holdups[i];
    const struct event* turn = turn_of(loop, holdup->culprit);
    fprintf(out, "  %10s  ", time_text(time, holdup->duration));
    if (turn != NULL)
      fprintf(out, "in turn %" PRId64 ", ", turn->detail);
    fprintf(out,
            "%s after the start: ", time_text(when, loop->offset_ns + holdup->start));
    if (holdup->culprit->duration < holdup->duration / 10)
      fputs("no callback's, of those ", out); /* the loop's work, or the machine's */
    write_who(out, loop, holdup->culprit);
    fprintf(out, " took %s of it%s\n", time_text(own, holdup->culprit->duration),
            holdup->culprit->unfinished ? ", and had not ended" : "");
  }
}

static bool write_summary(FILE* out, const struct trace_loop* loop) {
  struct summary summary = {.loop = loop};
  char time[TIME_SIZE];
  size_t heads = loop->name_count + EVENT_KINDS;
  summary.inside = calloc(loop->event_count + 1, sizeof(*summary.inside));
  summary.first = malloc(heads * sizeof(*summary.first));
  if (summary.inside == NULL || summary.first == NULL) {
    free(summary.inside);
    free(summary.first);
    return false;
  }
  for (size_t i = 0; i < heads; i++)
    summary.first[i] = EVENT_NONE;
  count_events(&summary);
  find_holdups(&summary);
  fprintf(out, "loop %u on ", loop->number);
  write_plain(out, loop->backend);
  fprintf(out, ", thread %u: %" PRIu64 " turn%s in %s\n", loop->thread, summary.turns,
          summary.turns == 1 ? "" : "s", time_text(time, loop->end_ns - loop->begin_ns));
  if (loop->lost > 0)
    fprintf(out, "  %" PRIu64 " records did not fit and are missing at the end\n",
            loop->lost);
  if (summary.total_count > 0 || summary.sleeps > 0)
    write_shares(out, &summary);
  if (summary.total_count > 0) {
    write_phases(out, &summary);
    write_totals(out, &summary);
    write_holdups(out, &summary);
    write_lateness(out, loop);
  }
  write_waits(out, loop);
  free(summary.totals);
  free(summary.inside);
  free(summary.first);
  return true;
}

/* --- every turn -------------------------------------------------------------------- */

static void write_line(FILE* out, const struct trace_loop* loop,
                       const struct event* event, unsigned int depth) {
  char at[TIME_SIZE], took[TIME_SIZE];
  snprintf(at, sizeof(at), "%.6f", (double) (loop->offset_ns + event->start) / 1e9);
  fprintf(out, "%12s %10s  %*s", at, time_text(took, event->duration), (int) depth * 2,
          "");
  if (event->kind == EVENT_TURN)
    fprintf(out, "turn %" PRId64, event->detail);
  else if (event->kind == EVENT_SLEEP && event->detail < 0)
    fputs("sleep until something happens", out);
  else if (event->kind == EVENT_SLEEP)
    fprintf(out, "sleep for %s at most", time_text(at, (uint64_t) event->detail));
  else if (is_work(event))
    write_who(out, loop, event);
  else
    fputs(event_names[event->kind], out);
  if (event->timer && event->detail > 0)
    fprintf(out, ", %s late", time_text(at, (uint64_t) event->detail));
  else if (event->kind == EVENT_CALLBACK && event->detail < 0)
    fprintf(out, " %s", uv_err_name_r((int) event->detail, at, sizeof(at)));
  else if (event->kind == EVENT_CALLBACK && event->detail != 0)
    fprintf(out, " %" PRId64, event->detail);
  if (event->unfinished)
    fputs(" (had not ended)", out);
  putc('\n', out);
}

static void write_turns(FILE* out, const struct trace_loop* loop) {
  fprintf(out, "\n%12s %10s\n", "second", "took");
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    unsigned int depth = 0;
    for (const struct event* at = parent_of(loop, event); at != NULL;
         at = parent_of(loop, at))
      depth++;
    write_line(out, loop, event, depth);
  }
}

bool write_text(FILE* out, const struct trace* trace, bool turns) {
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    if (i == 0 || loop->pid != loop[-1].pid) {
      fprintf(out, "%sprocess %u: ", i == 0 ? "" : "\n", loop->pid);
      write_plain(out, loop->process->command);
      putc('\n', out);
    }
    putc('\n', out);
    if (!write_summary(out, loop))
      return false;
    if (turns)
      write_turns(out, loop);
  }
  return ferror(out) == 0;
}
