/* Facts as sentences: see trace_words.h. */
#include "trace_words.h"

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
  size_t length = strcspn(text, " ");
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

/* Removes the folders from each place in a script. To be freed. */
static char* without_folders(const char* name) {
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
    fprintf(out, " x %u", event->many);
}

/* The longest span of the program's own language directly inside, or NULL. Microtasks are
 * known by another function's name. */
static const struct event* script_inside(const struct trace_loop* loop,
                                         const struct event* event) {
  static const char microtasks[] = "microtasks of ";
  const struct event *last = loop->events + loop->event_count, *longest = NULL;
  int32_t number = (int32_t) (event - loop->events);
  for (const struct event* at = event + 1; at < last && at->start <= end_of_event(event);
       at++) {
    if (at->parent == number && event_is_of_script(loop, at) &&
        strncmp(loop->names[at->name], microtasks, sizeof(microtasks) - 1) != 0 &&
        (longest == NULL || at->duration > longest->duration))
      longest = at;
  }
  return longest;
}

void write_who_named(FILE* out, const struct trace_loop* loop,
                     const struct event* event) {
  const struct event* inside = script_inside(loop, event);
  const char* subject = subject_of(loop, event);
  if (inside == NULL) {
    write_who(out, loop, event);
    return;
  }
  write_short(out, event_name(loop, inside));
  if (subject_matters(subject))
    fprintf(out, " (%s)", subject);
}

/* --- who held it up ------------------------------------------------------------------
 */

static void write_where(FILE* out, const struct trace_loop* loop,
                        const struct stretch* stretch) {
  bool outside = stretch->taker == TAKER_OUTSIDE;
  if (stretch->starting)
    fputs(outside ? " before the first turn" : ", before the first turn", out);
  else if (stretch->turn != EVENT_NONE)
    fprintf(out, ", %sin turn %" PRId64, outside ? "seen " : "",
            loop->events[stretch->turn].detail);
}

