/* Facts as sentences: see trace_words.h. */
#include "trace_words.h"
#include "trace_held.h"
#include "trace_collections.h"
#include "trace_samples.h"
#include "trace_subjects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* --- names -------------------------------------------------------------------------- */

/* The text comes from the recording, and a terminal would obey control characters: those
 * of ASCII and the C1 ones, which are two bytes in UTF-8. */
static void write_bytes(FILE* out, const char* text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const unsigned char* at = (const unsigned char*) text + i;
    bool upper = at[0] == 0xc2 && i + 1 < length && at[1] >= 0x80 && at[1] < 0xa0;
    putc(*at < ' ' || *at == 0x7f || upper ? '?' : *at, out);
    i += upper;
  }
}

void write_plain(FILE* out, const char* text) {
  write_bytes(out, text, strlen(text));
}

static bool is_continued(char byte) {
  return ((unsigned char) byte & 0xc0) == 0x80; /* in the middle of a character */
}

/* The length of the place in a script that begins here, "/app/server.js:12"; 0: none. Its
 * folders end at *base. */
static size_t place_length(const char* text, const char** base) {
  size_t length = strcspn(text, " ,;");
  size_t digits = 0;
  if (*text != '/')
    return 0;
  while (digits < length && text[length - 1 - digits] >= '0' &&
         text[length - 1 - digits] <= '9')
    digits++;
  if (digits == 0 || digits == length || text[length - 1 - digits] != ':')
    return 0;
  *base = text + length - 1 - digits;
  while (*base > text && (*base)[-1] != '/')
    --*base;
  return length;
}

char* without_folders(const char* name) {
  char* text = text_copy(name, strlen(name));
  char* out = text;
  for (const char* at = name; *at != '\0';) {
    const char* base;
    size_t length = at == name || at[-1] == ' ' ? place_length(at, &base) : 0;
    size_t kept = length == 0 ? 1 : length - (size_t) (base - at);
    memmove(out, length == 0 ? at : base, kept);
    out += kept;
    at += length == 0 ? 1 : length;
  }
  *out = '\0';
  return text;
}

static void write_middle_cut(FILE* out, const char* name, size_t most) {
  size_t length = strlen(name);
  if (length <= most) {
    write_plain(out, name);
    return;
  }
  size_t head = most / 2 - 2, tail = length - (most / 2 - 1);
  while (head > 0 && is_continued(name[head]))
    head--;
  while (tail < length && is_continued(name[tail]))
    tail++;
  write_bytes(out, name, head);
  fputs("...", out);
  write_plain(out, name + tail);
}

void write_cut(FILE* out, const char* name, size_t most) {
  if (strlen(name) <= most) {
    write_plain(out, name);
    return;
  }
  char* shorter = without_folders(name);
  write_middle_cut(out, shorter, most);
  free(shorter);
}

void write_short(FILE* out, const char* name) {
  write_cut(out, name, 60);
}

static const char* subject_of(const struct trace_loop* loop, const struct event* event) {
  return event->subject == EVENT_NONE ? NULL : loop->subjects[event->subject];
}

void write_who(FILE* out, const struct trace_loop* loop, const struct event* event) {
  const char* subject = subject_of(loop, event);
  write_short(out, event_name(loop, event));
  if (subject_matters(subject))
    fprintf(out, " (%s)", subject);
  if (event->many > 1)
    fprintf(out, " x %u%s", event->many, event->more ? " and more" : "");
}

/* The program's own function or request that took most of a callback, as the longest span
 * inside; or NULL. A function of Node's, such as a tick that ends every write to the
 * console, is none: it would say nothing about the handle or request. */
static const struct event* program_inside(const struct trace_loop* loop,
                                          const struct event* event) {
  const struct event *last = loop->events + loop->event_count, *longest = NULL;
  for (const struct event* at = event + 1;
       at < last && at->start <= end_of_event(event) && at->parent != EVENT_NONE &&
       at->parent >= (int32_t) (event - loop->events);
       at++) {
    if (event_is_of_program(loop, at) &&
        (longest == NULL || at->duration > longest->duration))
      longest = at;
  }
  return longest;
}

/* The first microtasks are known by that object. */
const char* node_kind_of(const struct trace_loop* loop, const struct event* event) {
  static const char microtasks[] = "microtasks of ";
  const struct event* last = loop->events + loop->event_count;
  int32_t number = (int32_t) (event - loop->events);
  for (const struct event* at = event + 1; at < last && at->start <= end_of_event(event);
       at++) {
    const char* name =
        at->parent == number && at->name != EVENT_NONE ? loop->names[at->name] : "";
    if (strncmp(name, microtasks, sizeof(microtasks) - 1) == 0)
      return name + sizeof(microtasks) - 1;
  }
  return NULL;
}

