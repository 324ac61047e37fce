/* The data of the picture: the events of every loop, thinned out where there are very
 * many, and the facts about all of them. Format "rondo-trace", version 2; page/model.js
 * reads it. */
#include "trace_findings.h"
#include "trace_thin.h"
#include "trace_write.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LANE_EVENTS = 100000, SAMPLES_MOST = 10000 };

struct page {
  FILE* out;
  uint64_t origin;
};

static void write_strings(FILE* out, char* const* strings, size_t count) {
  putc('[', out);
  for (size_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : ",", out);
    write_string(out, strings[i]);
  }
  putc(']', out);
}

/* Writes the output of `write` as a JSON string. */
static void write_words(FILE* out, void (*write)(FILE* out, const void* of),
                        const void* of) {
  char* text = NULL;
  size_t size;
  FILE* words = open_memstream(&text, &size);
  if (words == NULL)
    out_of_memory();
  write(words, of);
  fclose(words);
  write_string(out, text == NULL ? "" : text);
  free(text);
}

struct late_words {
  const struct trace_loop* loop;
  const struct late_data* late;
};

static void late_words(FILE* out, const void* of) {
  const struct late_words* words = of;
  write_late(out, words->loop, words->late);
}

struct held_words {
  const struct trace_loop* loop;
  const struct stretch* held;
  const struct alive* alive;
};

static void held_words(FILE* out, const void* of) {
  const struct held_words* words = of;
  write_held(out, words->loop, words->held);
}

/* Whoever took most of it, in short. */
static void by_words(FILE* out, const void* of) {
  const struct held_words* words = of;
  if (words->held->culprit == EVENT_NONE || words->held->taker > TAKER_MANY)
    return;
  char* text = NULL;
  size_t size;
  FILE* whole = open_memstream(&text, &size);
  if (whole == NULL)
    out_of_memory();
  write_taker(whole, words->loop, words->held);
  fclose(whole);
  char* based = without_folders(text);
  fputs(based, out);
  free(based);
  free(text);
}

static void alive_words(FILE* out, const void* of) {
  const struct held_words* words = of;
  write_alive(out, words->loop, words->alive);
}

static void sleeper_words(FILE* out, const void* of) {
  write_sleeper(out, of);
}

static void headline_words(FILE* out, const void* of) {
  write_headline(out, of);
}

static void finding_words(FILE* out, const void* of) {
  write_finding(out, of);
}

static void waits_words(FILE* out, const void* of) {
  write_waits_of(out, of);
}

/* --- facts ------------------------------------------------------------------------- */

static int32_t moved_to(const struct thinned* thinned, int32_t event) {
  return event == EVENT_NONE ? EVENT_NONE : thinned->moved[event];
}

static void write_held_list(const struct page* page, const struct facts* facts,
                            const struct thinned* thinned) {
  FILE* out = page->out;
  uint64_t offset = facts->loop->start_ns - page->origin;
  fputs(",\"held\":[", out);
  for (size_t i = 0; i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    struct held_words words = {facts->loop, held, NULL};
    fprintf(
        out,
        "%s{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"length\":%" PRIu64
        ",\"starting\":%s,\"unnoticed\":%s,\"taker\":%d,\"culprit\":%d,\"inside\":%d,"
        "\"turn\":%d,\"calls\":%" PRIu64 ",\"callbacks\":%" PRIu64 ",\"text\":",
        i == 0 ? "" : ",", held->start + offset, held->end + offset, stretch_length(held),
        held->starting ? "true" : "false", held->unnoticed ? "true" : "false",
        (int) held->taker,
        moved_to(thinned, held->taker == TAKER_OUTSIDE ? held->outside : held->culprit),
        moved_to(thinned, held->inside), moved_to(thinned, held->turn), held->calls,
        held->callbacks);
    write_words(out, held_words, &words);
    fputs(",\"by\":", out);
    write_words(out, by_words, &words);
    putc('}', out);
  }
  putc(']', out);
}

