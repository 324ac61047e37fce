/* The worst first: see trace_findings.h. */
#include "trace_findings.h"
#include "trace_collections.h"

#include "trace_held.h"
#include "trace_samples.h"
#include "trace_words.h"

#include "trace/format.h"
#include "uv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Less than the first isn't worth a warning, less than the second no line of its own. */
static const uint64_t HELD_LEAST_NS = 1000000, CALM_NS = 10000000;
enum { HEADLINE_MOST = 156 };

/* --- what there is
 * ----------------------------------------------------------------------
 */

static uint64_t length_of(const struct stretch* stretch) {
  return stretch == NULL ? 0 : stretch_length(stretch);
}

static bool has_start(const struct facts* facts) {
  const uint64_t least = 10000000;
  return length_of(facts->starting) >= least &&
         length_of(facts->starting) > length_of(facts->worst) &&
         facts->callbacks + facts->in_scripts > 0;
}

/* Somebody's wait first, the longest; what nobody waited for behind that. */
static int worst_first(const void* left, const void* right) {
  const struct finding *a = left, *b = right;
  bool waited_a = a->kind <= FINDING_STARVED, waited_b = b->kind <= FINDING_STARVED;
  if (waited_a != waited_b)
    return waited_a ? -1 : 1;
  if (waited_a && a->waited != b->waited)
    return a->waited > b->waited ? -1 : 1;
  return (int) a->kind - (int) b->kind;
}

/* The function that took most of the time of a loop that was nearly always busy, with
 * many calls that each were short: nobody waited for long, and the loop never rested.
 * NULL: no such function. */
static const struct total* busy_with(const struct facts* facts) {
  const uint64_t least_ns = 200000000, calls_least = 20;
  const struct total* most = NULL;
  if (facts->shown < least_ns || facts->busy < facts->shown / 10 * 9 ||
      length_of(facts->worst) > facts->shown / 5)
    return NULL;
  for (size_t i = 0; i < facts->total_count && most == NULL; i++) {
    if (name_is_of_program(facts->totals[i].name))
      most = &facts->totals[i];
  }
  if (most == NULL || most->calls < calls_least)
    return NULL;
  return most->own + collected_whole(facts) >= facts->shown / 4 ? most : NULL;
}

size_t findings_list(const struct facts* facts, struct finding* list) {
  size_t count = 0;
  uint64_t held = length_of(facts->worst), away = length_of(facts->unnoticed);
  bool starved = facts->starved.cause != EVENT_NONE;
  if (held >= HELD_LEAST_NS && held >= 2 * facts->loop->sampled_ns)
    list[count++] = (struct finding){FINDING_HELD, held, facts};
  else
    list[count++] = (struct finding){FINDING_CALM, held, facts};
  if (starved)
    list[count++] = (struct finding){FINDING_STARVED, facts->starved.waited, facts};
  if (away >= HELD_LEAST_NS)
    list[count++] = (struct finding){FINDING_AWAY, away, facts};
  if (has_start(facts))
    list[count++] = (struct finding){FINDING_START, length_of(facts->starting), facts};
  if (held >= HELD_LEAST_NS || starved)
    qsort(list, count, sizeof(*list), worst_first);
  if (busy_with(facts) == NULL)
    return count;
  size_t place = starved && list[0].kind == FINDING_STARVED ? 1 : 0;
  memmove(list + place + 1, list + place, (count - place) * sizeof(*list));
  list[place] = (struct finding){FINDING_BUSY, held, facts};
  return count + 1;
}

/* A wait of another thread than the main one by itself, as a worker's for its messages,
 * is nobody's wait. */
static bool only_waits(const struct finding* finding) {
  const struct stretch* worst = finding->facts->worst;
  return finding->kind == FINDING_HELD &&
         finding->facts->loop->thread != finding->facts->loop->pid && worst->cpu.known &&
         worst->cpu.used + worst->cpu.delay < finding->waited / 10;
}

int finding_weight(const struct finding* finding) {
  if (finding->facts == NULL || facts_of_unused(finding->facts))
    return 0;
  if (facts_of_sleeper(finding->facts) || !facts_of_program(finding->facts))
    return 1;
  if (finding->kind == FINDING_BUSY)
    return 4;
  if (finding->kind > FINDING_STARVED || only_waits(finding))
    return finding->facts->loop->thread == finding->facts->loop->pid ? 3 : 2;
  return 4;
}