bool event_calls_program(const struct trace_loop* loop, const struct event* event) {
  return event_is_of_program(loop, event) || program_inside(loop, event) != NULL;
}

void write_request_kind(FILE* out, const struct cause* cause) {
  const char* prefix;
  const char* kind = subject_kind_name(cause_kind(cause), &prefix);
  fprintf(out, "%s%s", prefix, kind);
}

static bool write_programs_name(FILE* out, const struct trace_loop* loop,
                                const struct event* event) {
  const struct event* inside =
      event_is_of_program(loop, event) ? event : program_inside(loop, event);
  const char* kind = inside == NULL ? node_kind_of(loop, event) : NULL;
  if (inside == NULL && kind == NULL)
    return false;
  write_short(out, inside != NULL ? event_name(loop, inside) : kind);
  return true;
}

void write_who_named(FILE* out, const struct trace_loop* loop,
                     const struct event* event) {
  const char* subject = subject_of(loop, event);
  if (!write_programs_name(out, loop, event)) {
    write_who(out, loop, event);
    return;
  }
  if (subject_matters(subject))
    fprintf(out, " (%s)", subject);
}

/* The callback that began something; outside of all of them that was the main script, or
 * what an engine runs by itself. */
static void write_begun_by(FILE* out, const struct trace_loop* loop, int32_t by) {
  if (by == EVENT_NONE)
    fputs("the program, outside of any callback", out);
  else
    write_who_named(out, loop, &loop->events[by]);
}

/* --- who held it up ------------------------------------------------------------------
 */

static void write_where(FILE* out, const struct trace_loop* loop,
                        const struct stretch* stretch) {
  bool outside = stretch->taker == TAKER_OUTSIDE;
  if (stretch->starting)
    fputs(outside ? " before the first turn" : ", before the first turn", out);
  else if (loop->sampled_ns != 0)
    fputs(", as sampled", out);
  else if (stretch->turn != EVENT_NONE)
    fprintf(out, ", %sin turn %" PRId64, outside ? "seen " : "",
            loop->events[stretch->turn].detail);
}

/* Of many calls the subject's kind counts, not which one of them. */
static void write_subject(FILE* out, const char* subject, uint64_t calls) {
  if (subject_matters(subject))
    fprintf(out, " (%.*s)", (int) (calls > 1 ? kind_length(subject) : strlen(subject)),
            subject);
}

const char* taker_name(const struct trace_loop* loop, const struct stretch* stretch) {
  bool inside = taker_is_inside(loop, stretch);
  return event_name(loop, &loop->events[inside ? stretch->inside : stretch->culprit]);
}

/* Whether a callback of Node's own, such as that of its platform's tasks, did little but
 * collect garbage: its name would hide that. */
static bool is_collection(const struct trace_loop* loop, const struct stretch* stretch,
                          const char* name) {
  return strncmp(name, "node::", 6) == 0 &&
         collected_between(loop, stretch->start, stretch->end) >= stretch->took / 2;
}

/* The program's function, if one took most of the callback, else the callback itself. */
void write_taker(FILE* out, const struct trace_loop* loop,
                 const struct stretch* stretch) {
  const struct event* culprit = &loop->events[stretch->culprit];
  const struct event* inside =
      stretch->inside == EVENT_NONE ? NULL : &loop->events[stretch->inside];
  bool named = taker_is_inside(loop, stretch);
  const struct event* who = named ? &loop->events[stretch->inside] : culprit;
  const char* subject = subject_of(loop, who);
  const char* name = event_name(loop, who);
  const char* kind = strncmp(name, "node::", 6) == 0 && stretch->calls == 1
                         ? node_kind_of(loop, who)
                         : NULL;
  if (is_collection(loop, stretch, name))
    fputs("garbage collection", out);
  else
    write_short(out, kind == NULL ? name : kind);
  write_subject(out, subject_matters(subject) ? subject : subject_of(loop, culprit),
                stretch->calls);
  if (!named && stretch->calls == 1 && culprit->many > 1)
    fprintf(out, " x %u", culprit->many);
  if (stretch->calls > 1)
    fprintf(out, ", called %" PRIu64 " times", stretch->calls);
  if (inside != NULL && !named && !name_is_of_node(event_name(loop, inside))) {
    fputs(", mostly its ", out);
    write_who(out, loop, inside);
  }
}

static void write_culprit(FILE* out, const struct trace_loop* loop,
                          const struct stretch* stretch) {
  char text[TIME_SIZE];
  write_taker(out, loop, stretch);
  fprintf(out, ", %s of it%s", time_text(text, stretch->took),
          loop->events[stretch->culprit].unfinished ? " and had not ended" : "");
}