static void write_late_list(const struct page* page, const struct facts* facts,
                            const struct thinned* thinned) {
  FILE* out = page->out;
  fputs(",\"late\":[", out);
  for (size_t i = 0; i < facts->late_count; i++) {
    const struct late_data* late = &facts->late[i];
    struct late_words words = {facts->loop, late};
    fprintf(out, "%s{\"event\":%d,\"behind\":%d,\"waited\":%" PRIu64 ",\"subject\":",
            i == 0 ? "" : ",", moved_to(thinned, late->arrival->event),
            moved_to(thinned, late->behind.culprit), late->arrival->waited);
    write_string(out, late->arrival->subject == EVENT_NONE
                          ? ""
                          : facts->loop->subjects[late->arrival->subject]);
    fputs(",\"text\":", out);
    write_words(out, late_words, &words);
    putc('}', out);
  }
  putc(']', out);
}

static void write_totals(FILE* out, const struct facts* facts,
                         const struct thinned* thinned) {
  fputs(",\"totals\":[", out);
  for (size_t i = 0; i < facts->total_count; i++) {
    const struct total* total = &facts->totals[i];
    fputs(i == 0 ? "[" : ",[", out);
    write_string(out, total->name);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d]", total->calls, total->all,
            total->longest, moved_to(thinned, total->longest_event));
  }
  fputs("],\"phases\":[", out);
  for (unsigned int kind = 0; kind < EVENT_KINDS; kind++)
    fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", kind == 0 ? "" : ",",
            facts->phases[kind].spans, facts->phases[kind].callbacks);
  putc(']', out);
}

/* The total time of each kind of event, including those that are thinned out. */
static void write_times(FILE* out, const struct trace_loop* loop) {
  uint64_t times[EVENT_KINDS] = {0};
  for (size_t i = 0; i < loop->event_count; i++)
    times[loop->events[i].kind] += loop->events[i].duration;
  times[EVENT_POLL] = without(times[EVENT_POLL], times[EVENT_SLEEP]);
  fputs(",\"times\":[", out);
  for (unsigned int kind = 0; kind < EVENT_KINDS; kind++)
    fprintf(out, "%s%" PRIu64, kind == 0 ? "" : ",", times[kind]);
  putc(']', out);
}

static void write_findings(FILE* out, const struct facts* facts) {
  struct finding list[FINDING_KINDS];
  size_t count = findings_list(facts, list);
  fprintf(out,
          ",\"weight\":%d,\"waited\":%" PRIu64 ",\"headline\":", finding_weight(&list[0]),
          list[0].waited);
  write_words(out, headline_words, &list[0]);
  fputs(",\"verdict\":[", out);
  for (size_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : ",", out);
    write_words(out, finding_words, &list[i]);
  }
  if (facts->loop->process->note != NULL) {
    putc(',', out);
    write_string(out, facts->loop->process->note);
  }
  putc(']', out);
}

static void write_facts(const struct page* page, const struct facts* facts,
                        const struct thinned* thinned) {
  FILE* out = page->out;
  fprintf(out,
          ",\"facts\":{\"busy\":%" PRIu64 ",\"shown\":%" PRIu64 ",\"length\":%" PRIu64
          ",\"turns\":%" PRIu64 ",\"p50\":%" PRIu64 ",\"p90\":%" PRIu64
          ",\"p99\":%" PRIu64 ",\"worst\":%" PRIu64 ",\"unused\":%s",
          facts->busy, facts->shown, facts->length, facts->turns, facts->wait_p50,
          facts->wait_p90, facts->wait_p99, facts->wait_worst,
          facts_of_unused(facts) ? "true" : "false");
  write_findings(out, facts);
  fputs(",\"waits\":", out);
  write_words(out, waits_words, facts);
  if (facts_of_sleeper(facts)) {
    fputs(",\"sleeper\":", out);
    write_words(out, sleeper_words, facts);
  }
  write_held_list(page, facts, thinned);
  write_late_list(page, facts, thinned);
  write_totals(out, facts, thinned);
  write_times(out, facts->loop);
  putc('}', out);
}

/* --- events ------------------------------------------------------------------------ */

/* Events during which the recording ended; there are few. */
static void write_unfinished(FILE* out, const struct trace_loop* loop,
                             const struct thinned* thinned) {
  const char* comma = "";
  fputs(",\"unfinished\":[", out);
  for (size_t i = 0; i < loop->event_count; i++) {
    if (!loop->events[i].unfinished)
      continue;
    fprintf(out, "%s%d", comma, thinned->moved[i]);
    comma = ",";
  }
  putc(']', out);
}

