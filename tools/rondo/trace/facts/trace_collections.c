/* Garbage collections in a recording: see trace_collections.h. */
#include "trace_collections.h"
#include "trace_words.h"

#include <inttypes.h>
#include <string.h>

void collections_add(struct trace_loop* loop, uint64_t now,
                     const struct trace_record* record) {
  uint64_t duration = record->number < now ? record->number : now;
  loop->collections = array_grow(loop->collections, loop->collection_count,
                                 &loop->collection_capacity, sizeof(*loop->collections));
  loop->collections[loop->collection_count++] = (struct collection){
      now - duration, duration, record->detail > 0 ? (uint64_t) record->detail : 1,
      record->name == 0 ? EVENT_NONE : (int32_t) record->name - 1};
}

static uint64_t collection_end(const struct collection* collection) {
  return collection->start + collection->duration;
}

void collections_cut(struct trace_loop* loop, uint64_t from, uint64_t to) {
  size_t kept = 0;
  for (size_t i = 0; i < loop->collection_count; i++) {
    if (collection_end(&loop->collections[i]) >= from && loop->collections[i].start <= to)
      loop->collections[kept++] = loop->collections[i];
  }
  loop->collection_count = kept;
}

/* The first that ends after the time. */
static size_t collection_after(const struct trace_loop* loop, uint64_t time) {
  size_t low = 0, high = loop->collection_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (collection_end(&loop->collections[middle]) <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint64_t collected_between(const struct trace_loop* loop, uint64_t from, uint64_t to) {
  uint64_t sum = 0;
  for (size_t i = collection_after(loop, from); i < loop->collection_count; i++) {
    const struct collection* collection = &loop->collections[i];
    uint64_t start = collection->start > from ? collection->start : from;
    uint64_t end = collection_end(collection) < to ? collection_end(collection) : to;
    if (start >= to)
      break;
    sum += without(end, start);
  }
  return sum;
}

const char* collection_kind(const struct trace_loop* loop,
                            const struct collection* collection) {
  return collection->name < 0 || (size_t) collection->name >= loop->name_count
             ? "of a kind that isn't known"
             : loop->names[collection->name];
}

/* --- as sentences ----------------------------------------------------------------------
 */

void write_collected(FILE* out, uint64_t collected, uint64_t length) {
  char text[TIME_SIZE];
  if (collected >= 1000000 && collected >= length / 20)
    fprintf(out, "; %s of it garbage collection", time_text(text, collected));
}

enum { KINDS_SHOWN = 4 };

struct kind_sum {
  const char* kind;
  uint64_t count, time, longest;
};

/* Kinds beyond those that are shown, which no engine has, are left out. */
static size_t kinds_sum(const struct trace_loop* loop, struct kind_sum* sums) {
  size_t count = 0;
  for (size_t i = 0; i < loop->collection_count; i++) {
    const struct collection* collection = &loop->collections[i];
    const char* kind = collection_kind(loop, collection);
    size_t at = 0;
    while (at < count && strcmp(sums[at].kind, kind) != 0)
      at++;
    if (at == KINDS_SHOWN)
      continue;
    if (at == count)
      sums[count++] = (struct kind_sum){.kind = kind};
    sums[at].count += collection->count;
    sums[at].time += collection->duration;
    if (collection->duration > sums[at].longest)
      sums[at].longest = collection->duration;
  }
  return count;
}

uint64_t collected_whole(const struct facts* facts) {
  return collected_between(facts->loop, 0, UINT64_MAX);
}

bool collections_matter(const struct facts* facts) {
  return facts->shown > 0 && collected_whole(facts) >= facts->shown / 10;
}

static double collected_share(const struct facts* facts) {
  uint64_t all = collected_whole(facts);
  return 100.0 * (double) all / (double) (facts->shown > all ? facts->shown : all);
}

void write_collected_share(FILE* out, const struct facts* facts) {
  if (facts->shown > 0 && collected_whole(facts) > 0)
    fprintf(out, "; garbage collection took %.1f %% of the time", collected_share(facts));
}

/* The kind that took most comes first. */
void write_collections(FILE* out, const struct facts* facts) {
  struct kind_sum sums[KINDS_SHOWN];
  size_t count = kinds_sum(facts->loop, sums);
  uint64_t all = collected_whole(facts);
  char text[TIME_SIZE];
  const char* before = ": ";
  if (count == 0)
    return;
  fprintf(out, "  garbage collection took %s", time_text(text, all));
  if (facts->shown > 0)
    fprintf(out, ", %.1f %% of the time", collected_share(facts));
  for (size_t shown = 0; shown < count; shown++) {
    struct kind_sum* most = &sums[0];
    for (size_t i = 1; i < count; i++) {
      if (sums[i].time > most->time || most->count == 0)
        most = &sums[i];
    }
    if (most->count == 0)
      break;
    fputs(before, out);
    write_plain(out, most->kind);
    fprintf(out, " %" PRIu64 " time%s, %s", most->count, most->count == 1 ? "" : "s",
            time_text(text, most->time));
    if (most->count > 1)
      fprintf(out, ", %s at most", time_text(text, most->longest));
    *most = (struct kind_sum){0};
    before = "; ";
  }
  putc('\n', out);
}