struct finding finding_worst(struct facts* const* all, size_t count) {
  struct finding worst = {.facts = NULL};
  for (size_t i = 0; i < count; i++) {
    struct finding list[FINDING_KINDS];
    (void) findings_list(all[i], list);
    int left = finding_weight(&list[0]), right = finding_weight(&worst);
    if (worst.facts == NULL || left > right ||
        (left == right && list[0].waited > worst.waited))
      worst = list[0];
  }
  return worst;
}

/* --- the sentences
 * ----------------------------------------------------------------------
 */

static void write_begun(FILE* out, const struct trace_loop* loop, const char* before,
                        const struct cause* cause, const char* after) {
  if (cause->by == EVENT_NONE)
    return;
  fputs(before, out);
  write_who_named(out, loop, &loop->events[cause->by]);
  fputs(after, out);
}

/* A request is known by the program's function that it calls back, or else by its kind
 * and by who began it: a class of Node's says nothing. */
static void write_starved(FILE* out, const struct facts* facts, bool begun) {
  char text[TIME_SIZE];
  const struct trace_loop* loop = facts->loop;
  const struct starved* starved = &facts->starved;
  const struct cause* cause = &loop->causes[starved->cause];
  bool named = starved->event != EVENT_NONE &&
               event_calls_program(loop, &loop->events[starved->event]);
  fprintf(out, "the pool %s starved: ", starved->unserved ? "is" : "was");
  if (named)
    write_who_named(out, loop, &loop->events[starved->event]);
  else
    write_request_kind(out, cause);
  if (begun || !named)
    write_begun(out, loop, ", begun by ", cause, ",");
  fprintf(out, " %s %s for one of %" PRIu64 " thread%s",
          starved->unserved ? "has waited" : "waited", time_text(text, starved->waited),
          starved->threads, starved->threads == 1 ? "" : "s");
}

/* The requests that had the threads. */
static void write_holders(FILE* out, const struct facts* facts, bool begun) {
  const struct starved* starved = &facts->starved;
  const struct trace_loop* loop = facts->loop;
  if (starved->holder_cause == EVENT_NONE)
    return;
  const struct cause* cause = &loop->causes[starved->holder_cause];
  const char* kind = starved->holder_event == EVENT_NONE
                         ? NULL
                         : node_kind_of(loop, &loop->events[starved->holder_event]);
  fprintf(out, ", taken by %" PRIu64 " of ", starved->holder_count);
  if (kind != NULL && cause_kind(cause) == TRACE_SUBJECT_REQ + UV_WORK)
    write_short(out, kind);
  else
    write_request_kind(out, cause);
  if (begun)
    write_begun(out, loop, " begun by ", cause, "");
}

static void write_busy(FILE* out, const struct facts* facts) {
  const struct total* most = busy_with(facts);
  char shown[TIME_SIZE], own[TIME_SIZE];
  fprintf(out, "busy for %.1f %% of %s: ",
          100.0 * (double) facts->busy / (double) facts->shown,
          time_text(shown, facts->shown));
  write_short(out, most->name);
  if (subject_matters(most->subject))
    fprintf(out, " (%.*s)", (int) kind_length(most->subject), most->subject);
  fprintf(out, ", called %" PRIu64 " times, %s in all", most->calls,
          time_text(own, most->own));
  if (collections_matter(facts))
    write_collected_share(out, facts);
}

static void write_calm(FILE* out, const struct facts* facts) {
  char text[TIME_SIZE];
  if (facts->loop->sampled_ns != 0) {
    fprintf(out, "not seen to be held up for longer than %s",
            time_text(text, 2 * facts->loop->sampled_ns));
    return;
  }
  if (facts->worst != NULL)
    fprintf(out, "never held up for longer than %s",
            time_text(text, stretch_length(facts->worst)));
  else
    fputs(facts->turns == 0 ? "never turned" : "never held up", out);
}