/* Events whose data had waited, and for how long. */
static void write_arrivals(FILE* out, const struct trace_loop* loop,
                           const struct thinned* thinned) {
  const char* comma = "";
  fputs(",\"arrivals\":[", out);
  for (size_t i = 0; i < loop->arrival_count; i++) {
    int32_t event = moved_to(thinned, loop->arrivals[i].event);
    if (event == EVENT_NONE)
      continue;
    fprintf(out, "%s[%d,%" PRIu64 "]", comma, event, loop->arrivals[i].waited);
    comma = ",";
  }
  putc(']', out);
}

static void write_alive_list(FILE* out, const struct trace_loop* loop) {
  fputs(",\"alive\":[", out);
  for (size_t i = 0; i < loop->alive_count; i++) {
    struct held_words words = {loop, NULL, &loop->alive[i]};
    fputs(i == 0 ? "" : ",", out);
    write_words(out, alive_words, &words);
  }
  putc(']', out);
}

/* The callback that began the request, and when; how long it waited for a thread of the
 * pool and ran on it. */
static void write_event_cause(const struct page* page, const struct trace_loop* loop,
                              const struct event* event, const struct thinned* thinned) {
  const struct cause* cause = &loop->causes[event->cause];
  uint64_t offset = loop->start_ns - page->origin;
  fprintf(page->out, ",%d,%" PRIu64, moved_to(thinned, cause->by), cause->begun + offset);
  if (cause->work == EVENT_NONE)
    return;
  const struct work* work = &loop->process->works[cause->work];
  uint64_t begun = cause->begun + (loop->start_ns - loop->process->start_ns);
  fprintf(page->out, ",%" PRIu64 ",%" PRIu64 ",%d", without(work->start, begun),
          work->duration, cause->work);
}

/* How many consecutive turns were left out. */
static void write_gap(const struct page* page, uint64_t start, uint64_t end,
                      uint64_t turns, const char* comma) {
  if (turns > 0)
    fprintf(page->out, "%s[14,%" PRIu64 ",%" PRIu64 ",-1,-1,%" PRIu64 "]", comma, start,
            end - start, turns);
}

static void write_page_event(const struct page* page, const struct trace_loop* loop,
                             const struct event* event, const struct wait* wait,
                             const struct thinned* thinned, const char* comma) {
  fprintf(page->out, "%s[%u,%" PRIu64 ",%" PRIu64 ",%d,%d,%" PRId64, comma, event->kind,
          event->start + (loop->start_ns - page->origin), event->duration, event->name,
          event->subject, event->detail);
  if (event->kind == EVENT_SLEEP)
    fprintf(page->out, ",%u,%u", wait->handles, wait->requests);
  else if (event->cause != EVENT_NONE)
    write_event_cause(page, loop, event, thinned);
  putc(']', page->out);
}

/* The gaps are in a list of their own, so that events keep their numbers. */
static void write_gaps(const struct page* page, const struct trace_loop* loop,
                       const struct thinned* thinned) {
  uint64_t offset = loop->start_ns - page->origin, start = 0, end = 0, turns = 0;
  const char* comma = "";
  fputs(",\"gaps\":[", page->out);
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->kind != EVENT_TURN || event->parent != EVENT_NONE)
      continue;
    if (thinned->kept[i]) {
      write_gap(page, start, end, turns, comma);
      comma = turns > 0 ? "," : comma;
      turns = 0;
      continue;
    }
    start = turns == 0 ? event->start + offset : start;
    end = end_of_event(event) + offset;
    turns++;
  }
  write_gap(page, start, end, turns, comma);
  putc(']', page->out);
}

static void write_events_of(const struct page* page, const struct trace_loop* loop,
                            const struct thinned* thinned) {
  const struct wait* wait = loop->waits;
  const char* comma = "";
  fputs(",\"events\":[", page->out);
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (thinned->kept[i]) {
      write_page_event(page, loop, event, wait, thinned, comma);
      comma = ",\n";
    }
    wait += event->kind == EVENT_SLEEP;
  }
  putc(']', page->out);
}

