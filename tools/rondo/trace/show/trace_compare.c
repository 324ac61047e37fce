/* Compares two recordings of one program: which callbacks got slower. Durations vary from
 * call to call, so their medians are compared, with the spread of the middle half; a
 * difference within the spread is reported as none. */
#include "trace_findings.h"
#include "trace_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED_MOST = 25 };

/* The calls of one name and kind of subject, in one trace. */
struct calls {
  uint64_t* times;
  size_t count, capacity;
};

struct compared {
  char* key;        /* the name on both sides, without its line */
  const char* name; /* on the side where it was found first */
  const char* subject;
  struct calls sides[2]; /* before, after */
  double weight;         /* total cost of the change */
};

struct comparison {
  struct compared* list;
  size_t count, capacity;
};

static int by_time(const void* left, const void* right) {
  uint64_t a = *(const uint64_t*) left, b = *(const uint64_t*) right;
  return a < b ? -1 : a > b;
}

static uint64_t part_of(const struct calls* calls, size_t quarter) {
  return calls->count == 0 ? 0 : calls->times[(calls->count - 1) * quarter / 4];
}

/* Whether a word is a place in a script: "/app/server.js:12", "node:net:7". */
static bool is_place(const char* word, size_t length) {
  size_t digits = 0;
  while (digits < length && word[length - 1 - digits] >= '0' &&
         word[length - 1 - digits] <= '9')
    digits++;
  return digits > 0 && digits + 1 < length && word[length - 1 - digits] == ':';
}

/* Lines move when a script is changed, so a function is identified by its name; a
 * function without a name, by its place. */
static char* key_of(const char* name) {
  char* key = text_copy(name, strlen(name));
  char* out = key;
  if (strstr(name, "(anonymous)") != NULL)
    return key;
  for (const char* at = name; *at != '\0';) {
    size_t space = strspn(at, " "), length = strcspn(at + space, " ");
    if (out == key || !is_place(at + space, length)) {
      memcpy(out, at, space + length);
      out += space + length;
    }
    at += space + length;
  }
  *out = '\0';
  return key;
}

static size_t compared_of(struct comparison* all, const char* name, const char* subject) {
  char* key = key_of(name);
  for (size_t i = 0; i < all->count; i++) {
    const struct compared* known = &all->list[i];
    if (strcmp(known->key, key) == 0 && same_subject_kind(known->subject, subject)) {
      free(key);
      return i;
    }
  }
  all->list = array_grow(all->list, all->count, &all->capacity, sizeof(*all->list));
  all->list[all->count] = (struct compared){.key = key, .name = name, .subject = subject};
  return all->count++;
}

/* Most calls have the same kind of subject as the last call of that name: `known` caches
 * its index, so that few names are searched for. */
static size_t place_of(struct comparison* all, const struct trace_loop* loop,
                       const struct event* event, size_t* known) {
  const char* subject =
      event->subject == EVENT_NONE ? NULL : loop->subjects[event->subject];
  size_t* place = &known[event->name != EVENT_NONE ? (size_t) event->name
                                                   : loop->name_count + event->kind];
  const struct compared* last = *place == 0 ? NULL : &all->list[*place - 1];
  if (last == NULL || !same_subject_kind(last->subject, subject))
    *place = compared_of(all, event_name(loop, event), subject) + 1;
  return *place - 1;
}

static void add_loop(struct comparison* all, const struct facts* facts, size_t side) {
  const struct trace_loop* loop = facts->loop;
  size_t* known = calloc(loop->name_count + EVENT_KINDS, sizeof(*known));
  if (known == NULL)
    out_of_memory();
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (!is_work(event))
      continue;
    /* Computed first, since the list may move. */
    size_t place = place_of(all, loop, event, known);
    struct calls* calls = &all->list[place].sides[side];
    calls->times =
        array_grow(calls->times, calls->count, &calls->capacity, sizeof(*calls->times));
    calls->times[calls->count++] = without(event->duration, facts->inside[i]);
  }
  free(known);
}

/* The uncertainty of the median of so many calls: twice its standard error. A handful of
 * calls says little. */
static double doubt(const struct calls* calls) {
  double spread = (double) (part_of(calls, 3) - part_of(calls, 1));
  return calls->count < 5 ? (double) part_of(calls, 2)
                          : 2 * 1.2533 * spread / 1.349 / sqrt((double) calls->count);
}

static double change_of(const struct compared* compared) {
  return (double) part_of(&compared->sides[1], 2) -
         (double) part_of(&compared->sides[0], 2);
}

static bool is_real(const struct compared* compared) {
  double first = doubt(&compared->sides[0]), second = doubt(&compared->sides[1]);
  double change = fabs(change_of(compared));
  return change > sqrt(first * first + second * second) &&
         change > 0.05 * (double) part_of(&compared->sides[0], 2);
}