void write_finding(FILE* out, const struct finding* finding) {
  const struct facts* facts = finding->facts;
  char text[TIME_SIZE];
  time_text(text, finding->waited);
  switch (finding->kind) {
  case FINDING_HELD:
    fprintf(out, "held up for %s ", text);
    write_held(out, facts->loop, facts->worst);
    break;
  case FINDING_STARVED:
    write_starved(out, facts, true);
    write_holders(out, facts, true);
    break;
  case FINDING_BUSY:
    write_busy(out, facts);
    break;
  case FINDING_AWAY:
    fprintf(out, "not looking for %s ", text);
    write_held(out, facts->loop, facts->unnoticed);
    break;
  case FINDING_START:
    fprintf(out, "%s passed ", text);
    write_held(out, facts->loop, facts->starting);
    break;
  case FINDING_CALM:
  case FINDING_KINDS:
    write_calm(out, facts);
    break;
  }
}

void write_verdict(FILE* out, const struct facts* facts, const char* between) {
  struct finding list[FINDING_KINDS];
  size_t count = findings_list(facts, list);
  bool calm = list[0].kind > FINDING_BUSY || list[0].waited < CALM_NS;
  for (size_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : calm ? "; " : between, out);
    write_finding(out, &list[i]);
  }
}

/* --- headlines
 * --------------------------------------------------------------------------
 */

/* A sentence, grown part by part as long as there is room. */
struct headline {
  char text[HEADLINE_MOST + 1];
  size_t length;
  char* part; /* that is being written */
  size_t size;
};

static FILE* part_begin(struct headline* line) {
  FILE* out = open_memstream(&line->part, &line->size);
  if (out == NULL)
    out_of_memory();
  return out;
}

/* Adds the part, without folders, or leaves it out and returns false; one that is needed
 * is cut. */
static bool part_end(struct headline* line, FILE* out, bool needed) {
  if (fclose(out) != 0 || line->part == NULL)
    out_of_memory();
  char* text = without_folders(line->part);
  size_t room = HEADLINE_MOST - line->length, length = strlen(text);
  bool fits = length <= room;
  if (fits || needed) {
    length = length <= room ? length : room;
    while (length < strlen(text) && length > 0 &&
           ((unsigned char) text[length] & 0xc0) == 0x80)
      length--; /* not in the middle of a character */
    memcpy(line->text + line->length, text, length);
    line->length += length;
    line->text[line->length] = '\0';
  }
  free(text);
  free(line->part);
  line->part = NULL;
  return fits;
}

/* Who held it up: the program's own function, if one took most of it. */
static void headline_held(struct headline* line, const struct finding* finding) {
  const struct stretch* worst = finding->facts->worst;
  const struct trace_loop* loop = finding->facts->loop;
  char time[TIME_SIZE];
  FILE* out = part_begin(line);
  fprintf(out, "held up for %s ", time_text(time, finding->waited));
  if (worst->taker == TAKER_CALLBACK || worst->taker == TAKER_MANY) {
    fputs("by ", out);
    if (worst->taker == TAKER_MANY)
      fprintf(out, "%" PRIu64 " callbacks, most of all ", worst->callbacks);
    write_taker(out, loop, worst);
    if (loop->events[worst->culprit].unfinished)
      fputs(", which had not ended", out);
  } else if (worst->taker == TAKER_OUTSIDE) {
    fputs("by the program, outside of uv_run", out);
  } else {
    fputs("by no callback, but the loop's own work or the machine", out);
  }
  part_end(line, out, true);
}

/* In which of the program's functions it was, if that isn't named already. */
static void headline_stack(struct headline* line, const struct finding* finding,
                           const struct stretch* worst) {
  const struct trace_loop* loop = finding->facts->loop;
  struct hot_path path;
  if (!taker_path_find(&path, loop, worst))
    return;
  const char* function = hot_path_function(&path);
  bool called = worst->culprit != EVENT_NONE && worst->taker <= TAKER_MANY;
  if (function == NULL || (called && strstr(taker_name(loop, worst), function) != NULL))
    return;
  FILE* out = part_begin(line);
  fputs(", in ", out);
  frame_write(out, function);
  part_end(line, out, false);
}

/* The kind of a stall: garbage collection, waiting, others on the processor. Where there
 * is no room for how much, why is said alone. */
