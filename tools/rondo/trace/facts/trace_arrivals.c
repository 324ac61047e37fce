/* Whose data waited to be read, and behind what. The recorder asks the kernel since when
 * the data was there (src/trace/recorder_arrivals.c); what the loop did from then on is
 * in the events. */
#include "trace_held.h"
#include "trace_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The sleeps of a loop, and how long it had slept when each began. */
struct sleeps {
  const struct event** list;
  uint64_t* before; /* one more than there are sleeps */
  size_t count;
};

static struct sleeps sleeps_make(const struct trace_loop* loop) {
  struct sleeps sleeps = {calloc(loop->wait_count + 1, sizeof(const struct event*)),
                          calloc(loop->wait_count + 1, sizeof(*sleeps.before)), 0};
  if (sleeps.list == NULL || sleeps.before == NULL)
    out_of_memory();
  for (size_t i = 0; i < loop->event_count && sleeps.count < loop->wait_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->kind != EVENT_SLEEP)
      continue;
    sleeps.list[sleeps.count] = event;
    sleeps.before[sleeps.count + 1] = sleeps.before[sleeps.count] + event->duration;
    sleeps.count++;
  }
  return sleeps;
}

static void sleeps_free(struct sleeps* sleeps) {
  free(sleeps->list);
  free(sleeps->before);
}

/* How long the sleeps that began before `time` lasted. */
static uint64_t slept_before(const struct sleeps* sleeps, uint64_t time) {
  size_t low = 0, high = sleeps->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (sleeps->list[middle]->start < time)
      low = middle + 1;
    else
      high = middle;
  }
  return sleeps->before[low];
}

static uint64_t arrived_at(const struct arrival* arrival) {
  return without(arrival->read, arrival->waited);
}

/* A loop that fell asleep while the data was there was not asked to read it: the program
 * had stopped reading, and the data waited for the program. */
static bool waited_for_loop(const struct arrival* arrival, const struct sleeps* sleeps) {
  uint64_t slept =
      slept_before(sleeps, arrival->read) - slept_before(sleeps, arrived_at(arrival));
  return slept < arrival->waited / 2;
}

/* The first event from `time` on. */
static size_t event_from(const struct trace_loop* loop, uint64_t time) {
  size_t low = 0, high = loop->event_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (loop->events[middle].start < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct stretch stretch_behind(const struct trace_loop* loop,
                                     const struct arrival* arrival) {
  size_t last = arrival->event != EVENT_NONE ? (size_t) arrival->event
                                             : event_from(loop, arrival->read);
  struct stretch behind = stretch_between(loop, arrived_at(arrival), arrival->read, last);
  behind.ready = true;
  return behind;
}

static int latest_first(const void* left, const void* right) {
  const struct arrival *a = *(const struct arrival*const*) left,
                       *b = *(const struct arrival*const*) right;
  if (a->waited != b->waited)
    return a->waited < b->waited ? 1 : -1;
  return a < b ? -1 : a > b;
}

static bool is_listed(const struct facts* facts, int32_t subject) {
  for (size_t i = 0; i < facts->late_count; i++) {
    if (facts->late[i].arrival->subject == subject)
      return true;
  }
  return false;
}

/* Of one connection the latest. */
void find_late_data(struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  if (loop->arrival_count == 0)
    return;
  const struct arrival** all = calloc(loop->arrival_count, sizeof(const struct arrival*));
  struct sleeps sleeps = sleeps_make(loop);
  if (all == NULL)
    out_of_memory();
  size_t count = 0;
  for (size_t i = 0; i < loop->arrival_count; i++) {
    if (waited_for_loop(&loop->arrivals[i], &sleeps))
      all[count++] = &loop->arrivals[i];
  }
  if (count > 1)
    qsort(all, count, sizeof(const struct arrival*), latest_first);
  facts->late_all = count;
  for (size_t i = 0; i < count && facts->late_count < LATE_MOST; i++) {
    if (!is_listed(facts, all[i]->subject))
      facts->late[facts->late_count++] =
          (struct late_data){all[i], stretch_behind(loop, all[i])};
  }
  sleeps_free(&sleeps);
  free(all);
}

const struct arrival* arrival_of(const struct trace_loop* loop, int32_t event,
                                 size_t* next) {
  while (*next < loop->arrival_count && loop->arrivals[*next].event < event)
    (*next)++;
  return *next < loop->arrival_count && loop->arrivals[*next].event == event
             ? &loop->arrivals[*next]
             : NULL;
}

/* --- words ---------------------------------------------------------------------------
 */

void write_late(FILE* out, const struct trace_loop* loop, const struct late_data* late) {
  const struct arrival* arrival = late->arrival;
  if (arrival->event == EVENT_NONE && arrival->subject != EVENT_NONE)
    fputs(loop->subjects[arrival->subject], out);
  else if (arrival->event != EVENT_NONE)
    write_who_named(out, loop, &loop->events[arrival->event]);
  if (*arrival->text != '\0') {
    putc(' ', out);
    write_plain(out, arrival->text);
  }
  fputs("; held up ", out);
  write_held(out, loop, &late->behind);
}

void write_late_data(FILE* out, const struct facts* facts) {
  char time[TIME_SIZE], when[TIME_SIZE];
  if (facts->late_count == 0)
    return;
  fprintf(out,
          "\n  data that waited to be read, %zu time%s; the longest, each at least\n",
          facts->late_all, facts->late_all == 1 ? "" : "s");
  for (size_t i = 0; i < facts->late_count; i++) {
    const struct late_data* late = &facts->late[i];
    fprintf(out, "  %10s  %s after the start, ", time_text(time, late->arrival->waited),
            time_text(when, facts->loop->offset_ns + late->arrival->read));
    write_late(out, facts->loop, late);
    putc('\n', out);
  }
}