static void write_outside(FILE* out, const struct stretch* stretch) {
  char text[TIME_SIZE];
  if (stretch->starting)
    return;
  if (stretch->ready)
    fputs("; something was ready meanwhile", out);
  else if (stretch->due > 0)
    fprintf(out, "; a timer was due for %s", time_text(text, stretch->due));
  else
    fputs("; nothing was due or ready meanwhile", out);
}

static void write_why(FILE* out, enum cpu_verdict verdict, const char* waits) {
  switch (verdict) {
  case CPU_THROTTLED:
    fputs("throttled, its control group's limit was used up", out);
    break;
  case CPU_BUSY:
    fputs("the machine was busy", out);
    break;
  case CPU_WAITED:
    fprintf(out, "it waited %s",
            waits == NULL ? "for something, such as a file, a lock or a child" : waits);
    break;
  case CPU_FINE:
  case CPU_PARTLY:
    break;
  }
}

void write_processor_time(FILE* out, const struct cpu_share* cpu, uint64_t length,
                          uint64_t collected, const char* waits, bool brief) {
  char text[TIME_SIZE];
  enum cpu_verdict verdict = cpu_verdict(cpu, length);
  /* The time that the thread waited for a processor counts from when it was woken, which
   * may be before the stretch; that it was blocked has been seen. */
  if (verdict == CPU_BUSY && waits != NULL && cpu->used < length / 20)
    verdict = CPU_WAITED;
  if (!cpu->known || verdict == CPU_FINE || (brief && verdict == CPU_PARTLY))
    return;
  if (verdict == CPU_WAITED && collected >= without(length, cpu->used) / 2)
    waits = "for the collector's threads";
  fputs("; ", out);
  if (!brief)
    fprintf(out, "of that %s on the processor", time_text(text, cpu->used));
  if (!brief && verdict != CPU_PARTLY)
    fputs(": ", out);
  write_why(out, verdict, waits);
}

void write_cpu(FILE* out, const struct cpu_share* cpu, uint64_t length,
               uint64_t collected, const char* waits) {
  write_collected(out, collected, length);
  write_processor_time(out, cpu, length, collected, waits, false);
}

uint64_t write_stopped_part(FILE* out, const struct trace_loop* loop, uint64_t from,
                            uint64_t to) {
  const struct trace_process* process = loop->process;
  uint64_t stopped = 0;
  char text[TIME_SIZE];
  from += loop->start_ns;
  to += loop->start_ns;
  for (size_t i = 0; i < process->stop_count; i++) {
    const struct stop* stop = &process->stops[i];
    stopped +=
        without(stop->to < to ? stop->to : to, stop->from > from ? stop->from : from);
  }
  if (stopped < 1000000 || stopped < (to - from) / 20)
    return 0;
  fprintf(out, "; %s of it stopped by a signal or a debugger", time_text(text, stopped));
  return stopped;
}

const char* stretch_waits(const struct trace_loop* loop, const struct stretch* stretch) {
  struct hot_path path;
  return hot_path_find(&path, loop, stretch->start, stretch->end) ? hot_path_waits(&path)
                                                                  : NULL;
}

void write_held(FILE* out, const struct trace_loop* loop, const struct stretch* stretch) {
  char text[TIME_SIZE];
  switch (stretch->taker) {
  case TAKER_CALLBACK:
    fputs("by ", out);
    write_culprit(out, loop, stretch);
    break;
  case TAKER_MANY:
    fprintf(out, "by %" PRIu64 " callbacks, most of all ", stretch->callbacks);
    write_culprit(out, loop, stretch);
    break;
  case TAKER_OUTSIDE:
    fputs(stretch->starting ? "in the program" : "by the program, outside of uv_run",
          out);
    break;
  case TAKER_NOBODY:
    fputs("by no callback, but the loop's own work or the machine", out);
    break;
  }
  write_where(out, loop, stretch);
  if (stretch->taker == TAKER_NOBODY && stretch->culprit != EVENT_NONE) {
    fputs("; the longest callback, ", out);
    write_who(out, loop, &loop->events[stretch->culprit]);
    fprintf(out, ", took %s", time_text(text, stretch->took));
  }
  if (stretch->taker == TAKER_OUTSIDE)
    write_outside(out, stretch);
  uint64_t stopped = write_stopped_part(out, loop, stretch->start, stretch->end);
  write_cpu(out, &stretch->cpu, without(stretch_length(stretch), stopped),
            collected_between(loop, stretch->start, stretch->end),
            stretch_waits(loop, stretch));
}