static int by_weight(const void* left, const void* right) {
  const struct compared *a = left, *b = right;
  return a->weight < b->weight   ? 1
         : a->weight > b->weight ? -1
                                 : strcmp(a->name, b->name);
}

static void weigh(struct comparison* all) {
  for (size_t i = 0; i < all->count; i++) {
    struct compared* compared = &all->list[i];
    for (size_t side = 0; side < 2; side++) {
      struct calls* calls = &compared->sides[side];
      if (calls->count > 1)
        qsort(calls->times, calls->count, sizeof(*calls->times), by_time);
    }
    bool both = compared->sides[0].count > 0 && compared->sides[1].count > 0;
    double change = both && !is_real(compared) ? 0 : change_of(compared);
    compared->weight =
        change * (double) (compared->sides[1].count > 0 ? compared->sides[1].count
                                                        : compared->sides[0].count);
  }
  if (all->count > 1)
    qsort(all->list, all->count, sizeof(*all->list), by_weight);
}

/* "12.1 ms (11.8 ms to 12.9 ms)": the median, and the range of the middle half. */
static void write_calls(FILE* out, const struct calls* calls) {
  char middle[TIME_SIZE], low[TIME_SIZE], high[TIME_SIZE], all[96];
  if (calls->count == 0)
    snprintf(all, sizeof(all), "-");
  else
    snprintf(all, sizeof(all), "%s (%s to %s)", time_text(middle, part_of(calls, 2)),
             time_text(low, part_of(calls, 1)), time_text(high, part_of(calls, 3)));
  fprintf(out, "%8zu  %-36s", calls->count, all);
}

static void write_change(FILE* out, const struct compared* compared) {
  const struct calls *before = &compared->sides[0], *after = &compared->sides[1];
  if (before->count == 0 || after->count == 0)
    fprintf(out, "%-10s", before->count == 0 ? "new" : "gone");
  else if (!is_real(compared))
    fprintf(out, "%-10s", "the same");
  else
    fprintf(out, "%+-7.0f %%  ",
            part_of(before, 2) == 0
                ? 100.0
                : change_of(compared) * 100 / (double) part_of(before, 2));
}

static void write_compared(FILE* out, const struct compared* compared) {
  fputs("  ", out);
  write_change(out, compared);
  write_calls(out, &compared->sides[0]);
  write_calls(out, &compared->sides[1]);
  write_short(out, compared->name);
  if (subject_matters(compared->subject))
    fprintf(out, " (%.*s)", (int) kind_length(compared->subject), compared->subject);
  putc('\n', out);
}

/* A trace is represented by its busiest loop. */
static const struct facts* busiest(struct facts** all, size_t count) {
  const struct facts* found = all[0];
  for (size_t i = 1; i < count; i++)
    found = all[i]->busy > found->busy ? all[i] : found;
  return found;
}

static void write_side(FILE* out, const char* which, const struct facts* facts) {
  fprintf(out, "%s: loop %u, %" PRIu64 " turn%s, %.1f %% busy\n  ", which,
          facts->loop->number, facts->turns, facts->turns == 1 ? "" : "s",
          facts->shown == 0 ? 0.0 : (double) facts->busy * 100 / (double) facts->shown);
  write_verdict(out, facts, "\n  ");
  fputs("\n  ", out);
  write_waits_of(out, facts);
  putc('\n', out);
}

/* The largest changes in both directions: slower ones from the top, faster ones from the
 * bottom. */
static void write_list(FILE* out, const struct comparison* all) {
  size_t same = 0;
  fprintf(out, "\n  %-10s%8s  %-36s%8s  %-36scallback\n", "change", "calls",
          "before, the middle half", "calls", "after");
  for (size_t i = 0; i < all->count; i++) {
    bool at_an_end = i < COMPARED_MOST || i + COMPARED_MOST >= all->count;
    same += all->list[i].weight == 0;
    if (at_an_end && all->list[i].weight != 0)
      write_compared(out, &all->list[i]);
  }
  fprintf(out, "  %zu callback%s no different, or no more than by chance\n", same,
          same == 1 ? " is" : "s are");
}

bool write_comparison(FILE* out, const struct trace* before, const struct trace* after) {
  struct comparison all = {0};
  const struct trace* const traces[] = {before, after};
  struct facts** facts[2];
  for (size_t side = 0; side < 2; side++) {
    facts[side] = facts_of_all(traces[side]);
    if (facts[side] == NULL)
      out_of_memory();
    for (size_t i = 0; i < traces[side]->count; i++)
      add_loop(&all, facts[side][i], side);
    write_side(out, side == 0 ? "before" : "after",
               busiest(facts[side], traces[side]->count));
  }
  weigh(&all);
  write_list(out, &all);
  for (size_t i = 0; i < all.count; i++) {
    free(all.list[i].key);
    free(all.list[i].sides[0].times);
    free(all.list[i].sides[1].times);
  }
  free(all.list);
  facts_free_all(facts[0], before->count);
  facts_free_all(facts[1], after->count);
  return ferror(out) == 0;
}
