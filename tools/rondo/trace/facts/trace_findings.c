/* The worst first: see trace_findings.h. */
#include "trace_findings.h"
#include "trace_collections.h"

#include "trace_samples.h"
#include "trace_words.h"

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

size_t findings_list(const struct facts* facts, struct finding* list) {
  size_t count = 0;
  uint64_t held = length_of(facts->worst), away = length_of(facts->unnoticed);
  bool starved = facts->starved.event != EVENT_NONE;
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
  return count;
}

/* What another thread than the main one waits for by itself, as a worker for its
 * messages, is nobody's wait. */
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

/* The request that waited for a thread of the pool. */
static void write_starved(FILE* out, const struct facts* facts, bool begun) {
  char text[TIME_SIZE];
  const struct trace_loop* loop = facts->loop;
  const struct starved* starved = &facts->starved;
  const struct event* event = &loop->events[starved->event];
  const struct cause* cause = &loop->causes[event->cause];
  fputs("the pool was starved: ", out);
  write_who_named(out, loop, event);
  if (begun && cause->by != EVENT_NONE) {
    fputs(", begun by ", out);
    write_who_named(out, loop, &loop->events[cause->by]);
    putc(',', out);
  }
  fprintf(out, " waited %s for one of %" PRIu64 " thread%s",
          time_text(text, starved->waited), starved->threads,
          starved->threads == 1 ? "" : "s");
}

/* Those that had the threads. */
static void write_holders(FILE* out, const struct facts* facts) {
  const struct starved* starved = &facts->starved;
  if (starved->holder_count == 0)
    return;
  fprintf(out, ", taken by %" PRIu64 " of %.*s", starved->holder_count,
          (int) kind_length(starved->holder_subject),
          starved->holder_subject == NULL ? "" : starved->holder_subject);
  if (starved->holder != EVENT_NONE) {
    fputs(" begun by ", out);
    write_who_named(out, facts->loop, &facts->loop->events[starved->holder]);
  }
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
    write_holders(out, facts);
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
  bool calm = list[0].kind > FINDING_STARVED || list[0].waited < CALM_NS;
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

/* Adds the part, without folders, or leaves it out; one that is needed is cut. */
static void part_end(struct headline* line, FILE* out, bool needed) {
  if (fclose(out) != 0 || line->part == NULL)
    out_of_memory();
  char* text = without_folders(line->part);
  size_t room = HEADLINE_MOST - line->length, length = strlen(text);
  if (length <= room || needed) {
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
  if (!hot_path_find(&path, loop, worst->start, worst->end))
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

static void headline_cpu(struct headline* line, const struct finding* finding) {
  const struct stretch* worst = finding->facts->worst;
  FILE* out = part_begin(line);
  write_cpu(out, &worst->cpu, finding->waited,
            collected_between(finding->facts->loop, worst->start, worst->end));
  part_end(line, out, false);
}

static void headline_starved(struct headline* line, const struct finding* finding) {
  FILE* out = part_begin(line);
  write_starved(out, finding->facts, false);
  part_end(line, out, true);
  out = part_begin(line);
  write_holders(out, finding->facts);
  part_end(line, out, false);
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
  part_end(line, out, false);
  headline_stack(line, finding, starting);
}

void write_headline(FILE* out, const struct finding* finding) {
  struct headline line = {.length = 0};
  if (finding->kind == FINDING_HELD) {
    headline_held(&line, finding);
    headline_stack(&line, finding, finding->facts->worst);
    headline_cpu(&line, finding);
  } else if (finding->kind == FINDING_STARVED) {
    headline_starved(&line, finding);
  } else {
    FILE* part = part_begin(&line);
    write_finding(part, finding);
    part_end(&line, part, true);
    if (finding->kind == FINDING_CALM)
      headline_start(&line, finding);
  }
  fputs(line.text, out);
}