/* The outermost frame first. */
static void write_sample(const struct page* page, const struct trace_loop* loop,
                         const struct stack_sample* sample, const char* comma) {
  fprintf(page->out, "%s[%" PRIu64 ",[", comma,
          sample->at + (loop->start_ns - page->origin));
  for (uint32_t i = 0; i < sample->count; i++)
    fprintf(page->out, "%s%d", i == 0 ? "" : ",",
            loop->frames[sample->first + sample->count - 1 - i]);
  fputs("]]", page->out);
}

static bool is_held_at(const struct facts* facts, uint64_t at) {
  for (size_t i = 0; i < facts->held_count; i++) {
    if (at >= facts->held[i].start && at <= facts->held[i].end)
      return true;
  }
  return false;
}

/* Samples of the stretches that are listed, and of the rest as many as there is room for,
 * evenly. */
static void write_samples(const struct page* page, const struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  size_t written = 0, step = 1 + loop->sample_count * 2 / SAMPLES_MOST;
  fputs(",\"samples\":[", page->out);
  for (size_t i = 0; i < loop->sample_count && written < SAMPLES_MOST; i++) {
    bool held = written < SAMPLES_MOST / 2 && is_held_at(facts, loop->samples[i].at);
    if (held || step < 3 || i % step == 0)
      write_sample(page, loop, &loop->samples[i], written++ == 0 ? "" : ",");
  }
  putc(']', page->out);
}

static void write_loop(const struct page* page, const struct facts* facts, size_t share,
                       uint64_t begin, uint64_t end) {
  const struct trace_loop* loop = facts->loop;
  FILE* out = page->out;
  struct thinned thinned = thin_make(facts, share);
  fprintf(out, "{\"id\":%u,\"thread\":%u,\"threadName\":", loop->number, loop->thread);
  write_string(out, thread_name_of(loop->process, loop->thread));
  fputs(",\"backend\":", out);
  write_string(out, loop->backend);
  if (loop->sampled_ns != 0)
    fprintf(out, ",\"sampled\":%" PRIu64 "%s", loop->sampled_ns,
            loop->is_loopless ? ",\"label\":\"no loop\"" : "");
  fprintf(out,
          ",\"lost\":%" PRIu64 ",\"leftOut\":%zu,\"least\":%" PRIu64
          ",\"overwritten\":%s,\"subjects\":",
          loop->lost, loop->event_count - thinned.count, thinned.least,
          loop->overwritten ? "true" : "false");
  write_strings(out, loop->subjects, loop->subject_count);
  write_unfinished(out, loop, &thinned);
  write_arrivals(out, loop, &thinned);
  write_alive_list(out, loop);
  write_facts(page, facts, &thinned);
  write_samples(page, facts);
  if (thinned.count < loop->event_count) {
    write_strip(page->out, loop, page->origin, begin, end);
    write_gaps(page, loop, &thinned);
  }
  write_events_of(page, loop, &thinned);
  putc('}', out);
  thin_free(&thinned);
}

/* --- the pool's threads ---------------------------------------------------------------
 */

static void write_work(const struct page* page, const struct trace* trace,
                       const struct trace_process* process, const struct work* work,
                       const char* comma) {
  const struct trace_loop* loop =
      work->loop == EVENT_NONE ? NULL : &trace->loops[work->loop];
  const struct cause* cause = loop == NULL ? NULL : &loop->causes[work->cause];
  fprintf(page->out, "%s[%" PRIu64 ",%" PRIu64 ",%d,", comma,
          work->start + (process->start_ns - page->origin), work->duration,
          cause == NULL ? EVENT_NONE : cause->name);
  write_string(page->out, cause == NULL || cause->subject == EVENT_NONE
                              ? "work"
                              : loop->subjects[cause->subject]);
  fprintf(page->out, ",%td]", work - process->works);
}

static bool is_first_of(const struct trace_process* process, size_t i) {
  for (size_t j = 0; j < i; j++) {
    if (process->works[j].thread == process->works[i].thread)
      return false;
  }
  return true;
}

static void write_lane(const struct page* page, const struct trace* trace,
                       const struct trace_process* process, uint32_t thread) {
  const char* comma = "";
  size_t written = 0;
  fprintf(page->out, "{\"thread\":%u,", thread);
  if (process->note != NULL) {
    fputs("\"label\":", page->out);
    write_string(page->out, thread_name_of(process, thread));
    putc(',', page->out);
  }
  fputs("\"works\":[", page->out);
  for (size_t i = 0; i < process->work_count && written < LANE_EVENTS; i++) {
    if (process->works[i].thread != thread)
      continue;
    write_work(page, trace, process, &process->works[i], comma);
    comma = ",";
    written++;
  }
  fputs("]}", page->out);
}