static void write_culprit(FILE* out, const struct trace_loop* loop,
                          const struct stretch* stretch) {
  char text[TIME_SIZE];
  const struct event* culprit = &loop->events[stretch->culprit];
  const struct event* inside =
      stretch->inside == EVENT_NONE ? NULL : &loop->events[stretch->inside];
  const char* subject = subject_of(loop, culprit);
  const char* end = culprit->unfinished ? " and had not ended" : "";
  if (inside != NULL && event_is_of_script(loop, inside)) {
    write_who(out, loop, inside);
    if (subject_matters(subject))
      fprintf(out, " (%s)", subject);
    inside = NULL;
  } else {
    write_who(out, loop, culprit);
  }
  if (stretch->calls > 1)
    fprintf(out, ", called %" PRIu64 " times", stretch->calls);
  if (inside != NULL) {
    fputs(", mostly its ", out);
    write_who(out, loop, inside);
  }
  fprintf(out, ", %s of it%s", time_text(text, stretch->took), end);
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

void write_cpu(FILE* out, const struct cpu_share* cpu, uint64_t length) {
  static const char* const why[] = {
      [CPU_THROTTLED] = ": throttled, its control group's limit was used up",
      [CPU_BUSY] = ": the machine was busy",
      [CPU_WAITED] = ": it waited for something, such as a file, a lock or a child",
      [CPU_PARTLY] = "",
  };
  char text[TIME_SIZE];
  enum cpu_verdict verdict = cpu_verdict(cpu, length);
  if (cpu->known && verdict != CPU_FINE)
    fprintf(out, "; of that %s on the processor%s", time_text(text, cpu->used),
            why[verdict]);
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
  write_cpu(out, &stretch->cpu, stretch_length(stretch));
}

/* --- the whole -----------------------------------------------------------------------
 */

/* Percentiles without a wait come first, and are written together. */
void write_waits_of(FILE* out, const struct facts* facts) {
  static const char* const often[] = {"half of the time", "9 times of 10", "99 of 100"};
  const uint64_t waits[] = {facts->wait_p50, facts->wait_p90, facts->wait_p99};
  char text[TIME_SIZE];
  size_t at_once = 0;
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

/* The program's work before its loop first turned, which held nothing up. */
static void write_start(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  const struct stretch* starting = facts->starting;
  uint64_t worst = facts->worst == NULL ? 0 : stretch_length(facts->worst);
  if (starting == NULL || stretch_length(starting) < 10000000 ||
      stretch_length(starting) <= worst || facts->callbacks + facts->in_scripts == 0)
    return;
  fprintf(out, "; %s passed ", time_text(text, stretch_length(starting)));
  write_held(out, facts->loop, starting);
}

/* The request that waited for a thread of the pool, and those that had the threads. */
static void write_starved(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  const struct trace_loop* loop = facts->loop;
  const struct starved* starved = &facts->starved;
  if (starved->event == EVENT_NONE)
    return;
  const struct event* event = &loop->events[starved->event];
  const struct cause* cause = &loop->causes[event->cause];
  fputs("; the pool was starved: ", out);
  write_who_named(out, loop, event);
  if (cause->by != EVENT_NONE) {
    fputs(", begun by ", out);
    write_who(out, loop, &loop->events[cause->by]);
  }
  fprintf(out, ", waited %s for one of %" PRIu64 " thread%s",
          time_text(text, starved->waited), starved->threads,
          starved->threads == 1 ? "" : "s");
  if (starved->holder_count == 0)
    return;
  fprintf(out, ", taken by %" PRIu64 " of %.*s", starved->holder_count,
          (int) kind_length(starved->holder_subject),
          starved->holder_subject == NULL ? "" : starved->holder_subject);
  if (starved->holder != EVENT_NONE) {
    fputs(" begun by ", out);
    write_who(out, loop, &loop->events[starved->holder]);
  }
}

/* Less than a millisecond isn't worth a warning. */
void write_verdict(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  const struct stretch* worst = facts->worst;
  if (worst != NULL && stretch_length(worst) >= 1000000) {
    fprintf(out, "held up for %s ", time_text(text, stretch_length(worst)));
    write_held(out, facts->loop, worst);
  } else if (worst != NULL) {
    fprintf(out, "never held up for longer than %s",
            time_text(text, stretch_length(worst)));
  } else {
    fputs(facts->turns == 0 ? "never turned" : "never held up", out);
  }
  if (facts->unnoticed != NULL && stretch_length(facts->unnoticed) >= 1000000) {
    fprintf(out, "; not looking for %s ",
            time_text(text, stretch_length(facts->unnoticed)));
    write_held(out, facts->loop, facts->unnoticed);
  }
  write_starved(out, facts);
  write_start(out, facts);
}

void write_sleeper(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  fprintf(out, "%" PRIu64 " turn%s, asleep ", facts->turns, facts->turns == 1 ? "" : "s");
  if (facts->callbacks == 0)
    fputs("since", out);
  else
    fprintf(out, "but for %s", time_text(text, facts->busy));
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
  if (cause->by != EVENT_NONE)
    write_who(out, loop, &loop->events[cause->by]);
  else
    fputs("no callback", out);
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

/* The last callback about the handle, except its close callback; or NULL. */
static const struct event* last_about(const struct trace_loop* loop, int32_t subject) {
  for (size_t i = loop->event_count; i > 0; i--) {
    const struct event* event = &loop->events[i - 1];
    if (event->kind == EVENT_CALLBACK && event->subject == subject &&
        (event->parent == EVENT_NONE ||
         loop->events[event->parent].kind != EVENT_CLOSING))
      return event;
  }
  return NULL;
}

void write_alive(FILE* out, const struct trace_loop* loop, const struct alive* alive) {
  const struct event* event = last_about(loop, alive->subject);
  if (event == NULL)
    fputs(loop->subjects[alive->subject], out);
  else if (event->timer) /* of a script's many timers it is another one that is due */
    write_who(out, loop, event);
  else
    write_who_named(out, loop, event);
  if (alive->fd >= 0)
    fprintf(out, " fd %d", alive->fd);
  if (*alive->text != '\0') {
    putc(' ', out);
    write_plain(out, alive->text);
  }
}