/* --- the whole -----------------------------------------------------------------------
 */

/* Percentiles without a wait come first, and are written together. */
void write_waits_of(FILE* out, const struct facts* facts) {
  static const char* const often[] = {"half of the time", "9 times of 10", "99 of 100"};
  const uint64_t waits[] = {facts->wait_p50, facts->wait_p90, facts->wait_p99};
  char text[TIME_SIZE];
  size_t at_once = 0;
  if (facts->loop->sampled_ns != 0) {
    write_sampled_waits(out, facts->loop);
    return;
  }
  if (facts->turns == 0) {
    fputs("it was never asked what is ready", out);
    return;
  }
  while (at_once < 3 && waits[at_once] == 0)
    at_once++;
  fputs("what arrives at a random moment ", out);
  if (at_once > 0)
    fprintf(out, "is served at once %s, and ", often[at_once - 1]);
  fputs(at_once < 3 ? "waits at most " : "waits ", out);
  for (size_t i = at_once; i < 3; i++)
    fprintf(out, "%s %s, ", time_text(text, waits[i]), often[i]);
  fprintf(out, "%s at worst", time_text(text, facts->wait_worst));
}

void write_sleeper(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  fprintf(out, "%" PRIu64 " turn%s, asleep ", facts->turns, facts->turns == 1 ? "" : "s");
  if (facts->callbacks == 0)
    fputs("since", out);
  else
    fprintf(out, "but for %s", time_text(text, facts_sleeper_busy(facts)));
}

/* --- causes --------------------------------------------------------------------------
 */

static void write_waited(FILE* out, const char* comma, uint64_t ns, const char* what) {
  char text[TIME_SIZE];
  fprintf(out, "%s%s %s", comma, time_text(text, ns), what);
}

void write_cause(FILE* out, const struct trace_loop* loop, const struct event* event) {
  if (event->cause == EVENT_NONE)
    return;
  const struct cause* cause = &loop->causes[event->cause];
  fputs("begun by ", out);
  write_begun_by(out, loop, cause->by);
  if (cause->work == EVENT_NONE) {
    write_waited(out, " ", without(event->start, cause->begun), "before");
    return;
  }
  const struct work* work = &loop->process->works[cause->work];
  uint64_t offset = loop->start_ns - loop->process->start_ns;
  uint64_t begun = cause->begun + offset, called = event->start + offset;
  write_waited(out, ", waited ", without(work->start, begun), "for a thread, ");
  write_waited(out, "", work->duration, "on it, ");
  write_waited(out, "", without(called, work->start + work->duration), "for the loop");
}

/* --- what keeps it alive ---------------------------------------------------------------
 */

/* A callback about the handle, except its close callback: the last in which a function of
 * the program's was called, otherwise the last; or NULL. */
static const struct event* last_about(const struct trace_loop* loop, int32_t subject) {
  enum { LOOKED_AT = 256 }; /* callbacks of one handle are much alike */
  const struct event* last = NULL;
  unsigned int looked_at = 0;
  for (size_t i = loop->event_count; i > 0 && looked_at < LOOKED_AT; i--) {
    const struct event* event = &loop->events[i - 1];
    if (event->kind != EVENT_CALLBACK || event->subject != subject ||
        (event->parent != EVENT_NONE &&
         loop->events[event->parent].kind == EVENT_CLOSING))
      continue;
    if (event_is_of_program(loop, event) || program_inside(loop, event) != NULL)
      return event;
    last = last == NULL ? event : last;
    looked_at++;
  }
  return last;
}

/* Node has one timer for all those of a script: which of them is due next isn't known. */
static void write_timers(FILE* out, const struct trace_loop* loop,
                         const struct event* last) {
  const struct event* inside = program_inside(loop, last);
  if (inside == NULL) {
    write_who(out, loop, last);
    return;
  }
  fputs("timers such as ", out);
  write_short(out, event_name(loop, inside));
  fprintf(out, " (%s)", subject_of(loop, last));
}

void write_alive_name(FILE* out, const struct trace_loop* loop,
                      const struct alive* alive) {
  const struct event* event = last_about(loop, alive->subject);
  if (event == NULL)
    fputs(loop->subjects[alive->subject], out);
  else if (event->timer && !event_is_of_program(loop, event))
    write_timers(out, loop, event);
  else
    write_who_named(out, loop, event);
}

void write_alive(FILE* out, const struct trace_loop* loop, const struct alive* alive) {
  write_alive_name(out, loop, alive);
  if (alive->fd >= 0)
    fprintf(out, " fd %d", alive->fd);
  if (*alive->text != '\0') {
    putc(' ', out);
    write_plain(out, alive->text);
  }
}