/* The garbage collections of a loop's thread, as if they were work of a thread's. */
static void write_collection_lane(const struct page* page,
                                  const struct trace_loop* loop) {
  fprintf(page->out, "{\"thread\":%u,\"label\":\"garbage collection\",\"works\":[",
          loop->thread);
  for (size_t i = 0; i < loop->collection_count && i < LANE_EVENTS; i++) {
    const struct collection* collection = &loop->collections[i];
    fprintf(page->out, "%s[%" PRIu64 ",%" PRIu64 ",%d,\"garbage collection\",-1]",
            i == 0 ? "" : ",", collection->start + (loop->start_ns - page->origin),
            collection->duration, collection->name);
  }
  fputs("]}", page->out);
}

static void write_collection_lanes(const struct page* page, const struct trace* trace,
                                   const struct trace_process* process,
                                   const char* comma) {
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    if (loop->process != process || loop->collection_count == 0)
      continue;
    fputs(comma, page->out);
    write_collection_lane(page, loop);
    comma = ",";
  }
}

/* A thread is found by its first work, within the first thousands; threads that start
 * later are rare. */
static void write_lanes(const struct page* page, const struct trace* trace,
                        const struct trace_process* process) {
  const size_t looked_at = 4096;
  const char* comma = "";
  fputs(",\"lanes\":[", page->out);
  for (size_t i = 0; i < process->work_count && i < looked_at; i++) {
    if (!is_first_of(process, i))
      continue;
    fputs(comma, page->out);
    write_lane(page, trace, process, process->works[i].thread);
    comma = ",";
  }
  write_collection_lanes(page, trace, process, comma);
  putc(']', page->out);
}

/* --- all of it ---------------------------------------------------------------------- */

/* The number of events shown of one loop, so that a busy loop doesn't displace the
 * others. */
static size_t fair_share(const struct trace* trace) {
  size_t low = 0, high = PICTURE_EVENTS;
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    size_t sum = 0;
    for (size_t i = 0; i < trace->count; i++)
      sum += trace->loops[i].event_count < middle ? trace->loops[i].event_count : middle;
    if (sum <= PICTURE_EVENTS)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void write_process_head(const struct page* page, const struct trace* trace,
                               const struct trace_process* process, bool first) {
  fprintf(page->out, "%s{\"pid\":%u,\"program\":", first ? "" : "]},", process->pid);
  write_string(page->out, process->program);
  fputs(",\"names\":", page->out);
  write_strings(page->out, process->names, process->name_count);
  write_lanes(page, trace, process);
  fputs(",\"loops\":[", page->out);
}

void write_model(FILE* out, const struct trace* trace) {
  struct page page = {out, trace_origin_ns(trace)};
  size_t share = fair_share(trace);
  uint64_t begin = UINT64_MAX, end = 0;
  struct facts** all = facts_of_all(trace);
  if (all == NULL)
    out_of_memory();
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    uint64_t offset = loop->start_ns - page.origin;
    if (loop->event_count > 0 && loop->events[0].start + offset < begin)
      begin = loop->events[0].start + offset;
    end = loop->event_count > 0 && loop->end_ns + offset > end ? loop->end_ns + offset
                                                               : end;
  }
  const struct trace_process* first = trace->loops[0].process;
  uint64_t wall = first->start_wall_ns - first->start_ns + page.origin;
  fputs("{\"format\":\"rondo-trace\",\"version\":2,\"command\":", out);
  write_string(out, first->command);
  fprintf(out, ",\"started\":%" PRIu64 ".%03u,\"processes\":[", wall / 1000000000,
          (unsigned int) (wall / 1000000 % 1000));
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    if (i == 0 || loop->process != loop[-1].process)
      write_process_head(&page, trace, loop->process, i == 0);
    else
      putc(',', out);
    write_loop(&page, all[i], share, begin, end);
  }
  fputs("]}]}", out);
  facts_free_all(all, trace->count);
}