static void headline_kind(struct headline* line, const struct finding* finding) {
  const struct facts* facts = finding->facts;
  const struct stretch* worst = facts->worst;
  uint64_t collected = collected_between(facts->loop, worst->start, worst->end);
  const char* waits = stretch_waits(facts->loop, worst);
  FILE* out = part_begin(line);
  uint64_t stopped = write_stopped_part(out, facts->loop, worst->start, worst->end);
  write_collected(out, collected, finding->waited);
  part_end(line, out, false);
  for (int brief = 0; brief < 2; brief++) {
    out = part_begin(line);
    write_processor_time(out, &worst->cpu, without(finding->waited, stopped), collected,
                         waits, brief);
    if (part_end(line, out, false))
      break;
  }
  if (collected < finding->waited / 2 && collections_matter(facts)) {
    out = part_begin(line);
    write_collected_share(out, facts);
    part_end(line, out, false);
  }
}

static void headline_starved(struct headline* line, const struct finding* finding) {
  FILE* out = part_begin(line);
  write_starved(out, finding->facts, false);
  part_end(line, out, true);
  for (int brief = 0; brief < 2; brief++) {
    out = part_begin(line);
    write_holders(out, finding->facts, !brief);
    if (part_end(line, out, false))
      break;
  }
}

/* Of a program that has done its work before its loop turned: that it was never held up
 * is only half of the truth. */
static void headline_start(struct headline* line, const struct finding* finding) {
  const uint64_t least = 100000000;
  const struct stretch* starting = finding->facts->starting;
  char time[TIME_SIZE];
  if (!has_start(finding->facts) || length_of(starting) < least)
    return;
  FILE* out = part_begin(line);
  fprintf(out, "; %s passed before the first turn", time_text(time, length_of(starting)));
  if (part_end(line, out, false))
    headline_stack(line, finding, starting);
}

/* What the handle is called: with its descriptor and addresses, by its name alone, or as
 * "tcp 1", whatever there is room for. */
static bool headline_handle(struct headline* line, const struct trace_loop* loop,
                            const struct alive* alive, const char* before) {
  bool fits = false;
  for (int way = 0; way < 3 && !fits; way++) {
    FILE* out = part_begin(line);
    fputs(before, out);
    if (way == 0)
      write_alive(out, loop, alive);
    else if (way == 1)
      write_alive_name(out, loop, alive);
    else
      fputs(loop->subjects[alive->subject], out);
    fits = part_end(line, out, false);
  }
  return fits;
}

/* Of a loop that was asleep at the end, for much longer than anything had held it up:
 * what it waited for, since the program may have been stopped because it didn't end. */
static bool headline_alive(struct headline* line, const struct finding* finding) {
  const struct trace_loop* loop = finding->facts->loop;
  const struct event* last = loop->events + loop->event_count - 1;
  if (loop->event_count == 0 || last->kind != EVENT_SLEEP || !last->unfinished ||
      loop->wait_count == 0 || finding->facts->longest_sleep / 10 < finding->waited)
    return false;
  const struct wait* wait = &loop->waits[loop->wait_count - 1];
  FILE* out = part_begin(line);
  if (wait->requests > 0)
    fprintf(out, "; at the end it waited for %u request%s in flight", wait->requests,
            wait->requests == 1 ? "" : "s");
  part_end(line, out, false);
  if (wait->handles == 0)
    return true;
  out = part_begin(line);
  fprintf(out, "; kept alive by %u handle%s", wait->handles,
          wait->handles == 1 ? "" : "s");
  part_end(line, out, false);
  for (size_t i = 0; i < loop->alive_count && i < wait->handles; i++) {
    if (!headline_handle(line, loop, &loop->alive[i], i == 0 ? ": " : ", "))
      break;
  }
  return true;
}

void write_headline(FILE* out, const struct finding* finding) {
  struct headline line = {.length = 0};
  if (finding->kind == FINDING_HELD) {
    headline_held(&line, finding);
    if (!headline_alive(&line, finding))
      headline_stack(&line, finding, finding->facts->worst);
    headline_kind(&line, finding);
  } else if (finding->kind == FINDING_STARVED) {
    headline_starved(&line, finding);
  } else {
    FILE* part = part_begin(&line);
    write_finding(part, finding);
    part_end(&line, part, true);
    if (finding->kind == FINDING_CALM) {
      headline_alive(&line, finding);
      headline_start(&line, finding);
    }
  }
  fputs(line.text, out);
}
